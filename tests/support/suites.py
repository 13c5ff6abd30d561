"""Public test suites, which stand beside the checkout as they were published (../shared/fixtures/suites)."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).resolve().parents[3] / "shared" / "fixtures" / "suites"

needs_suites = pytest.mark.skipif(not FOLDER.exists(), reason="../shared is not beside this checkout")


def suite(name: str) -> Any:
    """The JSON of a suite, such as `wpt-url/toascii`."""
    return json.loads(gzip.decompress((FOLDER / f"{name}.json.gz").read_bytes()))


def cases_of(name: str) -> list[dict[str, Any]]:
    """The cases of a suite that is a list; texts between them are comments."""
    return [case for case in suite(name) if isinstance(case, dict)]
