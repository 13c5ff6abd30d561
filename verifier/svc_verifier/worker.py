"""A process that works over untrusted bytes, ended with its user or at a deadline.

Even bounded parsers and checks may take too long for the caller's event loop, and a library's fault
may have no bound. So a verification starts a process; the loop reads and writes bytes, and ends the
process at the deadline. It is `sys.executable` with this one's modules (`sys.path`), so a program
needs no guard of its main module. Without such an interpreter (an empty `sys.executable`, or one
that is no Python) every verification is undecided. Requests are pickled, since this side made them;
results are JSON and read as strictly as untrusted bytes.
"""

import asyncio
import os
import pickle
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Final, Self

from svc_verifier.check import CATALOGUE, Check, Report, Status, not_made, unknown
from svc_verifier.errors import VerifierError, VerifierErrorCode
from svc_verifier.formats.strict_json import Json, parse_json_object
from svc_verifier.material import Material, MaybeResponse, Platform
from svc_verifier.trust import Trust

ONE_THREAD: Final = {"MALLOC_ARENA_MAX": "1", "TOKIO_WORKER_THREADS": "1"}
"""Settings for one thread. More would reserve memory that the process's limit counts."""

ANSWER_BYTES: Final = 4_194_304
"""Largest result of the process. A report is some 50 kB; see `svc_verifier.check.bounded`."""

NESTING: Final = 8
LENGTH_BYTES: Final = 8
START: Final = (
    f"import sys; sys.path[:] = sys.argv[1:]; from svc_verifier.worker_process import main; main({LENGTH_BYTES})"
)
PART_BYTES: Final = 1_048_576
"""Bytes written at once, since copying a whole request would hold the event loop."""

JUDGING_S: Final = 1.5
"""Seconds to judge beyond the deadline of fetching, so that slow sources do not prevent it."""

REPLAY_S: Final = 30.0
"""Seconds to judge present material, if no option says otherwise."""


@dataclass(frozen=True, slots=True)
class Claims:
    """Unverified claims of a host, with quotes in hex and values to ask the chain about."""

    quotes: tuple[str, ...]
    compose_hash: bytes | None
    os_image_hash: bytes | None
    contract: bytes | None


@dataclass(frozen=True, slots=True)
class JudgedCollateral:
    """Collateral in its usable form and why it does not count for a quote, empty if it does.

    If `is_quote_refused`, the quote is forged whatever the collateral says.
    """

    text: str
    fault: str
    evaluation_number: int
    is_quote_refused: bool


class Worker:
    """Starts the process at the first call, or at `start`. Use it as an async context manager.

    Methods raise VerifierError(UNREACHABLE) if the process cannot start or ends early, and the
    errors of the work. A cancelled call ends the process; the next call starts another one.
    """

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
        self._ended: list[subprocess.Popen[bytes]] = []
        self._lock = asyncio.Lock()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end()
        ended, self._ended = self._ended, []
        for process in ended:
            # In a thread, since the kernel may need some time to end a large process.
            await asyncio.shield(asyncio.to_thread(process.wait))

    async def start(self) -> None:
        """Start the process, so that it is ready in time. The first call reports a failure."""
        async with self._lock:
            try:
                await self._started()
            except VerifierError:
                return

    async def claims(self, attestation: MaybeResponse, quote: MaybeResponse) -> Claims:
        """Returns the readable claims of /attestation and of the evidence set's quote."""
        read = await self._call("claims", attestation, quote)
        value = read if isinstance(read, dict) else {}
        quotes = value.get("quotes")
        return Claims(
            tuple(text for text in quotes if isinstance(text, str)) if isinstance(quotes, list) else (),
            *(
                None if value.get(name) is None else _hex(value[name])
                for name in ("compose_hash", "os_image_hash", "contract")
            ),
        )

    async def platforms(self, quotes: Sequence[str]) -> tuple[tuple[bytes, Platform], ...]:
        """Returns each readable quote as bytes, with the platform that its certificates name."""
        listed = await self._call("platforms", tuple(quotes))
        return tuple(map(_platform, listed)) if isinstance(listed, list) else ()

    async def usable_collateral(self, text: str) -> str:
        """Returns collateral without a quote's chain. Raises VerifierError(TOO_LARGE, NOT_JSON)."""
        return _text(await self._call("usable_collateral", text))

    async def assembled_collateral(self, bodies: Mapping[str, bytes], chains: Mapping[str, str]) -> str:
        """Returns a service's responses as dcap-qvl's JSON. Raises VerifierError."""
        return _text(await self._call("assembled_collateral", dict(bodies), dict(chains)))

    async def judged_collateral(
        self, quote: bytes, platform: Platform, text: str, trust: Trust, now_s: int
    ) -> JudgedCollateral:
        """Returns usable collateral and its faults for a quote at a time. Raises VerifierError."""
        key = platform.fmspc, platform.ca
        read = await self._call("judged_collateral", quote, key, text, trust, now_s)
        row: Mapping[str, Json] = read if isinstance(read, dict) else {}
        number, is_quote_refused = row.get("evaluation_number"), row.get("is_quote_refused")
        if not isinstance(number, int) or not isinstance(is_quote_refused, bool):
            raise _ended("answers in another form")
        return JudgedCollateral(_text(row.get("text")), _text(row.get("fault")), number, is_quote_refused)

    async def judge(self, material: Material, trust: Trust, until_s: float) -> Report:
        """Returns the report, all undecided without a result at `until_s` of the loop's time."""
        try:
            async with asyncio.timeout_at(until_s):
                return _report(material, trust, _checks(await self._call("verify", material, trust)))
        except TimeoutError:
            why = "what was sent could not be judged in time, and the work was ended"
            return _undecided(material, trust, why, "Give it more with --timeout; it may be made to take long.")
        except VerifierError as error:
            return _undecided(material, trust, error.message, "")

    async def _call(self, name: str, *arguments: object) -> Json:
        """Returns the result of one call; others wait."""
        request = pickle.dumps((name, arguments), protocol=5)
        async with self._lock:
            is_answered = False
            try:
                reader, writer = await self._started()
                writer.write(len(request).to_bytes(LENGTH_BYTES, "big"))
                for start in range(0, len(request), PART_BYTES):
                    writer.write(request[start : start + PART_BYTES])
                    await writer.drain()
                length = int.from_bytes(await reader.readexactly(LENGTH_BYTES), "big")
                if length > ANSWER_BYTES:
                    raise _ended("answers too much")
                answer = await reader.readexactly(length)
                is_answered = True
            except (OSError, EOFError):
                raise _ended("ended without an answer") from None
            finally:
                # Also when cancelled, since the result would be taken for that of the next call.
                if not is_answered:
                    self._end()
        read = parse_json_object(answer, "the verifier's process", ANSWER_BYTES, NESTING)
        error = read.get("error")
        if isinstance(error, list) and len(error) == 2:
            code, message = map(_text, error)
            if code in set(VerifierErrorCode):
                raise VerifierError(VerifierErrorCode(code), message)
        return read.get("value")

    async def _started(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        if self._streams is not None:
            return self._streams
        ours, theirs = socket.socketpair()
        try:
            with theirs:
                # The environment and the folder choose no loaded module. In a session of its own,
                # so that Ctrl-C reaches the program, which ends it.
                self._process = subprocess.Popen(  # noqa: ASYNC220, S603 - it returns once the interpreter is started; all of it is ours
                    [sys.executable or "", "-I", "-c", START, *filter(_is_text, sys.path)],
                    stdin=theirs.fileno(),
                    stdout=theirs.fileno(),
                    stderr=subprocess.DEVNULL,
                    env={**os.environ, **ONE_THREAD},
                    start_new_session=True,
                )
            self._streams = await asyncio.open_connection(sock=ours)
        except (OSError, ValueError):
            ours.close()
            raise _ended(f"cannot be started (sys.executable is {sys.executable!r})") from None
        return self._streams

    def _end(self) -> None:
        streams, self._streams = self._streams, None
        process, self._process = self._process, None
        if streams is not None:
            streams[1].transport.abort()
        if process is not None:
            process.kill()
            self._ended.append(process)


def judge_now(material: Material, trust: Trust, timeout_s: float = REPLAY_S) -> Report:
    """Returns the report, for a thread without an event loop; undecided after the timeout."""

    async def judge() -> Report:
        async with Worker() as worker:
            return await worker.judge(material, trust, asyncio.get_running_loop().time() + timeout_s)

    return asyncio.run(judge())


def _ended(what: str) -> VerifierError:
    return VerifierError(VerifierErrorCode.UNREACHABLE, f"the process that judges {what}")


def _report(material: Material, trust: Trust, checks: tuple[Check, ...]) -> Report:
    return Report(
        material.host,
        material.now_s,
        trust.development_root is not None,
        material.replayed,
        checks,
        imported=material.imported,
    )


def _undecided(material: Material, trust: Trust, why: str, fix: str) -> Report:
    first, *rest = CATALOGUE
    return _report(material, trust, (unknown(first, why, fix), *(not_made(name, first) for name in rest)))


def _checks(read: Json) -> tuple[Check, ...]:
    """Returns every check of the catalogue in its order. Raises VerifierError(UNREACHABLE)."""
    made = tuple(map(_check, read)) if isinstance(read, list) else ()
    if tuple(check.id for check in made) != tuple(CATALOGUE):
        raise _ended("gives no whole report")
    return made


def _check(read: Json) -> Check:
    row: Mapping[str, Json] = read if isinstance(read, dict) else {}
    name, status, evidence = _text(row.get("id")), _text(row.get("status")), row.get("evidence")
    if name not in CATALOGUE or status not in set(Status) or not isinstance(evidence, dict):
        raise _ended("gives no whole report")
    return Check(
        id=name,
        status=Status(status),
        claim=CATALOGUE[name].claim,
        evidence={key: _text(value) for key, value in evidence.items()},
        why=_text(row.get("why")),
        fix=_text(row.get("fix")),
        depends_on=_text(row.get("depends_on")),
    )


def _platform(read: Json) -> tuple[bytes, Platform]:
    row: Mapping[str, Json] = read if isinstance(read, dict) else {}
    platform = Platform(
        _text(row.get("fmspc")),
        _text(row.get("ca")),
        _hex(row.get("ppid")),
        _hex(row.get("pce_id")),
        _hex(row.get("chain_pem")),
    )
    return _hex(row.get("quote")), platform


def _text(value: Json) -> str:
    if not isinstance(value, str):
        raise _ended("answers in another form")
    return value


def _hex(value: Json) -> bytes:
    try:
        return bytes.fromhex(_text(value))
    except ValueError:
        raise _ended("answers in another form") from None


def _is_text(entry: object) -> bool:
    return isinstance(entry, str)
