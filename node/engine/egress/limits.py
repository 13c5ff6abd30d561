"""Limits of outbound requests (decisions.md section 6)."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class EgressLimits:
    """What the node enforces on `fetch`; every field is a setting."""

    requests: int = 50
    """Calls of one action to `fetch`; the next one ends it. Redirects are not counted, but bounded below."""
    concurrent_requests: int = 6
    """Requests of one action on their way at a time; further ones wait."""
    timeout_s: float = 30.0
    """One call of `fetch`, from its turn to the last byte: name, connections, redirects and body together."""
    redirects: int = 5
    """Redirects one call follows."""
    url_characters: int = 8_192
    """A URL, also one of a redirect."""
    request_headers: int = 64
    """Headers of a request."""
    request_header_bytes: int = 16 * 1024
    """Names and values of a request's headers together."""
    request_body_bytes: int = 3 * 1024 * 1024
    """Body of a request; as base64 it must fit into `action_frame_bytes`."""
    response_headers: int = 100
    """Headers of an answer."""
    response_header_bytes: int = 8_192
    """A single header of an answer, and its status line."""
    response_body_bytes: int = 10 * 1024 * 1024
    """Body of an answer, counted as it arrives and again after decompression."""
    held_bytes_per_account: int = 32 * 1024 * 1024
    """Bodies on their way to the actions of one account at a time: being received, or not yet read by the action."""
    held_bytes: int = 192 * 1024 * 1024
    """The same of all accounts. On its last way to the action a body takes some four times its size."""
    reading_cpu_s_per_action: float = 2.0
    """Processor time of taking answers apart: 10 MiB take some 0.01 s as plain bytes, 0.03 s compressed."""
    lookups: int = 64
    """Names looked up at a time, each in a thread."""
    lookups_per_account: int = 16
    """The same for one account: a name server of its own can make each take half a minute, whoever still waits."""
    sockets: int = 1_024
    """Connections of all actions that are open at a time, at most a sixth of the process's descriptors."""
    sockets_per_account: int = 96
    """The same of one account."""
