"""What a bare ``import lense`` gives, and what it does not cost."""

import subprocess
import sys

import pytest

import lense
from tests.skips import NO_NETWORKX

HEAVY = ("numpy", "numba", "scipy", "torch", "torch_geometric", "matplotlib", "pyarrow", "networkx")


def output_of(script: str) -> str:
    """What a script prints in a fresh process."""
    result = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    return result.stdout.strip()


@pytest.mark.parametrize(
    ("script", "heavy"),
    [
        ("import lense", HEAVY),
        ("import lense; lense.graph.convert.to_networkx", ("torch",)),
        (
            "from lense.pruners.registry import pruner_class as one, pruner_names; list(map(one, pruner_names()))",
            ("torch",),
        ),
    ],
)
def test_nothing_heavy_is_imported(script: str, heavy: tuple[str, ...]) -> None:
    assert output_of(f"{script}; import sys; print([name for name in {heavy} if name in sys.modules])") == "[]"


def test_converters_are_found_after_a_bare_import() -> None:
    pytest.importorskip("networkx", reason=NO_NETWORKX)
    script = "import lense, networkx as nx; print(lense.graph.convert.from_networkx(nx.path_graph(3)).num_edges)"
    assert output_of(script) == "2"


def test_every_name_that_is_listed_is_there_and_no_other() -> None:
    script = "import lense; [getattr(lense, name) for name in dir(lense)]; print(len(dir(lense)) > 20)"
    assert output_of(script) == "True"
    with pytest.raises(AttributeError, match="grpah"):
        lense.grpah  # noqa: B018
