"""What of the platform's `Info` is shown to anybody: an allow-list, since newer agents may tell more (pure)."""

import hashlib
from collections.abc import Mapping

from pydantic import JsonValue

from attest.answers import Info, LogEvent, TcbInfo
from attest.errors import AttestError, AttestErrorCode


def published_info(info: Info) -> Mapping[str, JsonValue]:
    """The answer of `/info`: hex without 0x, `tcb_info` an object, `app_compose` byte for byte.

    Raises AttestError(MALFORMED_ANSWER) when the compose text is not the one whose hash is stated: then every other
    word of the answer is worth nothing either.
    """
    tcb = info.tcb_info
    if hashlib.sha256(tcb.app_compose.encode()).digest() != tcb.compose_hash:
        raise AttestError(AttestErrorCode.MALFORMED_ANSWER, "Info: the compose text has another hash than stated.")
    if info.compose_hash not in {b"", tcb.compose_hash}:
        raise AttestError(AttestErrorCode.MALFORMED_ANSWER, "Info: two compose hashes are stated.")
    return {
        "app_id": info.app_id.hex(),
        "instance_id": info.instance_id.hex(),
        "app_name": info.app_name,
        "compose_hash": tcb.compose_hash.hex(),
        "os_image_hash": (info.os_image_hash or tcb.os_image_hash).hex(),
        "mr_aggregated": (info.mr_aggregated or tcb.mr_aggregated).hex(),
        "device_id": (info.device_id or tcb.device_id).hex(),
        "key_provider_info": info.key_provider_info,
        "vm_config": info.vm_config,
        "tcb_info": _tcb_info(tcb),
    }


def _tcb_info(tcb: TcbInfo) -> dict[str, JsonValue]:
    return {
        "mrtd": tcb.mrtd.hex(),
        "rtmr0": tcb.rtmr0.hex(),
        "rtmr1": tcb.rtmr1.hex(),
        "rtmr2": tcb.rtmr2.hex(),
        "rtmr3": tcb.rtmr3.hex(),
        "mr_aggregated": tcb.mr_aggregated.hex(),
        "os_image_hash": tcb.os_image_hash.hex(),
        "compose_hash": tcb.compose_hash.hex(),
        "device_id": tcb.device_id.hex(),
        "app_compose": tcb.app_compose,
        "event_log": [_event(event) for event in tcb.event_log],
    }


def _event(event: LogEvent) -> dict[str, JsonValue]:
    shown: dict[str, JsonValue] = {
        "imr": event.imr,
        "event_type": event.event_type,
        "digest": event.digest.hex(),
        "event": event.event,
        "event_payload": event.event_payload.hex(),
    }
    if event.version is not None:
        shown["version"] = event.version
    if event.preimage is not None:
        shown["preimage"] = event.preimage.hex()
    return shown
