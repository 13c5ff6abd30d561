"""Draws docs/house.svg, the packages and their import layers, by `python -m tools.house`.

Layers and packages are those of pyproject.toml (`[tool.importlinter]`), each with a line below.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

PICTURE: Final = Path(__file__).parents[1] / "docs" / "house.svg"
_PROJECT: Final = Path(__file__).parents[1] / "pyproject.toml"
_LAYER_NOTES: Final[Mapping[str, str]] = {
    "cli": "the command svc-node",
    "wiring": "composition root",
    "status": "health of every part",
    "accounts": "subjects of the API",
    "billing": "prices, payments, usage",
    "http": "the path of every request",
    "api": "the API without HTTP",
    "chain": "what reaches the world",
    "keyring": "keys; credit",
    "permissions": "decisions; storage",
    "settings": "one section a component",
    "runtime": "asyncio primitives, limits",
    "errors": "shared values",
}
"""Note of each layer, by its first package."""
_BESIDE: Final[Mapping[str, tuple[str, ...]]] = {
    "attest": ("the TEE: guest agent,", "evidence, certificates", "imports nothing of node"),
    "devkit": ("svc-devkit: local chain, TEE", "simulator, card processor", "imports node; never shipped"),
    "compose": ("svc-compose: the measured", "file, its approval", "of node: settings and signing"),
    "image": ("builds the image", "imports nothing of ours"),
    "svc_verifier": ("svc-verify: judges a node", "from outside", "imports nothing of ours"),
    "svc_client": ("calls a node that the", "verifier accepted", "imports svc_verifier alone"),
}
"""Lines of each package beside node; the last says what it imports."""
_ROW_NAMES_MAX: Final = 5
_HEAD: Final = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 904 {height}" role="img" aria-labelledby="title desc" \
font-family="system-ui, sans-serif" font-size="14">
  <title id="title">The packages and their import layers</title>
  <desc id="desc">The package node in layers, each of which imports from those below it alone: {layers}. Beside it {beside}, \
with what each may import.</desc>
  <style>
    .box {{ fill: #ffffff; stroke: #5b6470; }} .row {{ fill: #eef4fb; stroke: #1f5fa8; }} .our {{ fill: #dcebfa; stroke: #1f5fa8; }}
    text {{ fill: #1b1f24; }} .small {{ font-size: 12px; fill: #4a525c; }} .bold {{ font-weight: 600; }}
    line {{ stroke: #4a525c; stroke-width: 1.5; marker-end: url(#arrow); }} marker path {{ fill: #4a525c; }}
    @media (prefers-color-scheme: dark) {{
      .box {{ fill: #1c2128; stroke: #8b949e; }} .row {{ fill: #10202f; stroke: #58a6ff; }} .our {{ fill: #17324d; stroke: #58a6ff; }}
      text {{ fill: #e6edf3; }} .small {{ fill: #adbac7; }} line {{ stroke: #adbac7; }} marker path {{ fill: #adbac7; }}
    }}
  </style>
  <defs><marker id="arrow" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" orient="auto-start-reverse">\
<path d="M0 0 10 5 0 10z"/></marker></defs>

  <rect class="box" x="12" y="24" width="634" height="{node_height}" rx="8"/>
  <text class="bold" x="36" y="47">node</text>
  <text class="small" x="80" y="47">a row imports from the rows below it, never from its own or from one above</text>
  <line x1="24" y1="64" x2="24" y2="{arrow_end}"/>
"""


def picture() -> str:
    """Returns the picture of the packages that pyproject.toml names."""
    linter = tomllib.loads(_PROJECT.read_text(encoding="utf-8"))["tool"]["importlinter"]
    (named,) = (each["layers"] for each in linter["contracts"] if each["type"] == "layers" and "containers" not in each)
    layers = [re.findall(r"node\.(\w+)", layer) for layer in named]
    beside = [name for name in _BESIDE if name in linter["root_packages"]]
    # An error, since a package that is missing in the picture would go unnoticed.
    if unknown := set(linter["root_packages"]) - {"node", *beside}:
        raise LookupError(f"tools/house.py has no line for {', '.join(sorted(unknown))}")
    shapes: list[str] = []
    bottom = 58
    for names in layers:
        rows = [names[at : at + _ROW_NAMES_MAX] for at in range(0, len(names), _ROW_NAMES_MAX)]
        shapes += _layer(names[0], rows, bottom)
        bottom += 18 + 32 * len(rows)
    side = 24
    for name in beside:
        shapes += _package(name, side)
        side += 41 + 17 * len(_BESIDE[name])
    head = _HEAD.format(
        height=max(bottom + 20, side),
        node_height=bottom - 18,
        arrow_end=bottom - 8,
        layers="; ".join(", ".join(names) for names in layers),
        beside=", ".join(beside),
    )
    return "\n".join([head, *shapes, "</svg>\n"])


def _layer(first: str, rows: list[list[str]], top: int) -> Iterator[str]:
    height = 12 + 32 * len(rows)
    yield f'  <g class="layer" data-packages="{" ".join(name for row in rows for name in row)}">'
    yield f'    <rect class="row" x="36" y="{top}" width="598" height="{height}" rx="6"/>'
    for number, row in enumerate(rows):
        left, upper = 46, top + 8 + 32 * number
        for name in row:
            width = max(0 if len(rows) > 1 else 96, 18 + 9 * len(name))
            yield f'    <rect class="our" x="{left}" y="{upper}" width="{width}" height="27" rx="4"/>'
            yield f'    <text class="bold" x="{left + 8}" y="{upper + 18}">{name}</text>'
            left += width + 8
    yield f'    <text class="small" x="624" y="{top + height - 18}" text-anchor="end">{_LAYER_NOTES[first]}</text>'
    yield "  </g>"


def _package(name: str, top: int) -> Iterator[str]:
    *lines, imports = _BESIDE[name]
    yield f'  <g data-package="{name}">'
    yield f'    <rect class="box" x="672" y="{top}" width="216" height="{27 + 17 * (len(lines) + 1)}" rx="6"/>'
    yield f'    <text class="bold" x="684" y="{top + 20}">{name}</text>'
    for number, line in enumerate(lines):
        yield f'    <text class="small" x="684" y="{top + 37 + 16 * number}">{line}</text>'
    yield f'    <text class="small" x="684" y="{top + 37 + 16 * len(lines)}" font-style="italic">{imports}</text>'
    yield "  </g>"


if __name__ == "__main__":
    PICTURE.write_text(picture(), encoding="utf-8")
