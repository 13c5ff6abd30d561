"""What a data directory remembers of the contracts it was made with."""

import json
from collections.abc import Mapping
from pathlib import Path

from node.errors import StartupRefusedError


def write_record(record: Path, content: Mapping[str, str]) -> None:
    """Put a record in place in one step."""
    partial = record.with_suffix(".partial.json")
    partial.write_text(json.dumps(content))
    partial.replace(record)


def another_version(directory: Path) -> StartupRefusedError:
    """The refusal of a directory whose contracts this node does not match."""
    return StartupRefusedError(
        "data_dir",
        f"{directory} was made with another version of the node's contracts. "
        f"Start anew with `mv {directory} {directory}.old`, or choose another SVC_DATA_DIR.",
    )
