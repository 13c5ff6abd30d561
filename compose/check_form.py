"""Keys that may take several values: what a merge (`<<`) gives and what stands beside it, which readers rank differently."""

from collections.abc import Iterator

from compose.findings import Finding, refused
from compose.measured import Measured
from svc_verifier.compose.tree import Fields, Items, Node
from svc_verifier.rendering.text import plain


def form_findings(measured: Measured) -> Iterator[Finding]:
    """An objection to each key that a check of one value would say nothing certain of."""
    for path in ambiguous_keys(measured.tree):
        text = f"{plain(path)} is given more than once, by a merge: which one counts is each reader's matter"
        yield refused("code.form", text, "Write it once.")


def ambiguous_keys(tree: Fields) -> tuple[str, ...]:
    """Their paths, as `services.node.image`, each once. A key written twice was refused by the parser."""
    return tuple(dict.fromkeys(_ambiguous(tree, "")))


def _ambiguous(node: Node, path: str) -> Iterator[str]:
    if isinstance(node, Items):
        for item in node.items:
            yield from _ambiguous(item, path)
    elif isinstance(node, Fields):
        seen: set[str] = set()
        for key, value in node.pairs:
            here = f"{path}.{key}" if path else key
            if key in seen:
                yield here
            seen.add(key)
            yield from _ambiguous(value, here)
