"""The page over HTTP: jobs, files and uploads, also for those who mean no good."""

import json
import re
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from lense.app.requests import OwnClasses
from lense.app.server import FILES, make_app, serve
from lense.errors import LenseError
from tests.app.pages import LONG, ORIGIN, QUESTION, SLOW, SOLVE, TOKEN, ask, refusal, user, waited
from tests.report.pages import HOSTILE

OWN = {"origin": ORIGIN}


@pytest.fixture(scope="module")
def solved(client: TestClient) -> str:
    """The number of a job that is done."""
    number = ask(client, SOLVE)
    assert waited(client, number)["state"] == "done"
    return number


def upload(client: TestClient, name: str, content: bytes) -> Any:
    return client.post("/api/uploads", params={"name": name}, content=content, headers=OWN)


def test_the_page_names_no_address_outside_the_machine(client: TestClient) -> None:
    text = client.get("/").text
    scripts = re.findall(r'(?:src|href)="(/[^"]+)"', text)
    assert {"/static/app.js", "/shared/charts.js", "/static/vendor/sigma.min.js"} <= set(scripts)
    for path in scripts:
        response = client.get(path)
        assert response.status_code == 200, path
        text += response.text
    addresses = set(re.findall(r"(?:https?:)?//[\w.-]+\.\w+", text))
    assert {one for one in addresses if "w3.org" not in one and "sourceMapping" not in one} == set()


def test_a_job_is_followed_to_its_answer_and_its_files(client: TestClient, solved: str) -> None:
    job = waited(client, solved)
    names = [stage["name"] for stage in job["stages"]]
    assert names[0] == "Reading the graph"
    assert "Solving with greedy, and bounding the optimum" in names
    assert all(stage["is_done"] for stage in job["stages"])
    result = client.get(f"/api/jobs/{solved}/result").json()
    assert [tile["name"] for tile in result["tiles"]] == ["Score", "Certified", "Pruned", "On the whole graph"]
    assert len(result["chosen"]["rows"]) == 5
    for file in result["files"]:
        response = client.get(f"/api/jobs/{solved}/files/{file['name']}")
        assert response.status_code == 200
        assert response.headers["content-disposition"] == f'attachment; filename="{file["name"]}"'
        assert file["name"] in FILES
    answer = client.get(f"/api/jobs/{solved}/files/answer.json").json()
    assert [row[1] for row in result["chosen"]["rows"]] == [str(vertex) for vertex in answer["vertices"]]
    assert f'data-job="{solved}"' in client.get(f"/job/{solved}").text  # after a reload
    (brief,) = [job for job in client.get("/api/jobs").json() if job["id"] == solved]
    assert (brief["state"], brief["kind"]) == ("done", "solve")


def test_jobs_and_uploads_of_one_user_are_not_anothers_to_see_use_or_stop(users: list[TestClient], solved: str) -> None:
    stranger = users[1]
    paths = [f"/api/jobs/{solved}{rest}" for rest in ("", "/result", "/files/answer.json")]
    for path in [*paths, f"/job/{solved}"]:
        response = stranger.get(path)
        assert response.status_code == 404
        assert response.content == stranger.get(path.replace(solved, "nowhere")).content  # not even that it exists
    assert stranger.post(f"/api/jobs/{solved}/stop", headers=OWN).status_code == 404
    assert stranger.get("/api/jobs").json() == []
    graphs = [{"kind": "upload", "upload": upload(users[0], "graph.txt", b"1 2\n").json()["upload"]}]
    graphs.append({"kind": "upload", "upload": "nowhere"})
    theirs, missing = (refusal(stranger, {**SOLVE, "graph": graph}) for graph in graphs)
    assert theirs == missing


HIDDEN = ("..%2fresult.json", "result.json", "%2e%2e%2f%2e%2e%2fetc%2fpasswd", "answer.json%00", "comparison", ".")
OUTSIDE = ("/static/../server.py", "/static/%2e%2e/server.py", "/shared/page.py", "/shared/..%2fpage.css", "/static/")


@pytest.mark.parametrize("path", [*(f"/api/jobs/JOB/files/{name}" for name in HIDDEN), *OUTSIDE])
def test_nothing_but_the_files_of_a_job_and_of_the_page_can_be_had(client: TestClient, solved: str, path: str) -> None:
    assert client.get(path.replace("JOB", solved)).status_code in (404, 405)


@pytest.mark.parametrize(
    "name", ["../../evil.txt", "..\\..\\evil.txt", "/etc/evil.txt", f"{HOSTILE}.txt", "a\r\nb.txt"]
)
def test_the_name_of_an_upload_leads_nowhere(client: TestClient, name: str) -> None:
    jobs = client.app.state.jobs  # type: ignore[attr-defined]
    assert upload(client, name, b"1 2\n").status_code == 201
    files = [path for path in jobs.folder.rglob("*.txt") if path.is_file()]
    assert {path.parent for path in files} == {jobs.folder / "uploads"}
    assert not any("evil" in path.name for path in files)


def test_a_file_that_is_too_large_is_refused_whether_it_says_so_or_not(client: TestClient) -> None:
    jobs = client.app.state.jobs  # type: ignore[attr-defined]
    before = len(list(jobs.folder.rglob("*.txt")))
    assert upload(client, "big.txt", b"1 2\n" * 50_000).status_code == 413

    def pieces() -> Any:
        for _ in range(50):
            yield b"1 2\n" * 1000

    response = client.post("/api/uploads", params={"name": "big.txt"}, content=pieces(), headers=OWN)
    assert response.status_code == 413
    assert len(list(jobs.folder.rglob("*.txt"))) == before


def test_what_a_target_takes_is_known_before_anything_is_solved(client: TestClient) -> None:
    asked = (f"/api/expected?problem=im&budget=100&target={target}" for target in (0.9, 0.999))
    low, high = (client.get(one).json() for one in asked)
    assert low["chosen"]["roots"] <= high["chosen"]["roots"]
    assert low["points"][0]["ratio"] == high["points"][0]["ratio"]


JOBS, UPLOADS, EXPECTED = "/api/jobs", "/api/uploads?name=", "/api/expected?"


@pytest.mark.parametrize(
    ("method", "path", "content", "status"),
    [
        ("POST", JOBS, b"x" * (1 << 17), 413),
        ("POST", JOBS, b"<xml>", 400),
        ("POST", f"{UPLOADS}graph.txt", b"", 400),
        *(("POST", UPLOADS + name, b"1 2\n", 400) for name in ("graph.exe", "", "graph")),
        *(("GET", EXPECTED + query, b"", 400) for query in ("", "budget=x&target=1", "budget=nan&target=1")),
        *(("GET", EXPECTED + query, b"", 400) for query in ("budget=5&target=0", "budget=5&target=1")),
        *((method, f"{JOBS}/any", b"", 405) for method in ("PUT", "DELETE", "PATCH")),
    ],
)
def test_a_request_that_makes_no_sense_is_refused(
    client: TestClient, method: str, path: str, content: bytes, status: int
) -> None:
    assert client.request(method, path, content=content, headers=OWN).status_code == status


def test_ids_that_are_html_stay_text(client: TestClient) -> None:
    edges = f'a,b\n"{HOSTILE}",y\n"{HOSTILE}",z\n'.encode()
    graph = {"kind": "upload", "upload": upload(client, "h.csv", edges).json()["upload"]}
    number = ask(client, {**SOLVE, "graph": graph, "budget": 1, "way": "whole"})
    job = waited(client, number)
    assert job["state"] == "done", job["error"]
    response = client.get(f"/api/jobs/{number}/result")
    assert response.headers["content-type"] == "application/json"
    assert HOSTILE in json.dumps(response.json(), ensure_ascii=False).replace('\\"', '"')
    report = client.get(f"/api/jobs/{number}/files/report.html")
    assert HOSTILE not in report.text
    assert "attachment" in report.headers["content-disposition"]
    assert "pruned.npz" in [file["name"] for file in response.json()["files"]]  # no edge list can hold such an id


def test_names_of_graphs_that_are_html_are_escaped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / '"><img src=x onerror=alert(1)>.txt').write_text("1 2\n")
    monkeypatch.setenv("LENSE_DATA", str(tmp_path))
    with user(make_app(token=TOKEN, given="/x/<script>.txt")) as client:
        text = client.get("/").text
    assert "<img src=x" not in text
    assert "<script>.txt" not in text
    assert "&lt;script&gt;.txt" in text


def test_a_job_is_stopped_and_others_wait_in_line(client: TestClient) -> None:
    first = ask(client, SLOW)
    waited(client, first, "running")
    second = ask(client, SLOW)
    assert client.get(f"/api/jobs/{second}").json()["state"] == "waiting"
    third = ask(client, SLOW)
    assert client.get(f"/api/jobs/{third}").json()["ahead"] == 1
    assert " 3 " in refusal(client, SOLVE)
    jobs = client.app.state.jobs  # type: ignore[attr-defined]
    process = jobs.get(client.cookies["lense-session-0"], first).process
    for number in (third, second, first):
        assert client.post(f"/api/jobs/{number}/stop", headers=OWN).status_code == 204
        assert client.get(f"/api/jobs/{number}").json()["state"] == "stopped"
    assert process.exitcode is not None
    assert client.get(f"/api/jobs/{first}/result").status_code == 404


def test_everything_ends_with_the_page() -> None:
    with user(make_app(token=TOKEN)) as client:
        number = ask(client, {"kind": "look", "graph": LONG})
        waited(client, number, "running", "done")
        app: Any = client.app
        jobs = app.state.jobs
        job = jobs.get(client.cookies["lense-session-0"], number)
        folder = jobs.folder
    assert job.process.exitcode is not None
    assert not folder.exists()


def test_a_page_leaves_nothing_behind_and_removes_what_one_that_was_killed_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    program = (
        "import os, pathlib; from lense._util.files import temporary_name as n; os.mkdir(n(pathlib.Path('scratch')))"
    )
    subprocess.run([sys.executable, "-c", program], cwd=tmp_path, check=True)
    (left,) = tmp_path.iterdir()
    with user(make_app(token=TOKEN)) as page:
        (folder,) = tmp_path.iterdir()
        assert folder != left
        assert folder.stat().st_mode & 0o077 == 0
        assert upload(page, "graph.txt", b"1 2").status_code == 201
    assert list(tmp_path.iterdir()) == []


def test_requests_name_registered_classes_and_those_of_the_command_line_alone(tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    stranger = tmp_path / "strange.py"
    stranger.write_text(f"import pathlib\npathlib.Path({str(ran)!r}).touch()\n")
    own = tmp_path / "own.py"
    own.write_text(
        "from lense.problems.mvc import MaxVertexCover\nfrom lense.pruners.ranking import TopDegree\n"
        "class Cover(MaxVertexCover):\n    name = 'own-cover'\n"
        "class Hubs(TopDegree):\n    name = 'own-hubs'\n"
    )
    classes = OwnClasses(problems={"own-cover": f"{own}:Cover"}, pruners={"own-hubs": f"{own}:Hubs"})
    with user(make_app(token=TOKEN, own=classes)) as client:
        for text in (f"{stranger}:X", f"{own}:Other", "strange.py:X", "os:system"):
            assert text in refusal(client, {**SOLVE, "problem": text})
            assert text in refusal(client, {**SOLVE, "way": text})
            assert text in refusal(client, {**QUESTION, "kind": "compare", "pruners": [text]})
        done = waited(client, number := ask(client, {**SOLVE, "problem": "own-cover", "way": "own-hubs"}))
        assert done["state"] == "done", done["error"]
        recipe = client.get(f"/api/jobs/{number}/result").json()["recipe"]
        assert f"--problem {own}:Cover" in recipe["command"]
        assert f"--pruner {own}:Hubs" in recipe["command"]
        assert "own-cover" in client.get("/").text
    assert not ran.exists()


def test_an_address_that_cannot_be_served_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(LenseError, match=f"{port}.*--port"):
            serve(port=port)
    with pytest.raises(LenseError, match=r"no\.such\.host\.invalid"):
        serve(host="no.such.host.invalid")
