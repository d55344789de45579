"""``lense app``: where it is, and who may open it."""

import re
import sys
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import HTTPCookieProcessor, Request, build_opener, urlopen

import pytest

from tests.browsing import served
from tests.conftest import Command


@pytest.mark.parametrize("host", ["127.0.0.1", "0.0.0.0"])
def test_it_needs_the_token_that_it_prints(host: str, graph_file: Path) -> None:
    with served(str(graph_file), "--host", host) as (address, _):
        found = re.fullmatch(r"http://[^/]+:(\d+)/\?token=(\S+)", address)
        assert found is not None
        here = f"http://127.0.0.1:{found[1]}/"
        with pytest.raises(HTTPError, match="403"):
            urlopen(here)
        with urlopen(Request(here, headers={"cookie": f"lense-token-{found[1]}={found[2]}"})) as response:
            assert graph_file.name in response.read().decode()
        with build_opener(HTTPCookieProcessor()).open(f"{here}?token={found[2]}") as response:
            assert response.status == 200


def test_without_the_extra_it_says_what_to_install(lense: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [one for one in sys.modules if one.startswith(("lense.app.serv", "uvicorn"))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    lense("app", "--no-browser").assert_refused("uvicorn", "pip install 'lense[app]'")
