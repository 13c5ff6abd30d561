"""The page that lists a set: relative links, so that it reads the same wherever it is served (pure)."""

from attest.evidence.sets import EvidenceSet


def listing(shown: EvidenceSet, previous: tuple[EvidenceSet, ...] = ()) -> bytes:
    """HTML. A client looks for `href="cert-…pem"`: the links are bare names, an asterisk as it is."""
    files = "".join(f'<li><a href="{name}">{name}</a></li>\n' for name in shown.files)
    sets = "".join(f'<li><a href="{each.name}/">{each.name}</a></li>\n' for each in previous)
    before = f"<h2>Earlier sets</h2>\n<ul>\n{sets}</ul>\n" if previous else ""
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>Evidence</title></head>\n<body>\n'
        f"<h1>Evidence {shown.name}</h1>\n<ul>\n{files}</ul>\n{before}</body></html>\n"
    ).encode()
