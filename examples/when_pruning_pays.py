"""Draw how many times as fast the default is as the whole graph, against what the heuristic takes there.

python examples/when_pruning_pays.py benchmarks/end_to_end.jsonl docs/when_pruning_pays.png
"""

import json
import sys
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
from matplotlib.lines import Line2D

KINDS = {
    "greedy in milliseconds": ("greedy", "local-search", "domination", "degree-discount"),
    "im: IMM, OPIM-C, CELF": ("imm-0.5", "imm-0.1", "opim-c", "celf", "simulated-celf"),
    "HiGHS (mip)": ("mvc-mip-5", "mvc-mip-1", "bmc-mip-5", "bmc-mip-1"),
    "functions of one's own": (
        *("plain-greedy", "plain-naive", "plain-candidates", "plain-celf", "group-degree", "group-closeness"),
    ),
}
COLOURS = dict(zip(KINDS, ("#009e73", "#0072b2", "#d55e00", "#cc79a7"), strict=True))


def pairs(path: Path) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """(default, whole) of each graph and heuristic."""
    records = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    sides = {(one["graph"], one["heuristic"], one["way"]): one for one in records}
    return [
        (sides[graph, name, "default"], sides[graph, name, "whole"])
        for graph, name, way in sides
        if way == "default" and (graph, name, "whole") in sides
    ]


def main(source: str, target: str) -> None:
    kind_of = {name: kind for kind, names in KINDS.items() for name in names}
    figure, axes = plt.subplots(figsize=(8.2, 4.8), layout="constrained")
    for default, whole in pairs(Path(source)):
        if default["score"] is None:
            continue
        colour, ended = COLOURS[kind_of[default["heuristic"]]], whole["score"] is not None
        time = "processor_seconds" if ended else "seconds"
        faster = whole[time] / default[time]
        marker = ("o" if default["pruned"] else "s") if ended else "^"
        axes.plot(whole[time], faster, marker, color=colour, mfc=colour if default["pruned"] else "none", alpha=0.85)
    axes.axhline(1, color="#777777", lw=0.8)
    axes.set(
        xscale="log",
        yscale="log",
        xlabel="seconds on the whole graph, of the processor",
        ylabel="times as fast by default",
    )
    keys = [Line2D([], [], marker="o", ls="", color=colour, label=kind) for kind, colour in COLOURS.items()]
    ways = {"o": "pruned", "s": "solved on the whole graph", "^": "the whole graph passed the time limit"}
    keys += [
        Line2D([], [], marker=m, ls="", color="#555555", mfc="none" if m == "s" else "#555555", label=w)
        for m, w in ways.items()
    ]
    axes.legend(handles=keys, fontsize=8, loc="upper left")
    axes.grid(alpha=0.25)
    figure.savefig(target, dpi=110)


if __name__ == "__main__":
    main(*sys.argv[1:3])
