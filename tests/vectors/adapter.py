"""Holds verifiers against each other: anything that reads JSON on standard input and answers by its exit code.

    python tests/vectors/adapter.py run -- COMMAND…   give our vectors to COMMAND, one process each
    python tests/vectors/adapter.py judge             be such a COMMAND: `svc-verify` answers for one input

README.md beside this file describes input and answer. Only Python's standard library is needed, and for `judge`
`svc-verify` beside this interpreter or on the path.
"""

import argparse
import base64
import binascii
import json
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent
FIXTURES = FOLDER.parents[2] / "shared" / "fixtures"
ACCEPTED, REJECTED, UNDECIDED, MALFORMED = 0, 10, 20, 30
LIMIT_BYTES = 33_554_432
TIMEOUT_S = 60.0
"""Of one process: real verifiers take milliseconds."""

CANNOT_RUN = 126
"""From here on an exit code says that the command did not run, or was killed."""

UNDECIDED_ERRORS = frozenset({"unsupported_version", "unsupported_body", "unsupported_signature"})
"""Codes of `svc_verifier.errors` for a form newer than the verifier."""

TIMES = ("now_s", "now", "time", "timestamp", "verification_time")
ROOTS = ("root", "root_ca", "trusted_root")


def main() -> int:
    """The exit code of `run` or `judge`."""
    parser = argparse.ArgumentParser(prog="adapter.py")
    commands = parser.add_subparsers(dest="command", required=True)
    run = commands.add_parser("run", help="give our vectors to another verifier")
    run.add_argument("--only", default="hardware/*", help="vectors as STAGE/NAME with wildcards [default: hardware/*]")
    run.add_argument("verifier", nargs="+", help="the command, behind --")
    commands.add_parser("judge", help="read one input, answer by the exit code")
    options = parser.parse_args()
    return judge() if options.command == "judge" else hold(options.only, options.verifier)


def hold(only: str, verifier: Sequence[str]) -> int:
    """0 when the verifier accepts and refuses what it should, 1 when not; each difference is a line."""
    differences = total = 0
    for name, given, accept in vectors(only):
        total += 1
        try:
            ran = subprocess.run(
                verifier, input=json.dumps(given).encode(), capture_output=True, timeout=TIMEOUT_S, check=False
            )
            code = ran.returncode
        except subprocess.TimeoutExpired:
            code = CANNOT_RUN
        if code < 0 or code >= CANNOT_RUN:
            say(f"{name}: did not answer (exit code {code})")
        elif (code == 0) != accept:
            say(f"{name}: {'accepts what is to be refused' if code == 0 else f'refuses ({code}) what is good'}")
        else:
            continue
        differences += 1
    say(f"{total} vectors, {differences} differences")
    return 1 if differences or not total else 0


def say(line: str) -> None:
    """One line of the answer."""
    sys.stdout.write(f"{line}\n")


def vectors(only: str) -> Iterator[tuple[str, Mapping[str, Any], bool]]:
    """Name, whole input and whether a verifier is to accept it. Vectors of real data are left out where that is absent."""
    for path in sorted(FOLDER.glob("*/*/manifest.json")):
        manifest, folder = json.loads(path.read_text()), path.parent
        name = f"{folder.parent.name}/{folder.name}"
        if not fnmatch(name, only) or ("needs" in manifest and not FIXTURES.is_dir()):
            continue
        given = json.loads((folder / "input.json").read_text())
        if "base" in manifest:
            given = merged(json.loads((FOLDER / manifest["base"]).read_text()), given)
        expected = json.loads((folder / "expected.json").read_text())
        accept = not (expected.get("failed") or expected.get("unknown") or expected.get("error"))
        yield name, {"stage": manifest["stage"], **resolved(given)}, accept


def merged(base: Any, patch: Any) -> Any:
    """RFC 7396."""
    if not isinstance(patch, dict):
        return patch
    target = dict(base) if isinstance(base, dict) else {}
    for key, value in patch.items():
        if value is None:
            target.pop(key, None)
        else:
            target[key] = merged(target.get(key), value)
    return target


def resolved(given: Any) -> Any:
    """With the real data that it names in its place."""
    if isinstance(given, dict) and set(given) == {"fixture", "as"}:
        data = (FIXTURES / given["fixture"]).read_bytes()
        if given["as"] == "event_log":
            return json.loads(data)["event_log"]
        return quote_of(given["fixture"], data) if given["as"] == "quote" else data.decode()
    if isinstance(given, dict):
        return {key: resolved(value) for key, value in given.items()}
    return given


def quote_of(name: str, data: bytes) -> str:
    """A quote in hex out of a file of any form."""
    if name.endswith(".hex"):
        return data.decode().strip().removeprefix("0x")
    if not name.endswith(".json"):
        return data.hex()
    read = json.loads(data)
    return bytes(read).hex() if isinstance(read, list) else str(read["quote"])


def judge() -> int:
    """Accepted 0, rejected 10, undecided 20; 30 for an input that is none."""
    try:
        stage, given = normal(json.loads(sys.stdin.buffer.read(LIMIT_BYTES)))
    except (ValueError, TypeError, RecursionError) as error:
        sys.stderr.write(f"the input is none: {error}\n")
        return MALFORMED
    command = [sys.executable, "-m", "svc_verifier", "plumbing", f"verify-{stage}"]
    ran = subprocess.run(command, input=json.dumps(given).encode(), capture_output=True, timeout=TIMEOUT_S, check=False)
    if ran.returncode != 0:
        sys.stderr.write(ran.stderr.decode(errors="replace"))
        return ran.returncode
    result = json.loads(ran.stdout)
    say(json.dumps(result))
    if "error" in result:
        return UNDECIDED if result["error"] in UNDECIDED_ERRORS else REJECTED
    found = set(result.get("checks", {}).values())
    return REJECTED if "failed" in found else UNDECIDED if "unknown" in found else ACCEPTED


def normal(given: Any) -> tuple[str, dict[str, Any]]:
    """The stage and its input in our form. Raises ValueError and TypeError."""
    if not isinstance(given, dict):
        raise TypeError("it is no object")
    read = dict(given)
    stage = read.pop("stage", "hardware")
    if not isinstance(stage, str) or not stage.isalpha():
        raise ValueError("stage is no name")
    if stage != "hardware":
        return stage, read
    moment = next((read.get(name) for name in TIMES if read.get(name) is not None), None)
    return stage, {
        "quote": hex_of(read.get("quote")),
        "collateral": read["collateral"] if isinstance(read.get("collateral"), str) else json.dumps(own(read)),
        "now_s": int(datetime.fromisoformat(moment).timestamp()) if isinstance(moment, str) else moment,
        "trust": read.get("trust") or trust_text(read.get("accepted_tcb", ["UpToDate"])),
        "root": root_of(next((read.get(name) for name in ROOTS if read.get(name)), None)),
    }


def own(read: Mapping[str, Any]) -> Any:
    """Collateral without the chain of one quote, which is refused as it would stand in for another quote's."""
    collateral = read.get("collateral")
    return {k: v for k, v in collateral.items() if k != "pck_certificate_chain"} if isinstance(collateral, dict) else {}


def hex_of(quote: Any) -> str:
    """A quote in hex from hex, base64 or a list of bytes."""
    if isinstance(quote, list):
        return bytes(quote).hex()
    if not isinstance(quote, str):
        raise TypeError("quote is neither text nor a list of bytes")
    if re.fullmatch("(0[xX])?([0-9a-fA-F]{2})*", quote):
        return quote
    try:
        return base64.b64decode(quote, validate=True).hex()
    except binascii.Error:
        return quote  # for the verifier to refuse


def root_of(root: Any) -> str | None:
    """A root in hex of its DER, from that or PEM; None stands for Intel's. Raises TypeError for anything else."""
    if root is not None and not isinstance(root, str):
        raise TypeError("root is no text")
    if root is not None and "BEGIN CERTIFICATE" in root:
        lines = [line for line in root.splitlines() if line and not line.startswith("-----")]
        return base64.b64decode("".join(lines)).hex()
    return root


def trust_text(accepted: Any) -> str:
    """A trust file that pins nothing but what a TCB may be."""
    nobody = "00" * 20
    return f'host = "nobody.invalid"\napp_id = "{nobody}"\nchain_id = 1\n[tcb]\naccepted = {json.dumps(accepted)}\n'


if __name__ == "__main__":
    sys.exit(main())
