"""Sessions whose connections are verified before the first request."""

from svc_verifier.session.attestation import DEFAULT_LIMITS, SessionLimits, boot_time_s
from svc_verifier.session.connector import NoAnswerError
from svc_verifier.session.requests import AttestedSession, Response, Streamed, attested_session
from svc_verifier.session.verification import NotAcceptedError, Verification, look

__all__ = [
    "DEFAULT_LIMITS",
    "AttestedSession",
    "NoAnswerError",
    "NotAcceptedError",
    "Response",
    "SessionLimits",
    "Streamed",
    "Verification",
    "attested_session",
    "boot_time_s",
    "look",
]
