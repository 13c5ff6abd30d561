"""The zygote's memory in huge pages, where the kernel makes them: a fork and an exit then handle one for 512 small ones.

What a child writes to is still copied in small pages. Nothing depends on it but speed, so a refusal is no error.
"""

from node.engine.child import kernel

_SYS_MADVISE = 28
_MADV_COLLAPSE = 25
"""Since Linux 6.1: make huge pages of what is there, now, and whatever the machine's setting for new memory is."""
_HUGE_PAGE_BYTES = 2 * 1024 * 1024


def huge_parts() -> list[tuple[int, int]]:
    """Start and end of the whole huge pages within writable memory of no file. To be called while files can be read."""
    parts = []
    with open("/proc/self/maps", encoding="utf-8") as maps:  # noqa: PTH123 - pathlib costs every process
        for line in maps:
            span, rights, _, _, inode = line.split()[:5]
            if rights != "rw-p" or inode != "0" or "[stack]" in line:
                continue
            start, end = (int(address, 16) for address in span.split("-"))
            first, last = -(-start // _HUGE_PAGE_BYTES) * _HUGE_PAGE_BYTES, end // _HUGE_PAGE_BYTES * _HUGE_PAGE_BYTES
            if first < last:
                parts.append((first, last))
    return parts


def gather(parts: list[tuple[int, int]]) -> None:
    """Make each part huge pages, as far as the kernel can."""
    for start, end in parts:
        try:
            kernel.call(_SYS_MADVISE, start, end - start, _MADV_COLLAPSE)
        except OSError:
            # A kernel without it, or no free huge page at the moment: small pages work as well.
            continue
