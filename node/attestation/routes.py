"""Attestation endpoints at the host's root. They need no key and cost nothing."""

from collections.abc import Callable
from typing import Final, TypeVar

from pydantic import BaseModel

from node.api.calls import Call, Document, NoInput
from node.api.errors import ErrorCode
from node.attestation.models import (
    EXAMPLE_INFO,
    Attestation,
    AttestationQuery,
    EvidenceFile,
    EvidenceSetFile,
    EvidenceSetName,
    Info,
)
from node.attestation.service import FILE_TYPES, AttestationService, EvidenceService
from node.http.endpoint import Access, AnyEndpoint, Auth, Docs, Group, Limits, Operation, Responses

_OUT: Final = frozenset({ErrorCode.TEE_UNAVAILABLE})
_ATTESTATION: Final = Group("Attestation", Access(Auth.NONE), _OUT)
_NONE: Final = frozenset({ErrorCode.NOT_FOUND})
_ETAG: Final = {"ETag": "Of the whole set: any of its files with this ETag belongs to it."}
_SET: Final = "A set holds a quote, and what ties the node's certificates to it; sha256sum.txt lists its files."
_PERMANENT_REDIRECT: Final = 308
_LISTING: Final = ("text/html",)
Input = TypeVar("Input", bound=BaseModel)


def endpoints(service: AttestationService, evidence: EvidenceService) -> list[AnyEndpoint]:
    """Returns the endpoints of quote, platform information and evidence sets."""

    async def attestation(call: Call, query: AttestationQuery) -> Document | Attestation:
        if query.nonce is None:
            return await service.zero_attestation()
        return await service.fresh_attestation(query.nonce, call.host, call.client_address)

    return [
        _ATTESTATION(
            Operation("GET", "/attestation", AttestationQuery, Attestation, attestation, host_root=True),
            Docs(
                "A quote of the TEE this node runs in",
                "Without `nonce` the report data is zero and the quote up to a minute old. With it the quote is "
                "made now, over a statement of this node's host, TLS keys, evidence, settings, account contract and admin payer.",
            ),
            # Cancelling returns the caller's place in the short queue for quotes.
            limits=Limits(cancel_on_disconnect=True),
        ),
        _ATTESTATION(
            Operation("GET", "/info", NoInput, Info, lambda _call, _: service.info(), host_root=True),
            Docs(
                "Who the platform says this TD is",
                "As the guest agent of the platform gave it; the quote is what proves it.",
                EXAMPLE_INFO,
            ),
        ),
        *_evidence(evidence),
    ]


def _evidence(evidence: EvidenceService) -> list[AnyEndpoint]:
    async def redirect(call: Call, _: NoInput) -> Document:
        # Relative (spec 12.3), since a node behind a proxy does not know its public address.
        call.headers["Location"] = "evidences/"
        return Document(b"", "text/plain; charset=utf-8")

    redirection = _ATTESTATION(
        Operation("GET", "/evidences", NoInput, str, redirect, host_root=True),
        Docs(
            "Redirects to the evidence",
            "To `evidences/`, the listing of the set in use.",
            answer_headers={"Location": "`evidences/`"},
        ),
        errors=frozenset(),
        responses=Responses(_PERMANENT_REDIRECT, content_types=("text/plain",)),
    )
    # The current set may not exist yet (503); a set asked for by name exists or does not (404).
    return [
        redirection,
        _document(
            "/evidences/",
            NoInput,
            lambda _: evidence.listing(),
            "The evidence set of the certificates in use",
            _NONE | _OUT,
            _LISTING,
        ),
        _document(
            "/evidences/{name}",
            EvidenceFile,
            lambda given: evidence.file(given.name),
            "One file of it: sha256sum.txt, quote.json, acme-account.json, cert-<domain>.pem",
            _NONE | _OUT,
        ),
        _document(
            "/evidences/{set_name}/",
            EvidenceSetName,
            lambda given: evidence.listing_of(given.set_name),
            "A set by its name: the current one, or one before it",
            _NONE,
            _LISTING,
        ),
        _document(
            "/evidences/{set_name}/{name}",
            EvidenceSetFile,
            lambda given: evidence.file_of(given.set_name, given.name),
            "One file of it",
            _NONE,
        ),
    ]


def _document(
    path: str,
    takes: type[Input],
    show: Callable[[Input], Document],
    summary: str,
    errors: frozenset[ErrorCode],
    content_types: tuple[str, ...] = FILE_TYPES,
) -> AnyEndpoint:
    """Returns the endpoint of a file of an evidence set, or of the set's listing."""

    async def handle(_: Call, given: Input) -> Document:
        return show(given)

    return _ATTESTATION(
        Operation("GET", path, takes, str, handle, host_root=True),
        Docs(summary, _SET, "<!doctype html>", _ETAG),
        errors=errors,
        responses=Responses(other=frozenset({304}), content_types=content_types),
    )
