"""URLs that parsers disagree about, and made ones."""

import itertools
import random

BASES = [
    None,
    "https://user:pw@host.example:8080/a/b/c?d=e#f",
    "http://h",
    "file:///C:/dir/file",
    "file://server/share/x",
    "file:///",
    "ws://h/p",
    "mailto:someone",
    "foo://bar/baz/qux?z",
    "foo:/path/only",
    "data:text/plain,x",
]

_BY_HAND = """
|https://example.com|HTTP://EXAMPLE.com:80/|https://a:443|https://a:444/x|ftp://h:21/|ws://h:80|wss://h:443/|http://a:065535
http://a:65536|http://a:-1|http://a:8a|http://a:/x|http://:80|http://@/x|http://a@/x|http://a:b@c|http://a:b@c:d@e/|http://u:@h|http://:p@h
http://1.2.3.4|http://1.2.3|http://1.2|http://1|http://0x7f.1|http://0177.0.0.1|http://256.1.1.1|http://1.2.3.4.5|http://4294967295
http://4294967296|http://0x|http://1.2.3.08|http://0xffffffff|http://1.2.3.4.|http://1..2|http://a.1|http://a.0x1|http://a.0xg|http://1.2.3.4..
http://[::1]|http://[::]|http://[1:2:3:4:5:6:7:8]|http://[1::8]|http://[1:2:3:4:5:6:7::]|http://[::ffff:1.2.3.4]|http://[::1.2.3]|http://[::1.2.3.256]
http://[1:2:3:4:5:6:1.2.3.4]|http://[1:2:3:4:5:6:7:1.2.3.4]|http://[12345::]|http://[::g]|http://[::1|http://[:1]|http://[1:2]|http://[1::2::3]
http://[0:0:1::]|http://[1:0:0:2:0:0:0:3]|http://[::01.2.3.4]|http://[::1]:80/|http://[::1]:81|http://[::1]x|http://x[::1]|http://[1:2:3:4:5:6:7:8:9]
http://[1:2:3:4::5:6:7:8]|http://[::1%25eth0]|http://[]|http://[:]|http://[1:2:3:4:5:6:7:]|http://[1.2.3.4::]|http://[::1.2.3.4:5]|http://[v1.x]
http://a b|http://a%20b|http://a<b|http://a%|http://a%41|http://%61%62|http://a%00|http://a_b|http://a%2fb|http://-a-|http://a..b|http://.a|http://a.
http:\\\\h\\p\\q|http:/h|http:h|http:///h|https:////h|http:\\h|//h/p|/p|\\p|?q|#f|.|..|./x|../x|../../../x|x/../y|x/./y|x/..|x/.|%2e|%2E%2e/x|.%2e/y|/..//x|//|///
/a//b|a:b|a:|:a|1a:b|a+b-c.d:e|foo:|foo:bar|foo:/bar|foo://bar|foo:///bar|foo://|foo:?|foo:#|foo://h?q|foo://h#f|foo://h:80/p|foo://H%41x/|foo://h/../x|foo:/../x|foo:/.//x
foo:/a/..//b|foo://[::1]/|foo://a b/|foo://a:b@c|foo://:b@c|foo://@|foo://h:99999|foo:\\x|foo:a b |foo:a b ?c|foo:a b #c|javascript:alert(1)|data:,a b|mailto:x@y?z=q r
file:|file:/|file://|file:///|file:////|file://h|file://h/p|file://localhost/p|file:///C:|file:///C:/..|file:///C|/x|file:/C:/a/../..|file:C:/x|file:x|file:///c|/y/..
file://C:/x|file://C|/x|file:\\\\h\\p|file:/\\C:\\x|file://h:80/|file://u@h/|C:/x|C|/x|/C:/x|/D:|file:?q|file:#f|file:..|file:///a/./b|file://%43%3A/x|file:////h/x|file://1.2/x
https://example.com/a b?c d#e f|https://h/"<>`{}|}^\\|https://h/?"<>`{}'#"<>`{}'|https://h/%zz%41%|https://h/é✓🚀?é✓🚀#é✓🚀|https://é:ü@h/|https://h/\ud800x|https://h?\udc00
 https://h/ |\thttps://h/\n|ht\ntps://h/|https://h/\ta\rb\nc|https://h\n/|\x00https://h\x1f|https://h/\x7f|https://h/\x01|https://u%40:p%3a@h|https://u/x:y;z=w[]^|@h/
http://münchen.de|http://faß.de|http://ΒΌΛΟΣ.com|http://日本語.jp|http://xn--mnchen-3ya.de|http://MÜNCHEN.de|http://a。b|http://a\uff0eb|http://Å.com|http://ﬁ.com
http://\uff11.\uff12.\uff13.\uff14|http://a\u00adb|http://☃.net|http://💩.la|http://a\u200bb|http://İ.com|http://\uff41.com|http://Ⅷ.com|http://㎒.com|http://x\u0301.com|http://\u0301x.com|http://a%C3%A9.com
http://a%ff.com|http://a\u2028.com|http://a\ue000|http://\u00ad|http://½|http://⒈com|http://a\u3000b|blob:https://h:8/x|blob:x|blob:file:///x|about:blank|about:srcdoc?x
https://h/a;b=c,d|https://h/!$&'()*+,-./:;=@_~|https://h?!$&'()*+,-./:;=@_~|https://h#!$&'()*+,-./:;=@_~|https:|https:/|https://|https://?|https://#|https://:|https://@
"""


def by_hand() -> list[str]:
    """The list above, one URL each; its escapes are Python's."""
    text = _BY_HAND.strip("\n")
    return [part for line in text.split("\n") for part in line.split("|")]


def made(count: int, seed: int) -> list[str]:
    """URLs put together from pieces that matter to a parser."""
    pick = random.Random(seed)
    schemes = ["http:", "https:", "HTTPS:", "ws:", "file:", "foo:", "", "", "data:", "ftp:"]
    slashes = ["//", "//", "//", "/", "", "\\\\", "///", "/\\"]
    credentials = ["", "", "", "u@", "u:p@", ":@", "@", "u:p:q@r@"]
    hosts = [
        "h",
        "EX.com",
        "1.2.3.4",
        "0x10",
        "[::1]",
        "",
        "a.b.",
        "%41",
        "C:",
        "C|",
        "localhost",
        "é.fr",
        "a^b",
        "1.2.3",
    ]
    ports = ["", "", "", ":80", ":", ":0", ":443", ":99999", ":x"]
    segments = [
        "",
        "a",
        "..",
        ".",
        "%2e",
        "%2E.",
        "C:",
        "c|",
        "b c",
        "é",
        "?",
        "?a=b",
        "#",
        "#f",
        "\\",
        "a\\b",
        "\t",
        "%",
        "{}",
        "'",
        "^",
        "|",
    ]
    return [
        "".join([pick.choice(p) for p in (schemes, slashes, credentials, hosts, ports)])
        + "".join("/" * pick.randint(0, 1) + pick.choice(segments) for _ in range(pick.randint(0, 5)))
        for _ in range(count)
    ]


def with_bases(urls: list[str]) -> list[list[str | None]]:
    """Every URL against every base, without those where Node departs from the standard."""
    return [[url, base] for url, base in itertools.product(urls, BASES) if not _node_departs(url, base)]


def _node_departs(url: str, base: str | None) -> bool:
    """Node takes a relative path against an opaque base where a fragment follows: the standard's parser fails."""
    opaque = base is not None and base.startswith(("mailto:", "data:"))
    return opaque and "#" in url and not url.strip().startswith("#")
