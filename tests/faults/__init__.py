"""Kills, full disks and other accidents: the result is that of a run without them, and nothing is left behind."""
