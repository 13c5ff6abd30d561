"""A layout read back: what a container engine would make of it, each blob held against its digest."""

import hashlib
import io
import json
import tarfile
import zlib
from pathlib import Path
from typing import Any, Final

from image.errors import ImageError
from image.tree import Entry, File, Folder, Link, Tree

_GZIP: Final = 31


def digest_of(layout: Path) -> str:
    """The image's digest: that of its one manifest. Raises ImageError."""
    manifests = json.loads((layout / "index.json").read_text())["manifests"]
    if len(manifests) != 1:
        raise ImageError(f"{layout} holds {len(manifests)} images and not one.")
    return str(manifests[0]["digest"])


def manifest_of(layout: Path) -> dict[str, Any]:
    """The manifest, decoded."""
    found: dict[str, Any] = json.loads(_blob(layout, digest_of(layout)))
    return found


def config_of(layout: Path) -> dict[str, Any]:
    """The configuration, decoded."""
    found: dict[str, Any] = json.loads(_blob(layout, manifest_of(layout)["config"]["digest"]))
    return found


def tree_of(layout: Path) -> Tree:
    """All files of all layers. Raises ImageError where a blob is not what its digest says."""
    tree: Tree = {}
    for descriptor, diff_id in zip(manifest_of(layout)["layers"], config_of(layout)["rootfs"]["diff_ids"], strict=True):
        tar = zlib.decompress(_blob(layout, descriptor["digest"]), _GZIP)
        if "sha256:" + hashlib.sha256(tar).hexdigest() != diff_id:
            raise ImageError(f"the layer {descriptor['digest']} does not hold what the configuration names.")
        with tarfile.open(fileobj=io.BytesIO(tar), mode="r:") as archive:
            tree |= {member.name: _entry(archive, member) for member in archive}
    return tree


def compressed_bytes(layout: Path) -> int:
    """What a registry stores and an engine fetches: the layers and the configuration."""
    manifest = manifest_of(layout)
    return sum(int(part["size"]) for part in (manifest["config"], *manifest["layers"]))


def _entry(archive: tarfile.TarFile, member: tarfile.TarInfo) -> Entry:
    if member.issym():
        return Link(member.linkname)
    if member.isdir():
        return Folder(member.mode, member.uid)
    content = archive.extractfile(member)
    if content is None or member.uid != 0 or member.mode not in {0o644, 0o755}:
        raise ImageError(f"/{member.name} is of a kind, an owner or a mode that the image does not have.")
    return File(content.read(), executable=member.mode == 0o755)


def _blob(layout: Path, digest: str) -> bytes:
    data = (layout / "blobs" / "sha256" / digest.removeprefix("sha256:")).read_bytes()
    if "sha256:" + hashlib.sha256(data).hexdigest() != digest:
        raise ImageError(f"{layout} holds something else under {digest}.")
    return data
