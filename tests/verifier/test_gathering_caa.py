"""CAA over a real resolver and a name server of the test's own: the closest set counts, aliases are followed."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Mapping
from dataclasses import replace
from typing import cast

import dns.asyncresolver
import dns.flags
import dns.message
import dns.rcode
import dns.rrset
import pytest

from svc_verifier.gathering.caa import look_up_caa
from svc_verifier.gathering.gather import gather
from svc_verifier.gathering.host import GatheringLimits
from svc_verifier.material import CaaRecord, CaaRecords, Material, Missing
from tests.support.instances import Instance, running_app
from tests.support.loop_meter import beside, metered_loop
from tests.support.tls import LOOPBACK

LIMITS = GatheringLimits(dns_timeout_s=30.0)
ISSUE = '0 issue "letsencrypt.org; validationmethods=dns-01; accounturi=https://a.example/1"'
NOBODY = '0 issue ";"'
Zone = Mapping[str, tuple[str, list[str]]]
"""Name to type and records; a name that ends a known one and has none of its own exists without records."""


class NameServer(asyncio.DatagramProtocol):
    """Answers from a zone; `authenticated` sets the flag of a validating resolver."""

    def __init__(self, zone: Zone, *, authenticated: bool, code: int) -> None:
        self._zone = zone
        self._authenticated = authenticated
        self._code = code
        self._transport: asyncio.DatagramTransport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.DatagramTransport", transport)

    def datagram_received(self, data: bytes, addr: tuple[str, int]) -> None:
        assert self._transport is not None
        self._transport.sendto(self._answer(dns.message.from_wire(data)).to_wire(max_size=65_535), addr)

    def _answer(self, query: dns.message.Message) -> dns.message.Message:
        answer = dns.message.make_response(query)
        answer.flags |= dns.flags.RA | (dns.flags.AD if self._authenticated else 0)
        answer.set_rcode(dns.rcode.Rcode(self._code))
        name = query.question[0].name.to_text(omit_final_dot=True)
        while name in self._zone:
            kind, records = self._zone[name]
            answer.answer.append(dns.rrset.from_text(f"{name}.", 60, "IN", kind, *records))
            name = records[0].rstrip(".") if kind == "CNAME" else ""
        if not answer.answer and not any(known.endswith(f".{name}") for known in self._zone):
            answer.set_rcode(dns.rcode.Rcode(self._code) or dns.rcode.NXDOMAIN)
        return answer


@contextlib.asynccontextmanager
async def resolving(
    zone: Zone, *, authenticated: bool = False, code: int = 0
) -> AsyncIterator[dns.asyncresolver.Resolver]:
    """A resolver that asks a name server with that zone."""
    loop = asyncio.get_running_loop()
    transport, _ = await loop.create_datagram_endpoint(
        lambda: NameServer(zone, authenticated=authenticated, code=code), local_addr=(LOOPBACK, 0)
    )
    resolver = dns.asyncresolver.Resolver(configure=False)
    resolver.nameservers = [LOOPBACK]
    resolver.port = transport.get_extra_info("sockname")[1]
    try:
        yield resolver
    finally:
        transport.close()


@pytest.mark.parametrize(
    ("zone", "found_at", "values"),
    [
        ({"node.a.example": ("CAA", [ISSUE])}, "node.a.example", 1),
        ({"a.example": ("CAA", [ISSUE])}, "a.example", 1),
        ({"a.example": ("CAA", [ISSUE]), "node.a.example": ("CAA", [NOBODY])}, "node.a.example", 1),
        ({"a.example": ("CAA", [ISSUE, NOBODY, '0 issuewild "other.example"'])}, "a.example", 3),
        ({"node.a.example": ("CNAME", ["b.example."]), "b.example": ("CAA", [ISSUE])}, "node.a.example", 1),
        ({"node.a.example": ("CNAME", ["c.example."]), "a.example": ("CAA", [ISSUE])}, "a.example", 1),
        ({"example": ("CAA", [ISSUE])}, "example", 1),
        ({"other.example": ("CAA", [ISSUE])}, "", 0),
        ({}, "", 0),
    ],
)
async def test_the_closest_set_up_the_tree_counts(zone: Zone, found_at: str, values: int) -> None:
    async with resolving(zone) as resolver:
        answer = await look_up_caa("node.a.example", LIMITS, resolver)
    assert isinstance(answer, CaaRecords)
    assert (answer.name, len(answer.records)) == (found_at, values)
    assert not answer.authenticated


async def test_what_the_resolver_says_of_dnssec_and_every_byte_of_a_record_is_kept() -> None:
    async with resolving({"a.example": ("CAA", [ISSUE, '128 other "\\255;\\000"'])}, authenticated=True) as resolver:
        answer = await look_up_caa("a.example", LIMITS, resolver)
    assert isinstance(answer, CaaRecords)
    assert answer.authenticated
    assert CaaRecord(128, "other", "\xff;\x00") in answer.records


@pytest.mark.parametrize("code", [dns.rcode.SERVFAIL, dns.rcode.REFUSED])
async def test_no_answer_is_no_absence(code: int) -> None:
    async with resolving({}, code=code) as resolver:
        assert isinstance(await look_up_caa("a.example", LIMITS, resolver), Missing)


async def test_an_address_is_not_looked_up() -> None:
    assert isinstance(await look_up_caa("127.0.0.1", LIMITS), Missing)
    assert isinstance(await look_up_caa("::1", LIMITS), Missing)


def test_an_answer_of_many_records_does_not_hold_the_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    zone: Zone = {"localhost": ("CAA", [f'0 issue "a{number}.example"' for number in range(2_000)])}
    with beside(lambda: running_app(Instance("a"))) as app, beside(lambda: resolving(zone)) as resolver:
        monkeypatch.setattr(dns.asyncresolver, "Resolver", lambda: resolver)

        async def metered() -> tuple[Material, float]:
            async with metered_loop() as meter:
                trust = replace(app.trust, development_root=None)
                return await gather(app.address, trust, app.sources()), meter.longest_s

        material, longest_s = asyncio.run(metered())
    assert isinstance(material.caa, CaaRecords)
    assert len(material.caa.records) == 2_000
    assert longest_s < 0.05
