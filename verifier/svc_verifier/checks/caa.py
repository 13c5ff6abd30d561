"""CAA: who else may obtain a certificate for the host (RFC 8659, RFC 8657; attestation.md, 2.1 F 36 and hole 16)."""

import re
from collections.abc import Iterator, Mapping
from urllib.parse import urlsplit

from svc_verifier.catalogue import failed, not_made, passed, skipped, unknown
from svc_verifier.check import Check
from svc_verifier.material import CaaAnswer, CaaRecord, Missing
from svc_verifier.trust import Trust

NAME = "tls.caa"
_KEY = re.compile(r"[a-z0-9]+(?:-+[a-z0-9]+)*")
_VALUE = re.compile(r"[\x21-\x3a\x3c-\x7e]*")
"""RFC 8659 section 4.2: printable, without blank and semicolon."""


def check_caa(answer: CaaAnswer | Missing, account_uri: str | None, trust: Trust) -> Check:
    """Every record that lets somebody issue must name the attested account, exactly, at the authority that has it."""
    if trust.development_root is not None:
        return skipped(NAME, "DEV: no public authority issues for a development node")
    if isinstance(answer, Missing):
        return unknown(NAME, f"CAA could not be looked up: {answer.why}")
    if account_uri is None:
        return not_made(NAME, "evidence.account")
    evidence = {"found_at": answer.name, "dnssec": "authenticated" if answer.authenticated else "not authenticated"}
    if not any(record.tag.lower() == "issue" for record in answer.records):
        why = "no CAA record restricts who may issue certificates for the host: any authority may, for whoever passes its test"
        return unknown(NAME, why, "The operator can set CAA with accounturi.", **evidence)
    return _judged(answer.records, account_uri, evidence)


def _judged(records: tuple[CaaRecord, ...], account_uri: str, evidence: dict[str, str]) -> Check:
    problem = next(_problems(records, account_uri), "")
    if problem:
        return failed(NAME, problem, "Somebody else could obtain a certificate for the host.", **evidence)
    stranger = next(_strangers(records, account_uri), "")
    if stranger:
        why = f"{stranger!r} names the account of another authority, which it may not look at"
        return unknown(NAME, why, "Does that authority honour accounturi (RFC 8657)?", **evidence)
    return passed(NAME, **evidence, accounturi=account_uri)


def _problems(records: tuple[CaaRecord, ...], account_uri: str) -> Iterator[str]:
    for what, issuer, parameters in _permissions(records):
        if parameters is None:
            yield f"the record {what!r} cannot be read"
        elif issuer and parameters.get("accounturi") != account_uri:
            yield f"the record {what!r} lets other accounts issue"
        elif issuer and not parameters.get("validationmethods"):
            yield f"the record {what!r} allows every validation method"


def _strangers(records: tuple[CaaRecord, ...], account_uri: str) -> Iterator[str]:
    """Issuers under whose name the account does not lie: an authority ignores parameters that it does not know."""
    try:
        authority = urlsplit(account_uri).hostname or ""
    except ValueError:
        authority = ""
    for _, issuer, _ in _permissions(records):
        if issuer and authority != issuer and not authority.endswith(f".{issuer}"):
            yield issuer


def _permissions(records: tuple[CaaRecord, ...]) -> Iterator[tuple[str, str, Mapping[str, str] | None]]:
    """Each issue and issuewild record as shown, its issuer in lower case (empty: nobody may), and its parameters."""
    for record in records:
        if record.tag.lower() in {"issue", "issuewild"}:
            yield f"{record.tag} {record.value[:100]}", *_parsed(record.value)


def _parsed(value: str) -> tuple[str, Mapping[str, str] | None]:
    """The issuer and its parameters; None for parameters that cannot be read without doubt, or that come twice.

    Names of parameters count in lower case alone: whether an authority takes `AccountURI` for `accounturi` is its choice.
    """
    issuer, *rest = value.split(";")
    parameters: dict[str, str] = {}
    for part in (piece.strip(" \t") for piece in rest):
        if not part:
            continue
        key, separator, content = part.partition("=")
        key, content = key.strip(" \t"), content.strip(" \t")
        if not separator or key in parameters or not _KEY.fullmatch(key) or not _VALUE.fullmatch(content):
            return issuer.strip(" \t").lower(), None
        parameters[key] = content
    return issuer.strip(" \t").lower(), parameters
