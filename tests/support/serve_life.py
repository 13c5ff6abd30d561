"""`svc-node serve` as a life (tests.support.nursery) whose imports are done already: for starts that are refused."""

import os
import sys
from typing import Any

from node.cli import main


def work(task: dict[str, Any]) -> None:
    """Start with this configuration and environment; what is printed goes to a file, log and errors alike."""
    printed = os.open(task["printed"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    os.dup2(printed, 1)
    os.dup2(printed, 2)
    os.environ.clear()
    os.environ.update(task["environment"])
    try:
        main(["serve", "--config", task["config"]], prog_name="svc-node")
    except SystemExit as ended:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(ended.code if isinstance(ended.code, int) else 1)
