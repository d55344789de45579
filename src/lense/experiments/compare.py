"""Pruners on one footing: the same graphs, problem, heuristic, seeds and machine for all of them."""

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from lense.errors import LenseError
from lense.experiments.plan import LENSE, WHOLE, Comparison, pruner_record
from lense.experiments.plan import all_pruners as all_pruners
from lense.experiments.store import Record, Store
from lense.experiments.workers import Piece, run_pieces
from lense.progress import Advance, progress


def compare(plan: Comparison, folder: str | Path, *, jobs: int | None = None) -> list[Record]:
    """Run what is not in ``folder`` yet, ``jobs`` pieces at a time through joblib; all records asked for.

    A record is that of one pruner and seed: times, memory, and figures of each part in both modes; or why it failed.
    Pieces that failed are tried again by the next call. Without ``jobs``, joblib's active configuration decides.
    """
    from lense.experiments.pieces import run_piece, solve_whole

    _check(plan)
    store = Store(folder, plan.plan())
    names = tuple(dict.fromkeys(plan.pruners))
    others = [name for name in names if name != LENSE]
    with progress("comparing pruners", len(plan.seeds) * (1 + len(names))) as advance:
        bests = _run(solve_whole, plan, store, [(seed,) for seed in plan.seeds], jobs, advance)
        walked: list[Record] = []
        if LENSE in names:
            first = [(LENSE, seed, best, None) for seed, best in zip(plan.seeds, bests, strict=True)]
            walked = _run(run_piece, plan, store, first, jobs, advance)
        rest = []
        for seed, best in zip(plan.seeds, bests, strict=True):
            size = _lense_size(store, seed)
            rest += [(name, seed, best, size) for name in [*others, *_outgrown(store, others, seed, size)]]
        records = _run(run_piece, plan, store, rest, jobs, advance)
        return [*walked, *(record for record in records if record["pruner"] in others)]


def _check(plan: Comparison) -> None:
    """Raise for what no pruner can mend."""
    from lense.pruners import LeNSE, load, pruner_class
    from lense.torch_device import torch_device

    if not plan.pruners or not plan.seeds:
        raise LenseError("A comparison needs at least one pruner and one seed.")
    if plan.episodes < 1:
        raise LenseError(f"A comparison needs at least one episode, not {plan.episodes}.")
    if not math.isfinite(plan.budget):
        raise LenseError(f"The budget must be a number, not {plan.budget}.")
    torch_device(plan.device)
    for name in plan.pruners:
        pruner_class(name)
    for folder in {plan.model_for(seed) for seed in plan.seeds if LENSE in plan.pruners}:
        if folder is not None and not isinstance(load(folder, problem=plan.source.problem_for(0)), LeNSE):
            raise LenseError(f"The model in {folder} is no LeNSE: only that can be given, the others are fitted anew.")


def _lense_size(store: Store, seed: int) -> Record | None:
    """The size of LeNSE's parts, if LeNSE was compared in that folder and did not fail."""
    known = pruner_record(store, LENSE, seed)
    return None if known is None else known.get("size")


def _outgrown(store: Store, others: Sequence[str], seed: int, size: Record | None) -> list[str]:
    """Pruners compared in that folder before LeNSE was, whose pieces have sizes of their own."""
    from lense.experiments.pieces import size_taken

    known = {piece.removesuffix(f".{seed}") for piece in store.pieces() if piece.endswith(f".{seed}")}
    there = sorted(known & set(all_pruners()) - {*others, LENSE})
    records = {name: pruner_record(store, name, seed) for name in there}
    return [name for name, one in records.items() if one is not None and one["given_size"] != size_taken(name, size)]


def _run(
    work: Callable[..., Record],
    plan: Comparison,
    store: Store,
    pieces: Sequence[tuple[Any, ...]],
    jobs: int | None,
    advance: Advance,
) -> list[Record]:
    """``work`` on each of the pieces, in order."""
    from lense.experiments.pieces import record_death, run_piece

    def died(piece: Piece) -> Record:
        if work is not run_piece:
            raise LenseError("The heuristic's process died on the whole graph, for want of memory maybe.")
        _, _, name, seed, *_ = piece
        return record_death(store, name, seed)

    records: list[Record] = []
    for record in run_pieces(work, [(plan, store, *piece) for piece in pieces], jobs, died):
        records.append(record)
        advance(1, note=f"{record.get('pruner', WHOLE)}, seed {record['seed']}")
    return records
