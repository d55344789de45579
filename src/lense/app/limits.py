"""How much the page lets its users do."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """What one page, one user and one request may take."""

    running: int = 2
    """Jobs that run at once; the others wait in line."""
    looks: int = 2
    """The same for the short jobs that only read a graph."""
    waiting: int = 6
    """Jobs of one user that wait or run."""
    kept: int = 20
    """Jobs of one user that are done and can be looked at again; the oldest goes first."""
    uploads: int = 8
    """Files of one user; the oldest goes first."""
    upload_bytes: int = 1 << 30
    all_upload_bytes: int = 1 << 33
    """Files of all users together."""
    upload_seconds: float = 600.0
    body_bytes: int = 1 << 16
    """The most that any other request may hold."""
    users: int = 100
    """Users who are remembered; the one that was away longest goes first."""
    vertices: int = 5_000_000
    edges: int = 50_000_000
    """The largest graph that is generated."""
