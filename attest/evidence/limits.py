"""Every limit of the evidence."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class EvidenceLimits:
    """How evidence is made and kept."""

    retry_min_s: float = 1.0
    """Pause after a quote that could not be had, doubled each time."""
    retry_max_s: float = 60.0
    """Longest such pause."""
    previous_sets: int = 3
    """Sets before the current one that stay readable under their own names."""
    folder_file_bytes: int = 1024 * 1024
    """Largest file taken from a sidecar's folder."""
    folder_files: int = 64
    """Most files taken from it."""
    folder_poll_s: float = 5.0
    """How often that folder is looked at."""
