"""What is taken for a URL is read alike by every reader, and reading it again changes nothing."""

from ipaddress import IPv4Address
from urllib.parse import urlsplit

import pytest
from hypothesis import assume, given
from hypothesis.strategies import from_regex, integers, sampled_from, text
from yarl import URL

from node.engine.egress.targets import FetchRefusedError, Target, join_target, parse_target
from tests.support.loop_meter import takes_at_most
from tests.support.suites import needs_suites, suite

LONGEST = 8192
ORIGINS = ("http://example.org", "https://example.org:8443", "http://1.1.1.1", "http://[2606:4700::1111]:8080")


def parsed(url: str) -> Target | None:
    try:
        return parse_target(url)
    except FetchRefusedError:
        return None


def agrees(target: Target) -> None:
    """Each other reader that the request passes on its way finds the same place in it."""
    assert target.url.isascii()
    assert target.url.isprintable()
    assert " " not in target.url
    assert parse_target(target.url) == target
    split = urlsplit(target.url)
    assert (split.scheme, split.hostname, split.port or {"http": 80, "https": 443}[split.scheme]) == target.origin
    assert (split.username, split.password, split.fragment) == (None, None, "")
    url = URL(target.url, encoded=True)
    assert (url.scheme, url.raw_host, url.port) == target.origin
    assert str(url) == target.url.removesuffix("?")  # an empty query is the same request


@given(text(max_size=60))
def test_any_text_after_a_scheme(rest: str) -> None:
    target = parsed("http://" + rest)
    assume(target is not None)
    assert target is not None
    agrees(target)


@given(from_regex(r"\Ahttps?://[a-z0-9.:@/\\\[\]%#?_-]{1,30}\Z"))
def test_texts_that_look_like_urls(url: str) -> None:
    target = parsed(url)
    if target is not None:
        agrees(target)
        assert "@" not in url.partition("://")[2].partition("/")[0].partition("?")[0].partition("#")[0]


@given(sampled_from(ORIGINS), text(max_size=40))
def test_a_path_never_changes_the_origin(origin: str, rest: str) -> None:
    target = parsed(f"{origin}/{rest}")
    if target is not None:
        agrees(target)
        assert target.origin == parse_target(origin).origin


@given(sampled_from(ORIGINS), from_regex(r"\A[a-z0-9.:@/\\\[\]%#?_ -]{0,30}\Z"))
def test_a_location_leads_to_a_place_that_is_read_alike_or_nowhere(origin: str, location: str) -> None:
    try:
        target = join_target(parse_target(origin + "/a/b"), location)
    except FetchRefusedError:
        return
    agrees(target)
    if not location.strip().startswith("//") and "://" not in location:
        assert target.origin == parse_target(origin).origin


@given(integers(0, 2**32 - 1))
def test_an_ipv4_address_has_one_form(number: int) -> None:
    address = IPv4Address(number)
    target = parse_target(f"http://{address}/")
    assert target.address == address
    a, b, c, d = address.packed
    for form in (str(number), hex(number), f"0{number:o}", f"{a}.{b}.{c << 8 | d}", f"{a}.{number & 0xFFFFFF}"):
        assert parsed(f"http://{form}/") is None
    for part in (f"0x{a:x}", f"0{a:o}", f"{a:04d}"):
        assert parsed(f"http://{part}.{b}.{c}.{d}/") is None


def test_an_authority_of_a_redirect_is_refused_before_a_library_normalises_it() -> None:
    """Marks of many classes in the wrong order: their normal form takes time with the square of their number."""
    base, marks = parse_target("http://example.org/"), "".join(each * 2_000 for each in "\u0345\u0315\u0300\u0334")
    with takes_at_most(0.1):
        for _ in range(3):
            with pytest.raises(FetchRefusedError):
                join_target(base, f"//a{marks}/")


@needs_suites
@pytest.mark.parametrize("part", range(8))
def test_every_code_point_leads_to_the_host_that_an_action_sees(part: int) -> None:
    """By the URL Standard, and as `URL` in an action has it (tests/engine/language/test_url_suites.py), or to none."""
    expected = list(suite("wpt-url/every-code-point").items())[part::8]
    found = [(point, host, parsed(f"http://a{chr(int(point))}b.x/")) for point, host in expected]
    assert [(point, host, target) for point, host, target in found if target is not None and target.host != host] == []
    assert sum(target is not None for _, _, target in found) > sum(host is not None for _, host, _ in found) // 2


@pytest.mark.parametrize(
    ("host", "seen"),
    [
        ("MÜNCHEN.de", "xn--mnchen-3ya.de"),
        ("faß.de", "xn--fa-hia.de"),
        ("straẞe.de", "xn--strae-oqa.de"),
        ("ΒΌΛΟΣ.com", "xn--nxasmq6b.com"),
        ("مثال.إختبار", "xn--mgbh0fb.xn--kgbechtv"),
        ("a\u200db.com", None),
        ("a\u0627.com", None),
        ("\u0301x.com", None),
        ("é" * 64 + ".com", None),
        ("xn--te\u0161la.com", None),
        ("\uff58n--a.com", None),
    ],
)
def test_an_international_name_of_a_redirect(host: str, seen: str | None) -> None:
    target = parsed(f"http://{host}/")
    assert (target and target.host) == seen
    base = parse_target("http://example.org/")
    if seen is not None:
        assert join_target(base, f"//{host}/").host == seen
