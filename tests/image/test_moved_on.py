"""A Debian that moved on skips the tests of the image, saying so; nothing else does."""

import re
from dataclasses import replace

import pytest

from image import mirrors
from image.commands import ImageError
from tests.image.conftest import MOVED_ON, skip_when_debian_moved_on
from tests.image.parts import lock_of
from tests.image.test_inputs import mirror
from tests.support.node import REPOSITORY
from tests.support.skip_gate import listed_reasons

pytestmark = pytest.mark.exhaustive

LOCKED = lock_of(b"").debs[0]
"""libfoo 1.2-3."""


def told(path: str) -> str:
    """What a build says whose mirror answers so for this path."""
    with mirror() as source, pytest.raises(ImageError) as refused:
        mirrors.fetch(replace(LOCKED, path=path), source, lambda _: None)
    return f"image: {refused.value}"


def test_a_version_that_is_gone_because_there_is_a_newer_one_skips_for_a_reason_that_ci_accepts() -> None:
    asked: list[str] = []

    def offered(name: str) -> str:
        asked.append(name)
        return "1.2-4"

    with pytest.raises(
        pytest.skip.Exception, match=rf"{re.escape(MOVED_ON)}: libfoo 1\.2-3, now 1\.2-4.*refresh"
    ) as skip:
        skip_when_debian_moved_on(told("gone.deb"), offered)
    assert asked == ["libfoo"]
    assert str(skip.value).startswith(listed_reasons(REPOSITORY / ".ci" / "allowed-skips"))


def test_a_version_that_is_offered_and_not_given_is_a_failure() -> None:
    with pytest.raises(AssertionError, match="does not have it"):
        skip_when_debian_moved_on(told("gone.deb"), lambda _: LOCKED.version)


@pytest.mark.parametrize("path", ["broken.deb", "members.deb"])
def test_no_other_failure_skips(path: str) -> None:
    def offered(name: str) -> str:
        raise AssertionError(f"asked for {name}")

    skip_when_debian_moved_on(told(path), offered)
    skip_when_debian_moved_on("image: libfoo has SHA-256 00, and the lock names 01. Nothing was built of it.", offered)
