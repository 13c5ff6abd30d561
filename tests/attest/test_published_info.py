"""What strangers see of the platform's Info: what verifies, byte for byte, and nothing a newer agent adds."""

import hashlib
import json
from typing import Any

import pytest

from attest.errors import AttestError, AttestErrorCode
from attest.responses import Info, published_info

COMPOSE = '{ "docker_compose_file": "services: {}\\n",\r\n "name": "größe" }'
SECRET = "s3cret"
EVENTS = [
    {"imr": 0, "event_type": 4, "digest": "AA" * 48, "event": "", "event_payload": ""},
    {
        "imr": 3,
        "event_type": 134217729,
        "digest": "",
        "event": "x",
        "event_payload": "00",
        "version": 2,
        "preimage": "7b",
    },
]


def info(**changes: Any) -> Info:
    tcb: dict[str, Any] = {
        "mrtd": "01" * 48,
        **{f"rtmr{n}": f"0{n}" * 48 for n in range(4)},
        "compose_hash": hashlib.sha256(COMPOSE.encode()).hexdigest(),
        "app_compose": COMPOSE,
        "event_log": EVENTS,
        "private": SECRET,
    }
    whole = {
        "app_id": "0xAA" + "00" * 19,
        "instance_id": "",
        "tcb_info": json.dumps(tcb),
        "app_cert": SECRET,
        "env": SECRET,
    }
    return Info.model_validate(whole | changes)


def test_it_is_an_allow_list_and_the_compose_text_is_untouched() -> None:
    shown = published_info(info())
    tcb = shown["tcb_info"]
    assert isinstance(tcb, dict)
    assert tcb["app_compose"] == COMPOSE
    assert shown["compose_hash"] == hashlib.sha256(COMPOSE.encode()).hexdigest() == tcb["compose_hash"]
    assert shown["app_id"] == "aa" + "00" * 19
    assert SECRET not in json.dumps(shown)


def test_events_keep_their_register_and_what_the_platform_left_empty() -> None:
    tcb = published_info(info())["tcb_info"]
    assert isinstance(tcb, dict)
    assert tcb["event_log"] == [{**EVENTS[0], "digest": "aa" * 48}, EVENTS[1]]


@pytest.mark.parametrize("changes", [{"compose_hash": "00" * 32}])
def test_two_compose_hashes_are_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(AttestError) as refused:
        published_info(info(**changes))
    assert refused.value.code is AttestErrorCode.MALFORMED_ANSWER


def test_a_compose_text_of_another_hash_is_refused() -> None:
    tcb = json.loads(info().model_dump_json(include={"tcb_info": {"app_compose"}}))["tcb_info"]
    assert tcb["app_compose"] == COMPOSE
    forged = info()
    forged = forged.model_copy(update={"tcb_info": forged.tcb_info.model_copy(update={"app_compose": COMPOSE + " "})})
    with pytest.raises(AttestError) as refused:
        published_info(forged)
    assert refused.value.code is AttestErrorCode.MALFORMED_ANSWER
