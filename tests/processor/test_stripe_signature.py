"""Only what the processor signed lately is believed."""

import hashlib
import hmac

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stripe import WebhookSignature

from node.processor.events import require_signed
from node.processor.port import Fault, ProcessorError

NOW = 1_800_000_000
OLD, NEW = "whsec_old12345", "whsec_new12345"
BODY = '{"id":"evt_1","amount":"4€"}'


def header(body: str, secret: str, at: int = NOW) -> str:
    """By the processor's own library."""
    made: str = WebhookSignature.generate_signature_header(body, secret, at)
    return made


def refusal(body: bytes, head: str, *secrets: str, now: float = NOW) -> str:
    with pytest.raises(ProcessorError) as refused:
        require_signed(body, head, secrets or (NEW,), now)
    assert refused.value.fault is Fault.BAD_SIGNATURE
    return refused.value.reason


@given(st.text(max_size=300), st.integers(-300, 300))
def test_what_the_library_signs_passes_within_the_tolerance(body: str, skew: int) -> None:
    body = body.encode("utf-8", "replace").decode()
    require_signed(body.encode(), header(body, NEW), [NEW], NOW + skew)


@given(st.binary(max_size=64), st.integers(0, 1 << 16))
def test_a_body_that_differs_in_a_bit_does_not_pass(body: bytes, place: int) -> None:
    signed = b"x" + body
    changed = bytearray(signed)
    changed[place % len(signed)] ^= 1 << (place % 8)
    made = header(signed.decode("latin-1"), NEW).partition(",")[0]
    digest = _sign(signed)
    require_signed(signed, f"{made},v1={digest}", [NEW], NOW)
    refusal(bytes(changed), f"{made},v1={digest}")


def _sign(body: bytes) -> str:
    return hmac.new(NEW.encode(), f"{NOW}.".encode() + body, hashlib.sha256).hexdigest()


@pytest.mark.parametrize("now", [NOW + 301, NOW - 301])
def test_an_old_call_and_one_of_the_future_are_refused(now: float) -> None:
    assert "ago" in refusal(BODY.encode(), header(BODY, NEW), now=now)


def test_the_time_is_under_the_signature() -> None:
    refusal(BODY.encode(), header(BODY, NEW).replace(str(NOW), str(NOW + 5)))


def test_while_secrets_are_exchanged_either_side_may_have_two() -> None:
    both = header(BODY, OLD) + ",v1=" + header(BODY, NEW).rpartition("=")[2]
    for secrets in ([OLD], [NEW], [OLD, NEW]):
        require_signed(BODY.encode(), both, secrets, NOW)
    require_signed(BODY.encode(), header(BODY, OLD), [NEW, OLD], NOW)
    refusal(BODY.encode(), header(BODY, OLD), NEW)


def test_of_two_times_none_is_taken() -> None:
    signed = header(BODY, NEW)
    for head in (f"{signed},t={NOW + 1000}", f"t={NOW - 1000},{signed}", f"{signed},t={NOW}"):
        refusal(BODY.encode(), head)


def test_another_scheme_is_no_signature() -> None:
    refusal(BODY.encode(), header(BODY, NEW).replace("v1=", "v0="))


@pytest.mark.parametrize(
    "head",
    [
        "",
        "t=,v1=",
        f"t={NOW}",
        "v1=" + "0" * 64,
        f"t={NOW},t={NOW},v1=" + "0" * 64,
        f"t=-1,v1={'0' * 64}",
        f"t=١٢٣,v1={'0' * 64}",
        f"t={NOW},v1=é{'0' * 63}",
        f"t={NOW},v1={'0' * 63}",
        "t=9" * 2000,
        f"t={'9' * 5000},v1={'0' * 64}",
        "\0",
    ],
)
def test_headers_that_are_none(head: str) -> None:
    refusal(BODY.encode(), head)


@given(st.binary(max_size=80), st.text(max_size=120))
def test_whatever_comes_is_refused_with_our_error(body: bytes, head: str) -> None:
    refusal(body, head)
