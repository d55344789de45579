"""The paper's method: labelled subgraphs, the encoder, the environment, Q-learning, and walks."""

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
