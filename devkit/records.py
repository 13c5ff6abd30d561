"""Records of a data directory about the contracts it was made with."""

import json
from collections.abc import Mapping
from pathlib import Path

from node.errors import StartupRefusedError


def write_record(record: Path, content: Mapping[str, str]) -> None:
    """Write a record atomically."""
    partial = record.with_suffix(".partial.json")
    partial.write_text(json.dumps(content))
    partial.replace(record)


def another_version(directory: Path) -> StartupRefusedError:
    """Returns the refusal of a directory that was made with other contracts."""
    return StartupRefusedError(
        "data_dir",
        f"{directory} was made with another version of the node's contracts. "
        f"Start anew with `mv {directory} {directory}.old`, or choose another SVC_DATA_DIR.",
    )
