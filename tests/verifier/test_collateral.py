"""Collateral that dcap-qvl takes, and of which it would be uncertain what it says."""

import contextlib
import json
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import pytest

from svc_verifier.errors import VerifierError, VerifierErrorCode
from svc_verifier.tdx.collateral import read_collateral
from tests.support.attested.look import Look
from tests.support.fuzzing.parsers import PARSERS

UTC_TIME, GENERALIZED_TIME = 0x17, 0x18

Change = Callable[[dict[str, str]], dict[str, str]]


def values(der: bytes) -> Iterator[bytes]:
    """Each DER value of a sequence's content, whole."""
    while der:
        long = der[1] & 0x7F if der[1] & 0x80 else 0
        length = int.from_bytes(der[2 : 2 + long], "big") if long else der[1]
        end = 2 + long + length
        yield der[:end]
        der = der[end:]


def content(der: bytes) -> bytes:
    """The content of one DER value."""
    return der[2 + (der[1] & 0x7F if der[1] & 0x80 else 0) :]


def sequence(*parts: bytes) -> bytes:
    joined = b"".join(parts)
    length = len(joined).to_bytes((len(joined).bit_length() + 7) // 8, "big")
    return b"\x30" + (length if len(joined) < 128 else bytes([0x80 | len(length)]) + length) + joined


def without_next_update(crl: bytes) -> bytes:
    """The list without its second time. Who signed it does not matter here."""
    signed, *rest = values(content(crl))
    parts = list(values(content(signed)))
    times = [place for place, part in enumerate(parts) if part[0] in {UTC_TIME, GENERALIZED_TIME}]
    del parts[times[1]]
    return sequence(sequence(*parts), *rest)


def endless(key: str) -> Change:
    return lambda read: read | {key: without_next_update(bytes.fromhex(read[key])).hex()}


def with_module(name: str) -> Change:
    """One module identity more, of that name and of another signer."""

    def change(read: dict[str, str]) -> dict[str, str]:
        tcb_info: dict[str, Any] = json.loads(read["tcb_info"])
        more = tcb_info["tdxModuleIdentities"][0] | {"id": name, "mrsigner": "11" * 48}
        tcb_info["tdxModuleIdentities"].append(more)
        return read | {"tcb_info": json.dumps(tcb_info)}

    return change


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (endless("root_ca_crl"), "root_ca_crl names no next update"),
        (endless("pck_crl"), "pck_crl names no next update"),
        (with_module("TDX_01"), "two TDX module identities of version 1"),
        (with_module("tdx_00"), "two TDX module identities of version 0"),
    ],
)
def test_what_has_no_end_or_two_meanings_is_refused(change: Change, said: str) -> None:
    good = Look().collateral
    read_collateral(json.dumps(good))
    with pytest.raises(VerifierError, match=said) as refused:
        read_collateral(json.dumps(change(good)))
    assert refused.value.code is VerifierErrorCode.BAD_COLLATERAL


@pytest.mark.parametrize("name", ["tcb_info", "qe_identity"])
@pytest.mark.parametrize("key", ["issueDate", "nextUpdate"])
def test_a_time_without_a_zone_is_of_no_reader_and_counts_as_over(name: str, key: str) -> None:
    good = Look().collateral
    document = json.loads(good[name])
    document[key] = document[key].removesuffix("Z")
    dated = read_collateral(json.dumps(good | {name: json.dumps(document)})).validities
    part = dated[("tcb_info", "qe_identity").index(name)]
    assert (part.from_s if key == "issueDate" else part.until_s) == -1


def test_no_collateral_makes_a_genuine_quote_a_forged_one() -> None:
    """Damaged collateral is no evidence against the host, since another party delivered it.

    `make fuzz` draws far more inputs.
    """
    judged = PARSERS["collateral, all hardware checks"]
    for number in range(150):
        with contextlib.suppress(VerifierError):
            judged.parse(judged.make(Random(number)))
