"""Error of `attest`, with a closed set of codes. No error of a library leaves the package."""

from enum import StrEnum


class AttestErrorCode(StrEnum):
    """Kinds of failure between the node and the TEE platform."""

    UNREACHABLE = "unreachable"
    """Nothing listens at the endpoint, or the connection broke."""

    TIMEOUT = "timeout"
    """The guest agent did not respond in full within its deadline."""

    REFUSED = "refused"
    """The guest agent responded with an error of its own."""

    MALFORMED_ANSWER = "malformed_answer"
    """The response is no JSON, lacks a field, or holds a value of the wrong shape."""

    ANSWER_TOO_LARGE = "answer_too_large"
    """The response is longer than the limit."""

    BUSY = "busy"
    """Too many quotes are pending."""

    BAD_REQUEST = "bad_request"
    """The caller asked for something that the platform cannot do."""

    BAD_KEY_CHAIN = "bad_key_chain"
    """The signature chain of a key does not hold."""

    CERTIFICATE = "certificate"
    """A certificate or its key is damaged, of another name, or not of one pair."""

    ACME = "acme"
    """The certificate authority is out of reach, refused, or sent an invalid response."""

    SIMULATOR = "simulator"
    """The simulator cannot start from what is in its directory."""


class AttestError(Exception):
    """Root of every error of this package. Its message has no secret and suits an operator's log.

    `retry_after_s` is the pause in whole seconds that the queue or the authority asks for.
    """

    def __init__(self, code: AttestErrorCode, message: str, *, retry_after_s: int | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.retry_after_s = retry_after_s
