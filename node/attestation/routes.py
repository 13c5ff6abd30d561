"""The attestation endpoints, at the host's root: no key, no charge."""

from typing import Final

from node.attestation.models import (
    Attestation,
    AttestationQuery,
    EvidenceFile,
    EvidenceSetFile,
    EvidenceSetName,
    Info,
)
from node.attestation.service import FILE_TYPES, AttestationService, EvidenceService
from node.http.answers import Document
from node.http.endpoint import AnyEndpoint, Auth, Call, Endpoint, NoInput
from node.http.errors import ErrorCode

_TAG: Final = "Attestation"
_OUT: Final = frozenset({ErrorCode.TEE_UNAVAILABLE})
_NONE: Final = frozenset({ErrorCode.NOT_FOUND})
_ETAG: Final = {"ETag": "Of the whole set: any of its files with this ETag belongs to it."}
_PERMANENT_REDIRECT: Final = 308


def endpoints(service: AttestationService, evidence: EvidenceService) -> list[AnyEndpoint]:
    """Returns the endpoints of quote, platform information and evidence sets."""
    return [_attestation(service), _info(service), *_current_set(evidence), *_named_set(evidence)]


def _attestation(service: AttestationService) -> AnyEndpoint:
    async def handle(call: Call, query: AttestationQuery) -> Document | Attestation:
        if query.nonce is None:
            return await service.zero_attestation()
        return await service.fresh_attestation(query.nonce, call.host, call.client_address)

    return Endpoint(
        "GET",
        "/attestation",
        Auth.NONE,
        AttestationQuery,
        Attestation,
        handle,
        summary="A quote of the TEE this node runs in",
        tag=_TAG,
        description="Without `nonce` the report data is zero and the quote up to a minute old. With it the quote is "
        "made now, over a statement of this node's host, TLS keys, evidence, settings, account contract and admin payer.",
        errors=_OUT,
        host_root=True,
        cancel_on_disconnect=True,
    )


def _info(service: AttestationService) -> AnyEndpoint:
    async def handle(_: Call, __: NoInput) -> Document:
        return await service.info()

    return Endpoint(
        "GET",
        "/info",
        Auth.NONE,
        NoInput,
        Info,
        handle,
        summary="Who the platform says this TD is",
        tag=_TAG,
        errors=_OUT,
        host_root=True,
    )


def _current_set(evidence: EvidenceService) -> list[AnyEndpoint]:
    async def redirect(call: Call, _: NoInput) -> Document:
        call.headers["Location"] = "evidences/"
        return Document(b"", "text/plain; charset=utf-8")

    async def show(_: Call, __: NoInput) -> Document:
        return evidence.listing()

    async def file(_: Call, given: EvidenceFile) -> Document:
        return evidence.file(given.name)

    return [
        Endpoint(
            "GET",
            "/evidences",
            Auth.NONE,
            NoInput,
            str,
            redirect,
            summary="Redirects to the evidence",
            tag=_TAG,
            host_root=True,
            success_status=_PERMANENT_REDIRECT,
            content_types=("text/plain",),
            answer_headers={"Location": "`evidences/`"},
        ),
        Endpoint(
            "GET",
            "/evidences/",
            Auth.NONE,
            NoInput,
            str,
            show,
            summary="The evidence set of the certificates in use",
            tag=_TAG,
            errors=_NONE | _OUT,
            host_root=True,
            content_types=("text/html",),
            other_statuses=frozenset({304}),
            answer_headers=_ETAG,
        ),
        Endpoint(
            "GET",
            "/evidences/{name}",
            Auth.NONE,
            EvidenceFile,
            str,
            file,
            summary="One file of it: sha256sum.txt, quote.json, acme-account.json, cert-<domain>.pem",
            tag=_TAG,
            errors=_NONE | _OUT,
            host_root=True,
            content_types=FILE_TYPES,
            other_statuses=frozenset({304}),
            answer_headers=_ETAG,
        ),
    ]


def _named_set(evidence: EvidenceService) -> list[AnyEndpoint]:
    async def show(_: Call, given: EvidenceSetName) -> Document:
        return evidence.listing_of(given.set_name)

    async def file(_: Call, given: EvidenceSetFile) -> Document:
        return evidence.file_of(given.set_name, given.name)

    return [
        Endpoint(
            "GET",
            "/evidences/{set_name}/",
            Auth.NONE,
            EvidenceSetName,
            str,
            show,
            summary="A set by its name: the current one, or one before it",
            tag=_TAG,
            errors=_NONE,
            host_root=True,
            content_types=("text/html",),
            other_statuses=frozenset({304}),
            answer_headers=_ETAG,
        ),
        Endpoint(
            "GET",
            "/evidences/{set_name}/{name}",
            Auth.NONE,
            EvidenceSetFile,
            str,
            file,
            summary="One file of it",
            tag=_TAG,
            errors=_NONE,
            host_root=True,
            content_types=FILE_TYPES,
            other_statuses=frozenset({304}),
            answer_headers=_ETAG,
        ),
    ]
