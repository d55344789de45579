"""One job in a process of its own: ``python -m lense.app.worker`` with a task on its standard input.

It writes events to its standard output and results to the task's folder. It ends when its standard input does, which is
when the server is gone.
"""

import os
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from threading import Thread
from typing import Any, BinaryIO, NoReturn

from lense._util.files import replacing, to_json
from lense._util.progress import reporting_to
from lense._util.threads import limit_libraries
from lense.app.asking import Compare, Look, Solve, Task
from lense.app.events import Events
from lense.errors import LenseError

_FAULT = "Something went wrong that should not have; the terminal that the page was started from says more."
_NO_MEMORY = "There is not enough memory for this: take a smaller graph, or a smaller budget."


def main() -> NoReturn:
    """Do the task and end; the exit status is 2 where the user can do something about what went wrong."""
    task = Task.model_validate_json(sys.stdin.buffer.readline(), strict=False)
    # whatever a library prints must not get between the events
    events = Events(os.fdopen(os.dup(1), "w", encoding="utf-8"))
    os.dup2(2, 1)
    Thread(target=_end_with, args=(sys.stdin.buffer,), daemon=True).start()
    limit_libraries()
    status = done(task, events)
    sys.stderr.flush()
    # at once: threads of libraries have nothing to finish
    os._exit(status)


def done(task: Task, events: Events) -> int:
    """Do the task and say how it ended: the exit status."""
    try:
        with reporting_to(events.task):
            task.own.load()
            result = _work(task)(task, events)
        with replacing(Path(task.folder) / "result.json") as path:
            path.write_text(to_json(result), encoding="utf-8")
    except LenseError as error:
        events.send(error=_called(task, str(error)))
        return 2
    except MemoryError:
        events.send(error=_NO_MEMORY)
        return 2
    except Exception:
        traceback.print_exc()
        events.send(error=_FAULT)
        return 1
    events.send(done=True)
    return 0


def _work(task: Task) -> Callable[[Task, Events], dict[str, Any]]:
    match task.ask:
        case Look():
            from lense.app.looking import look

            return look
        case Solve():
            from lense.app.answering import answer

            return answer
        case Compare():
            from lense.app.comparing import compare_pruners

            return compare_pruners


def _called(task: Task, sentence: str) -> str:
    """A sentence about the user's file by the name that the user gave it."""
    return sentence.replace(task.source, task.title) if task.source else sentence


def _end_with(stream: BinaryIO) -> None:
    stream.read()
    os._exit(1)


if __name__ == "__main__":
    main()
