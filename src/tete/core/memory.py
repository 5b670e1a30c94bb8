"""How much memory there is, so that what cannot fit is refused before it is begun."""

import os
from pathlib import Path

__all__ = ["free_memory", "whole_memory"]

MEMORY_INFO = Path("/proc/meminfo")  # of Linux


def whole_memory() -> float:
    """Bytes that the machine has; infinity where it does not say."""
    try:
        return float(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    except (AttributeError, OSError, ValueError):  # another system
        return float("inf")


def free_memory() -> float:
    """Bytes that can be taken without driving anything else out; all that the machine has where it does not say."""
    try:
        for line in MEMORY_INFO.read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return float(line.split()[1]) * 1024
    except (OSError, ValueError, IndexError):
        pass
    return whole_memory()
