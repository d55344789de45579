"""The Dask cluster to work on: that of this program, that of an address, or workers of our own on this machine."""

import logging
from importlib import import_module
from typing import Any

from lense.errors import LenseError

_SECONDS_TO_CONNECT = 10


class DaskCluster:
    """A connection to a scheduler, or a cluster of ``workers`` processes on this machine that ends with it.

    The scheduler is the one at ``address``; else the one that this program has a ``distributed.Client`` of; else the
    one that Dask's configuration names (``DASK_SCHEDULER_ADDRESS``). ``who`` asks for it. ``memory_limit`` is what Dask
    allows each worker on this machine.
    """

    def __init__(self, who: str, workers: int, address: str | None = None, memory_limit: str | int = "auto") -> None:
        try:
            distributed: Any = import_module("distributed")
            dask: Any = import_module("dask")
        except ModuleNotFoundError as error:
            raise LenseError(f"{who} needs Dask: install lense[dask].") from error
        logging.getLogger("distributed").setLevel(logging.ERROR)  # which speaks of every worker that comes and goes
        self._own: list[Any] = []
        known = None if address is not None else _client_of_program(distributed)
        address = address or dask.config.get("scheduler-address", None)
        self.is_local = known is None and address is None
        self.client: Any = known
        try:
            if self.is_local:
                self._own.append(
                    distributed.LocalCluster(
                        n_workers=workers,
                        threads_per_worker=1,
                        memory_limit=memory_limit,
                        dashboard_address=":0",
                        processes=True,
                        silence_logs=logging.ERROR,
                    )
                )
            if known is None:
                self.client = distributed.Client(self._own[0] if self._own else address, timeout=_SECONDS_TO_CONNECT)
                self._own.append(self.client)
        except (OSError, TimeoutError, ValueError) as error:
            raise LenseError(f"There is no Dask scheduler at {address}: start one with 'dask scheduler'.") from error
        if not self.is_local and not self.client.scheduler_info()["workers"]:
            self.close()
            raise LenseError(f"The Dask scheduler at {address} has no workers: start some with 'dask worker'.")

    def close(self) -> None:
        """End the connection, and the cluster if it is ours."""
        for one in reversed(self._own):
            one.close()


def _client_of_program(distributed: Any) -> Any:
    try:
        return distributed.default_client()
    except ValueError:
        return None
