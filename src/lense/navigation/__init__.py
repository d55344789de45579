"""The paper's method, a module for each of its parts, in this order.

1. ``labels``: subgraphs by random roots, labelled by how good the heuristic's answer on them is.
2. ``encoder``: the map of subgraphs, learnt from those labels.
3. ``environment``: the decision process, walks that swap roots for neighbours.
4. ``q_learning``: guided deep Q-learning, with ``policy_evaluation`` and ``checkpoints``.
5. ``inference``: walks by the policy that was learnt.

``training`` runs 1 to 4, ``model_files`` stores what they find, and ``lense`` makes a pruner of it. ``baselines`` are
walks by rules, and ``gym_environment`` offers walks to other learners.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lense.navigation.lense import LeNSE as LeNSE

__all__ = ["LeNSE"]


def __getattr__(name: str) -> Any:
    # on first use: a command that needs no model should not wait for the modules of one
    if name != "LeNSE":
        raise AttributeError(f"module 'lense.navigation' has no attribute '{name}'")
    from lense.navigation.lense import LeNSE

    return LeNSE
