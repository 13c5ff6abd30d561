"""`python -m benchmarks.image_start` measures the image's start until `ready`, and its memory.

Needs root, `make image` and an engine (docs/image.md). Before a `cold` start the page cache has no
file of the image; each start has an empty volume. Chain and guest agent are a development node's.
"""

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from tests.support.contained import ContainedNode, Host, host
from tests.support.node import REPOSITORY, running_node
from tests.support.serving import lent_platform

DROP_CACHES = Path("/proc/sys/vm/drop_caches")
SETTLING_S = 10.0
STARTS = 5


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--layout", type=Path, default=REPOSITORY / "image" / "out" / "layout")
    layout = parser.parse_args().layout
    with tempfile.TemporaryDirectory() as scratch, running_node(Path(scratch) / "node") as node:
        settings = lent_platform(node, Path(scratch) / "node")
        with host(layout, Path(scratch) / "engine", settings) as found:
            if not isinstance(found, Host):
                raise SystemExit(f"the image cannot be run here: {dict(found)}")
            _measure(found)


def _measure(here: Host) -> None:
    print(f"engine: {here.engine.name}; {STARTS} starts each, load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    for state, before in (("cold", _forget_files), ("warm", lambda: None)):
        starts = [_start(here, f"{state}-{number}", before) for number in range(STARTS)]
        _show(f"{state}, to `ready`", [ready for ready, _ in starts])
        _show(f"{state}, to an `ok` from /health", [healthy for _, healthy in starts])
    with here.serving(here.serve("idle")) as node:
        time.sleep(SETTLING_S)
        shares = _shares(node)
        print(
            f"idle: {sum(shares) / 1024:.0f} MiB in {len(shares)} processes, the node {max(shares) / 1024:.0f} MiB (PSS)"
        )


def _forget_files() -> None:
    # Drops only clean pages. 3 means page cache, directory entries and inodes of the kernel.
    os.sync()
    DROP_CACHES.write_text("3")


def _start(here: Host, volume: str, before: Callable[[], None]) -> tuple[float, float]:
    before()
    container = here.serve(volume)
    began = time.monotonic()
    with here.serving(container) as node:
        ready = time.monotonic() - began
        while node.api.get("health").ok()["status"] != "ok":
            time.sleep(0.05)
        return ready, time.monotonic() - began


def _shares(node: ContainedNode) -> list[int]:
    """Returns the proportional memory of each process of the container, in KiB."""
    space = _space(Path(f"/proc/{node.first}"))
    # By the PID namespace, which has every process of the container, whatever its parent.
    ours = [each for each in Path("/proc").glob("[0-9]*") if _space(each) == space]
    return [_share((each / "smaps_rollup").read_text()) for each in ours]


def _space(process: Path) -> str:
    try:
        return str((process / "ns/pid").readlink())
    except OSError:
        return ""


def _share(rollup: str) -> int:
    (line,) = (line for line in rollup.splitlines() if line.startswith("Pss:"))
    return int(line.split()[1])


def _show(what: str, seconds: Sequence[float]) -> None:
    print(f"{what}: median {statistics.median(seconds):.2f} s ({min(seconds):.2f} to {max(seconds):.2f})")


if __name__ == "__main__":
    main()
