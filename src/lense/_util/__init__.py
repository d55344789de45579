"""Helpers that every package needs: errors of the system, files, threads, progress, timing."""
