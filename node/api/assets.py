"""Names of fixed files that name their content, so that a browser may keep them without limit."""

import hashlib
from collections.abc import Mapping

import rfc8785

from node.api.calls import Document


def manifest_of(files: Mapping[str, Document]) -> bytes:
    """Returns the SHA-256 of each file by its path, as RFC 8785 JSON."""
    return rfc8785.dumps({path: file.etag for path, file in files.items()})


def versioned(files: Mapping[str, Document]) -> tuple[str, Mapping[str, Document]]:
    """Returns the folder of `files`, `assets/<version>`, and the files by their path with it.

    The version is the first 16 hex digits of the SHA-256 of their manifest.
    """
    folder = f"assets/{hashlib.sha256(manifest_of(files)).hexdigest()[:16]}"
    return folder, {f"{folder}/{name}": file for name, file in files.items()}
