"""Write numbers for people: counts, percentages, durations and sizes in memory."""


def quantity(value: float) -> str:
    """Format a number: whole from 1,000 on, four digits below."""
    return f"{value:,.0f}" if abs(value) >= 1000 or float(value).is_integer() else f"{value:.4g}"


def percent(share: float, decimals: int = 1) -> str:
    """Format a share of 1 as a percentage."""
    return f"{100 * share:.{decimals}f} %"


def duration(seconds: float, digits: int = 3) -> str:
    """Format seconds as "12.3 ms", "4.56 s", "2 min 5 s" or "3 h 20 min"; give estimates two ``digits``."""
    if 0 < seconds < 0.9995:
        return f"{_rounded(1000 * seconds, digits)} ms"
    if seconds < 59.5:
        return f"{_rounded(seconds, digits)} s"
    large, small, units = *divmod(round(seconds), 60), ("min", "s")
    if large >= 60:
        large, small, units = *divmod(round(seconds / 60), 60), ("h", "min")
    return f"{large:,} {units[0]}" + (f" {small} {units[1]}" if small and digits > 2 else "")


def size(num_bytes: float) -> str:
    """Format bytes as "512 KiB", "12.3 MiB" or "4.56 GiB"."""
    power = 3 if num_bytes >= 2**30 else 2 if num_bytes >= 2**20 else 1
    return f"{_rounded(num_bytes / 2 ** (10 * power), 3)} {' KMG'[power]}iB"


def _rounded(value: float, digits: int) -> str:
    """Round to so many digits, and never write an exponent."""
    return f"{float(f'{value:.{digits}g}'):,.10g}"
