"""Looks up a host's CAA records (RFC 8659). Only a public host needs dnspython, slow to load."""

import dns.asyncresolver
import dns.exception
import dns.flags
import dns.inet
import dns.name
import dns.rdtypes.ANY.CAA
import dns.resolver

from svc_verifier.gathering.host import GatheringLimits
from svc_verifier.material import CaaRecord, CaaRecords, Missing


async def look_up_caa(
    host: str, limits: GatheringLimits, resolver: dns.asyncresolver.Resolver | None = None
) -> CaaRecords | Missing:
    """Returns the relevant records. The resolver follows aliases; the tree is climbed here."""
    if dns.inet.is_address(host):
        return Missing("an address has no CAA records")
    try:
        resolver = resolver or dns.asyncresolver.Resolver()
        # 1232 bytes pass any path unfragmented (DNS flag day 2020). DO asks for the AD bit.
        resolver.use_edns(0, dns.flags.DO, 1_232)
        resolver.flags = dns.flags.RD | dns.flags.AD
        name = dns.name.from_text(host)
        authenticated = True
        # RFC 8659 §3: the first name upwards that has CAA records decides.
        while name != dns.name.root:
            records, secure = await _records_at(resolver, name, limits)
            # An unsigned denial below could hide records that DNSSEC would have shown.
            authenticated = authenticated and secure
            if records:
                return CaaRecords(name.to_text(omit_final_dot=True), records, authenticated)
            name = name.parent()
        return CaaRecords("", (), authenticated)
    except (dns.exception.DNSException, OSError, ValueError) as error:
        return Missing(f"no answer from DNS ({type(error).__name__})")


async def _records_at(
    resolver: dns.asyncresolver.Resolver, name: dns.name.Name, limits: GatheringLimits
) -> tuple[tuple[CaaRecord, ...], bool]:
    """Returns the records of one name, and whether the resolver says that DNSSEC is valid."""
    try:
        answer = await resolver.resolve(name, "CAA", raise_on_no_answer=False, lifetime=limits.dns_timeout_s)
    # A name that does not exist has no records of its own; its parent may.
    except dns.resolver.NXDOMAIN:
        return (), False
    secure = bool(answer.response.flags & dns.flags.AD)
    found = (record for record in answer.rrset or () if isinstance(record, dns.rdtypes.ANY.CAA.CAA))
    records = (
        CaaRecord(record.flags, record.tag.decode("latin-1"), record.value.decode("latin-1")) for record in found
    )
    return tuple(records), secure
