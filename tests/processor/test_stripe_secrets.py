"""Keys and e-mail addresses are in requests alone: in no log, whatever the host puts in the environment, no error and no repr."""

import io
import logging
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import stripe
import structlog
from stripe import _telemetry_id as stripe_telemetry
from stripe import _util as stripe_logging

from devkit.processor.faults import Fault as Injected
from devkit.processor.server import LocalProcessor
from node.processor.port import ProcessorError
from tests.processor.stripe_parts import ACCOUNT, EMAIL, FAST, SECRETS, stripe_at


@dataclass
class Heard:
    """Whatever is said while a test runs, by any of three ways."""

    files: Path
    lines: io.StringIO
    capfd: pytest.CaptureFixture[str]
    ours: list[structlog.typing.EventDict] = field(default_factory=list)

    def all(self) -> str:
        said = self.capfd.readouterr()
        return "\n".join([said.out, said.err, self.lines.getvalue(), repr(self.ours)])


@pytest.fixture
def heard(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Heard]:
    """Everybody made to say the most; the library's files would be below the path."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setattr(stripe_logging, "STRIPE_LOG", "debug")
    monkeypatch.setattr(stripe, "log", "debug")
    monkeypatch.setattr(stripe, "enable_telemetry", True)
    monkeypatch.setattr(stripe_telemetry, "_loaded", False)
    monkeypatch.setattr(stripe_telemetry, "_cached_id", None)
    lines = io.StringIO()
    handler = logging.StreamHandler(lines)
    root, library = logging.getLogger(), logging.getLogger("stripe")
    before = root.level, library.level, library.propagate
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    library.setLevel(logging.DEBUG)
    library.propagate = True
    with structlog.testing.capture_logs() as ours:
        yield Heard(tmp_path, lines, capfd, ours)
    root.removeHandler(handler)
    root.setLevel(before[0])
    library.setLevel(before[1])
    library.propagate = before[2]


async def test_nothing_is_said_by_anybody(local: LocalProcessor, heard: Heard) -> None:
    errors: list[ProcessorError] = []
    async with stripe_at(local.url, FAST) as processor:
        made = await processor.create_customer(ACCOUNT, EMAIL, "customer-of-a11ce")
        begun = await processor.create_intent(made.id, ACCOUNT, "pay-1", 500, "intent-of-pay-1")
        await processor.events_since(0)
        for kind in ("server_error", "dropped", "rate_limit"):
            local.control.faults.add(Injected.model_validate({"kind": kind, "times": 3}))
            with pytest.raises(ProcessorError) as refused:
                await processor.create_customer(ACCOUNT, EMAIL, f"key-for-{kind}")
            errors.append(refused.value)
            local.control.faults.clear()
        with pytest.raises(ProcessorError) as refused:
            await processor.create_customer(ACCOUNT, "another" + EMAIL, "customer-of-a11ce")
        errors.append(refused.value)
        shown = [repr(processor), repr(processor.problem), repr(made), repr(begun), repr(errors), *map(str, errors)]
    logging.getLogger("probe").debug("logs are heard")
    told = "\n".join([heard.all(), *shown])
    assert "logs are heard" in told
    assert not [secret for secret in (*SECRETS, begun.client_secret, local.url) if secret in told]
    assert list(heard.files.iterdir()) == []


async def test_an_outage_is_said_once(local: LocalProcessor, heard: Heard) -> None:
    async with stripe_at(local.url, FAST) as processor:
        local.control.faults.add(Injected(kind="server_error", times=None))
        for _ in range(5):
            with pytest.raises(ProcessorError):
                await processor.intent("pi_1")
        local.control.faults.clear()
        for _ in range(5):
            await processor.check()
    assert [line["event"] for line in heard.ours] == ["card_processor_failing", "card_processor_recovered"]


def test_the_library_would_say_it_all(heard: Heard) -> None:
    """What is guarded against is there: else the tests above could not fail."""
    assert stripe_telemetry.get_telemetry_id() is not None
    assert list(heard.files.iterdir()) != []
    stripe_logging.log_debug("Post details", post_data=EMAIL)  # type: ignore[no-untyped-call]
    assert EMAIL in heard.capfd.readouterr().err
    assert EMAIL in heard.lines.getvalue()


async def test_a_wrong_key_is_not_repeated_by_anything(
    local: LocalProcessor, capfd: pytest.CaptureFixture[str]
) -> None:
    async with stripe_at(local.url, secret_key="sk_test_mistaken4711") as processor:
        with pytest.raises(ProcessorError) as refused:
            await processor.check()
    said = capfd.readouterr()
    assert "4711" not in said.out + said.err + str(refused.value) + repr(processor)
