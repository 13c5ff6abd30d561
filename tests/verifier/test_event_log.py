"""Real logs replay to their quote; every known way of forging one (test_holes.py) is refused."""

import copy
import hashlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc_verifier.errors import VerifierError, VerifierErrorCode
from svc_verifier.formats.event_log import (
    EventLogLimits,
    boot_identity,
    parse_event_log,
    parse_events,
    replay,
    runtime_digest,
)
from svc_verifier.formats.quote import parse_quote
from tests.support import tdx
from tests.support.fixtures import (
    LOGS_WITH_QUOTE,
    LOGS_WITH_TCB_INFO,
    ExpectedQuote,
    expected_quotes,
    needs_fixtures,
    quote_bytes,
    read_json,
)

PROJECT = Path(__file__).resolve().parents[2]


def _expected(name: str) -> ExpectedQuote:
    return next(row for row in expected_quotes("TDX") if row["fixture"] == name)


@needs_fixtures
@pytest.mark.parametrize("name", LOGS_WITH_QUOTE)
def test_a_real_log_replays_to_its_quote(name: str) -> None:
    events, row = parse_event_log(read_json(name)["event_log"]), _expected(name)
    assert replay(events) == parse_quote(quote_bytes(name)).report.rtmrs
    identity = boot_identity(events)
    assert identity.compose_hash.hex() == row["compose_hash"]
    assert list(identity.application_events) == row["app_events_after_system_ready"]
    boot = [event.name for event in events if event.is_runtime][: len(row["boot_events"])]
    assert boot == row["boot_events"]
    assert [sum(event.register == imr for event in events) for imr in range(4)] == row["event_count_per_imr"]


@needs_fixtures
@pytest.mark.parametrize("name", LOGS_WITH_TCB_INFO)
def test_a_real_tcb_info_replays_to_its_registers(name: str) -> None:
    tcb_info = read_json(name)
    events = parse_events(tcb_info["event_log"])
    assert [register.hex() for register in replay(events)] == [tcb_info[f"rtmr{n}"] for n in range(4)]
    assert boot_identity(events).compose_hash.hex() == tcb_info["compose_hash"]


@needs_fixtures
def test_a_real_tcb_info_replays_to_its_quote() -> None:
    events = parse_events(read_json("near-mpc/test-utils-tcb_info.json")["event_log"])
    assert replay(events) == parse_quote(quote_bytes("near-mpc/test-utils-quote.json")).report.rtmrs


def _real_log(name: str) -> list[dict[str, Any]]:
    log: list[dict[str, Any]] = json.loads(read_json(name)["event_log"])
    return log


def _index(log: list[dict[str, Any]], name: str) -> int:
    return next(index for index, event in enumerate(log) if event["event"] == name)


@needs_fixtures
@pytest.mark.parametrize("name", LOGS_WITH_QUOTE)
class TestForgeries:
    """Attacks on real logs that leave what other verifiers replay unchanged."""

    def test_payload_swapped_under_the_old_digest(self, name: str) -> None:
        log, honest = _real_log(name), parse_event_log(read_json(name)["event_log"])
        position = _index(log, "compose-hash")
        log[position] |= {"event_payload": "ee" * 32, "digest": honest[position].digest.hex()}
        with pytest.raises(VerifierError) as refused:
            parse_events(log)
        assert refused.value.code is VerifierErrorCode.DIGEST_MISMATCH

    def test_payload_swapped_without_a_digest_no_longer_replays(self, name: str) -> None:
        log = _real_log(name)
        log[_index(log, "compose-hash")] |= {"event_payload": "ee" * 32, "digest": ""}
        assert replay(parse_events(log))[3] != parse_quote(quote_bytes(name)).report.rtmrs[3]

    def test_retyped_so_that_the_digest_would_be_believed(self, name: str) -> None:
        log, honest = _real_log(name), parse_event_log(read_json(name)["event_log"])
        position = _index(log, "compose-hash")
        forged = {"event_payload": "ee" * 32, "digest": honest[position].digest.hex(), "event_type": 6}
        log[position] |= forged
        with pytest.raises(VerifierError) as refused:
            parse_events(log)
        assert refused.value.code is VerifierErrorCode.WRONG_EVENT_TYPE

    def test_an_event_for_a_register_that_does_not_exist(self, name: str) -> None:
        fake = tdx.runtime_event("compose-hash", b"\xee" * 32) | {"imr": 9}
        with pytest.raises(VerifierError) as refused:
            parse_events([fake, *_real_log(name)])
        assert refused.value.code is VerifierErrorCode.BAD_REGISTER

    def test_a_runtime_event_hidden_in_another_register(self, name: str) -> None:
        fake = tdx.runtime_event("compose-hash", b"\xee" * 32) | {"imr": 0, "digest": "00" * 48}
        with pytest.raises(VerifierError) as refused:
            parse_events([fake, *_real_log(name)])
        assert refused.value.code is VerifierErrorCode.WRONG_EVENT_TYPE

    def test_an_event_after_system_ready_changes_no_identity(self, name: str) -> None:
        log = _real_log(name)
        before = boot_identity(parse_events(log))
        log.append(tdx.runtime_event("compose-hash", b"\xee" * 32))
        after = boot_identity(parse_events(log))
        assert after.compose_hash == before.compose_hash
        assert after.application_events == (*before.application_events, "compose-hash")

    def test_leaving_an_event_out_no_longer_replays(self, name: str) -> None:
        log, rtmrs = _real_log(name), parse_quote(quote_bytes(name)).report.rtmrs
        for index in range(len(log)):
            assert replay(parse_events(log[:index] + log[index + 1 :])) != rtmrs


@pytest.mark.parametrize("event", [tdx.runtime_event, tdx.runtime_event_v2])
def test_stated_and_stripped_digests_replay_alike(event: Any) -> None:
    whole = event('naïve "x" \\ \n', b"\x00\xff")
    stripped = {**whole, "digest": ""}
    version = whole.get("version", 1)
    digest = runtime_digest('naïve "x" \\ \n', b"\x00\xff", version)
    stated = {**whole, "digest": digest.hex().upper()}
    assert replay(parse_events([stripped])) == replay(parse_events([stated]))
    assert replay(parse_events([stated]))[3] == hashlib.sha384(bytes(48) + digest).digest()


def test_version_2_is_the_rfc_8785_form() -> None:
    expected = hashlib.sha384('{"name":"a\\"é","payload":"00ff","type":134217729}'.encode()).digest()
    assert runtime_digest('a"é', b"\x00\xff", 2) == expected


def test_versions_may_be_mixed() -> None:
    log = [tdx.runtime_event("one", b"1"), tdx.runtime_event_v2("two", b"2")]
    events = parse_events(log)
    assert [event.version for event in events] == [1, 2]


@pytest.mark.parametrize(
    "change",
    [
        {"preimage": None},
        {"preimage": "00"},
        {"event_payload": "02", "digest": ""},
        {"event": "other", "digest": ""},
    ],
)
def test_a_version_2_preimage_that_is_not_the_events_is_refused(change: dict[str, object]) -> None:
    event = {key: value for key, value in (tdx.runtime_event_v2("n", b"\x01") | change).items() if value is not None}
    with pytest.raises(VerifierError) as refused:
        parse_events([event])
    assert refused.value.code in {VerifierErrorCode.DIGEST_MISMATCH, VerifierErrorCode.TOO_LARGE}


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"imr": True}, VerifierErrorCode.BAD_EVENT),
        ({"imr": "3"}, VerifierErrorCode.BAD_EVENT),
        ({"imr": 3.0}, VerifierErrorCode.BAD_EVENT),
        ({"imr": None}, VerifierErrorCode.BAD_EVENT),
        ({"imr": -1}, VerifierErrorCode.BAD_REGISTER),
        ({"imr": 4}, VerifierErrorCode.BAD_REGISTER),
        ({"imr": 10**4000}, VerifierErrorCode.BAD_EVENT),
        ({"event_type": 2**32}, VerifierErrorCode.BAD_EVENT),
        ({"event_type": -1}, VerifierErrorCode.BAD_EVENT),
        ({"event_type": 4}, VerifierErrorCode.WRONG_EVENT_TYPE),
        ({"event": 5}, VerifierErrorCode.BAD_EVENT),
        ({"event": "\ud800"}, VerifierErrorCode.BAD_EVENT),
        ({"event": "n" * 257}, VerifierErrorCode.BAD_EVENT),
        ({"event_payload": "0"}, VerifierErrorCode.NOT_HEX),
        ({"event_payload": "0 00"}, VerifierErrorCode.NOT_HEX),
        ({"event_payload": None}, VerifierErrorCode.BAD_EVENT),
        ({"event_payload": "00" * 65_537}, VerifierErrorCode.TOO_LARGE),
        ({"digest": "00" * 47}, VerifierErrorCode.DIGEST_MISMATCH),
        ({"digest": "00" * 48}, VerifierErrorCode.DIGEST_MISMATCH),
        ({"digest": "00" * 49}, VerifierErrorCode.TOO_LARGE),
        ({"version": 3}, VerifierErrorCode.BAD_EVENT),
        ({"version": 0}, VerifierErrorCode.BAD_EVENT),
        ({"version": "2"}, VerifierErrorCode.BAD_EVENT),
        ({"preimage": "00"}, VerifierErrorCode.BAD_EVENT),
        ({"version": 2}, VerifierErrorCode.DIGEST_MISMATCH),
    ],
)
def test_ill_formed_events_are_refused(change: dict[str, object], code: VerifierErrorCode) -> None:
    with pytest.raises(VerifierError) as refused:
        parse_events([tdx.runtime_event("name", b"payload") | change])
    assert refused.value.code is code


def test_a_firmware_event_needs_its_digest() -> None:
    for digest in ("", "00" * 47):
        with pytest.raises(VerifierError) as refused:
            parse_events([{"imr": 0, "event_type": 4, "digest": digest, "event": "", "event_payload": ""}])
        assert refused.value.code is VerifierErrorCode.BAD_EVENT


@pytest.mark.parametrize("text", ["", "{}", "null", "[", "[1", '[{"imr": 3, "imr": 0}]', "NaN"])
def test_texts_that_are_no_log(text: str) -> None:
    with pytest.raises(VerifierError) as refused:
        parse_event_log(text)
    assert refused.value.code is VerifierErrorCode.NOT_JSON


def test_logs_are_bounded() -> None:
    for log, limits in (
        ("[" * 100_000, EventLogLimits()),
        ('[{"a":' * 50_000, EventLogLimits()),
        ('["\\"[",' + "[" * 16 + "]" * 17, EventLogLimits()),
        ("[" + " " * 100 + "]", EventLogLimits(text_bytes=50)),
        ("1" * 5000, EventLogLimits()),
        (json.dumps([tdx.runtime_event("x")] * 3), EventLogLimits(events=2)),
        (json.dumps([tdx.runtime_event("x", b"123")]), EventLogLimits(payload_bytes=2)),
    ):
        with pytest.raises(VerifierError) as refused:
            parse_event_log(log, limits)
        assert refused.value.code is VerifierErrorCode.TOO_LARGE


def test_brackets_in_texts_are_no_nesting() -> None:
    log = [tdx.runtime_event('[{"' * 80 + "\\")]
    assert parse_event_log(json.dumps(log))[0].name.startswith('[{"')


def test_a_raised_recursion_limit_does_not_let_a_log_kill_the_process() -> None:
    script = (
        "import sys; sys.setrecursionlimit(100_000)\n"
        "from svc_verifier.formats.event_log import parse_event_log\n"
        "from svc_verifier.errors import VerifierError\n"
        "for text in ('[' * 1_000_000, '{\"a\":' * 100_000):\n"
        "    try: parse_event_log(text)\n"
        "    except VerifierError as error: print(error.code)\n"
    )
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, cwd=PROJECT)
    assert (ran.returncode, ran.stdout) == (0, "too_large\ntoo_large\n")


def test_an_empty_log_leaves_the_registers_zero() -> None:
    assert replay(parse_event_log("[]")) == (bytes(48),) * 4


def _boot(change: Any) -> list[dict[str, object]]:
    log = copy.deepcopy(tdx.boot_log())
    change(log)
    return log


def test_a_boot_log_gives_its_identity() -> None:
    identity = boot_identity(parse_events(tdx.boot_log()))
    assert identity.app_id == b"\xaa" * 20
    assert identity.compose_hash == b"\xbb" * 32
    assert identity.instance_id == b"\xcc" * 20
    assert identity.os_image_hash is None


def test_an_init_script_may_repeat() -> None:
    log = _boot(lambda log: log.__setitem__(slice(6, 6), [tdx.runtime_event("init-script-hash", b"x")] * 2))
    assert boot_identity(parse_events(log)).app_id == b"\xaa" * 20


@pytest.mark.parametrize(
    "change",
    [
        lambda log: log.pop(),
        lambda log: log.pop(4),
        lambda log: log.pop(5),
        lambda log: log.pop(6),
        lambda log: log.pop(8),
        lambda log: log.insert(4, log[5]),
        lambda log: log.insert(5, log[4]),
        lambda log: log.insert(5, tdx.runtime_event("app-id", b"\xee" * 20)),
        lambda log: log.insert(6, tdx.runtime_event("compose-hash", b"\xee" * 32)),
        lambda log: log.insert(4, tdx.runtime_event("system-ready")),
        lambda log: log.insert(5, tdx.runtime_event("harmless")),
        lambda log: log.insert(5, tdx.runtime_event("app-id:x", b"y")),
        lambda log: log.insert(5, tdx.runtime_event("")),
        lambda log: log.clear(),
    ],
)
def test_a_boot_out_of_order_is_refused(change: Any) -> None:
    with pytest.raises(VerifierError) as refused:
        boot_identity(parse_events(_boot(change)))
    assert refused.value.code is VerifierErrorCode.BAD_BOOT_ORDER


@pytest.mark.parametrize(("position", "payload"), [(4, "aa" * 19), (5, "bb" * 31), (6, "cc"), (9, "00")])
def test_an_identity_of_the_wrong_length_is_refused(position: int, payload: str) -> None:
    log = _boot(lambda log: log[position].update(event_payload=payload))
    with pytest.raises(VerifierError) as refused:
        boot_identity(parse_events(log))
    assert refused.value.code is VerifierErrorCode.BAD_EVENT


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.binary(max_size=50).map(bytes.hex),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
events_of_sorts = st.fixed_dictionaries(
    {},
    optional={
        "imr": st.integers(0, 3) | json_values,
        "event_type": st.sampled_from([tdx.RUNTIME, 4]) | json_values,
        "digest": st.just("") | json_values,
        "event": st.sampled_from(["app-id", "system-ready"]) | json_values,
        "event_payload": st.binary(max_size=33).map(bytes.hex) | json_values,
        "version": st.sampled_from([1, 2]) | json_values,
        "preimage": json_values,
    },
)


@given(items=st.lists(events_of_sorts | json_values, max_size=6))
def test_arbitrary_events_are_read_or_a_verifier_error(items: list[object]) -> None:
    try:
        events = parse_event_log(json.dumps(items))
        replay(events)
        boot_identity(events)
    except VerifierError:
        return


@given(text=st.text(max_size=200))
def test_arbitrary_text_is_read_or_a_verifier_error(text: str) -> None:
    try:
        parse_event_log(text)
    except VerifierError:
        return
