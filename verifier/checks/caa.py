"""CAA: who else may obtain a certificate for the host (RFC 8659, RFC 8657; attestation.md, 2.1 F 36 and hole 16)."""

from collections.abc import Iterator, Mapping

from verifier.catalogue import failed, passed, skipped, unknown
from verifier.check import Check
from verifier.material import CaaAnswer, CaaRecord, Missing
from verifier.trust import Trust

NAME = "tls.caa"
CRITICAL = 128
_KNOWN = frozenset({"issue", "issuewild", "iodef", "contactemail", "contactphone", "issuemail", "issuevmc"})


def check_caa(answer: CaaAnswer | Missing, account_uri: str | None, trust: Trust) -> Check:
    """Every record that lets somebody issue must name the attested account, exactly."""
    if trust.development_root is not None:
        return skipped(NAME, "DEV: no public authority issues for a development node")
    if isinstance(answer, Missing):
        return unknown(NAME, f"CAA could not be looked up: {answer.why}")
    if account_uri is None:
        return unknown(NAME, "it rests on evidence.account, which did not pass")
    evidence = {"found_at": answer.name, "dnssec": "authenticated" if answer.authenticated else "not authenticated"}
    if not any(record.tag.lower() == "issue" for record in answer.records):
        why = "no CAA record restricts who may issue certificates for the host: any authority may, for whoever passes its test"
        return unknown(NAME, why, "The operator can set CAA with accounturi.", **evidence)
    problem = next(_problems(answer.records, account_uri), "")
    if problem:
        return failed(NAME, problem, "Somebody else could obtain a certificate for the host.", **evidence)
    return passed(NAME, **evidence, accounturi=account_uri)


def _problems(records: tuple[CaaRecord, ...], account_uri: str) -> Iterator[str]:
    for record in records:
        tag = record.tag.lower()
        if record.flags & CRITICAL and tag not in _KNOWN:
            continue  # an authority must refuse to issue where it meets one it does not know
        if tag not in {"issue", "issuewild"}:
            continue
        issuer, parameters = _parsed(record.value)
        if not issuer:
            continue  # nobody may
        if parameters is None:
            yield f"the {tag} record {record.value[:100]!r} cannot be read"
        elif parameters.get("accounturi") != account_uri:
            yield f"the {tag} record {record.value[:100]!r} lets other accounts issue"
        elif not parameters.get("validationmethods"):
            yield f"the {tag} record {record.value[:100]!r} allows every validation method"


def _parsed(value: str) -> tuple[str, Mapping[str, str] | None]:
    """The issuer and its parameters; None for parameters that cannot be read, or that come twice."""
    issuer, *rest = value.split(";")
    parameters: dict[str, str] = {}
    for part in (piece.strip() for piece in rest):
        if not part:
            continue
        key, separator, content = part.partition("=")
        if not separator or key.strip().lower() in parameters:
            return issuer.strip(), None
        parameters[key.strip().lower()] = content.strip()
    return issuer.strip(), parameters
