"""An OCI image layout (image-spec 1.1), written and read back. Digests of blobs are checked."""

import hashlib
import io
import json
import shutil
import tarfile
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from image.commands import ImageError
from image.tree import Entry, File, Folder, Link, Tree, with_parents

REVISION: Final = "org.opencontainers.image.revision"
"""The label that names the commit."""

_TYPES: Final = "application/vnd.oci.image"
# 15, the largest window, and 16 for the gzip format (zlib.h, deflateInit2).
_GZIP: Final = 31
# Explicit, since zlib's default could change. zlib is the locked one of the image (ADR 0017).
_LEVEL: Final = 9


@dataclass(frozen=True, slots=True)
class Layer:
    """`tree` above lower layers, `time` of its files in unix seconds, `made_by` for the history."""

    tree: Tree
    time: int
    made_by: str


@dataclass(frozen=True, slots=True)
class Blob:
    """Content of a descriptor."""

    media_type: str
    data: bytes

    @property
    def digest(self) -> str:
        """Digest by which the layout names the blob."""
        return "sha256:" + hashlib.sha256(self.data).hexdigest()

    @property
    def descriptor(self) -> dict[str, str | int]:
        """Descriptor by which another blob refers to it."""
        return {"mediaType": self.media_type, "digest": self.digest, "size": len(self.data)}


def write_layout(
    folder: Path, layers: Sequence[Layer], config: Mapping[str, object], created: str, annotations: Mapping[str, str]
) -> Blob:
    """Write the layout; return its manifest with the image's digest. `created` is RFC 3339."""
    # image-spec names a layer twice. The configuration has the hash of the tar archive (diff_ids),
    # the manifest that of the compressed blob.
    tars = layer_tars(layers)
    packed = [Blob(f"{_TYPES}.layer.v1.tar+gzip", _gzipped(tar)) for tar in tars]
    history = [{"created": created, "created_by": layer.made_by} for layer in layers]
    described = {
        "created": created,
        "architecture": "amd64",
        "os": "linux",
        "config": config,
        "rootfs": {"type": "layers", "diff_ids": ["sha256:" + hashlib.sha256(tar).hexdigest() for tar in tars]},
        "history": history,
    }
    configuration = Blob(f"{_TYPES}.config.v1+json", _json(described))
    parts = {"config": configuration.descriptor, "layers": [blob.descriptor for blob in packed]}
    media_type = f"{_TYPES}.manifest.v1+json"
    manifest = Blob(
        media_type, _json({"schemaVersion": 2, "mediaType": media_type, **parts, "annotations": dict(annotations)})
    )
    # A blob of an earlier build would stay, although no manifest names it, and make equal builds
    # differ.
    shutil.rmtree(folder, ignore_errors=True)
    place = folder / "blobs" / "sha256"
    place.mkdir(parents=True)
    for blob in (*packed, configuration, manifest):
        (place / blob.digest.removeprefix("sha256:")).write_bytes(blob.data)
    index = {"schemaVersion": 2, "mediaType": f"{_TYPES}.index.v1+json", "manifests": [manifest.descriptor]}
    (folder / "index.json").write_bytes(_json(index))
    (folder / "oci-layout").write_bytes(_json({"imageLayoutVersion": "1.0.0"}))
    return manifest


def layer_tars(layers: Sequence[Layer]) -> list[bytes]:
    """Returns each layer as a tar archive. A folder is in the lowest layer that has it."""
    below: set[str] = set()
    tars = []
    for layer in layers:
        # Again in an upper layer, a folder would get its time and hide the mode of the lower one.
        full = with_parents(layer.tree)
        tars.append(_tar({path: entry for path, entry in full.items() if path not in below}, layer.time))
        below |= {path for path, entry in full.items() if isinstance(entry, Folder)}
    return tars


def _tar(tree: Tree, time: int) -> bytes:
    """Returns a tar archive sorted by path; USTAR where a path fits, else PAX."""
    out = io.BytesIO()
    # PAX_FORMAT adds a record only where a header cannot hold a value. `time` must be an int, since
    # a float would add one to every file.
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for path, entry in sorted(tree.items()):
            member, data = _member(path, entry)
            member.mtime = time
            archive.addfile(member, io.BytesIO(data))
    return out.getvalue()


def _member(path: str, entry: Entry) -> tuple[tarfile.TarInfo, bytes]:
    # TarInfo's defaults are right: owner and group 0, without names of the building machine.
    member = tarfile.TarInfo(path)
    match entry:
        case File(data, executable):
            member.size, member.mode = len(data), 0o755 if executable else 0o644
            return member, data
        case Link(target):
            member.type, member.linkname, member.mode = tarfile.SYMTYPE, target, 0o777
        case Folder(mode, owner):
            member.type, member.mode, member.uid, member.gid = tarfile.DIRTYPE, mode, owner, owner
    return member, b""


def _gzipped(data: bytes) -> bytes:
    """Compress without a name or a time in the header, so that equal data gives equal bytes."""
    packing = zlib.compressobj(_LEVEL, zlib.DEFLATED, _GZIP)
    return packing.compress(data) + packing.flush()


def _json(value: object) -> bytes:
    # Canonical, since digests are of bytes.
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


def digest_of(layout: Path) -> str:
    """Returns the digest of the one manifest, which is the image's. Raises ImageError."""
    manifests = json.loads((layout / "index.json").read_text())["manifests"]
    if len(manifests) != 1:
        raise ImageError(f"{layout} holds {len(manifests)} images and not one.")
    return str(manifests[0]["digest"])


def manifest_of(layout: Path) -> dict[str, Any]:
    """Returns the manifest, decoded."""
    found: dict[str, Any] = json.loads(_blob(layout, digest_of(layout)))
    return found


def config_of(layout: Path) -> dict[str, Any]:
    """Returns the configuration, decoded."""
    found: dict[str, Any] = json.loads(_blob(layout, manifest_of(layout)["config"]["digest"]))
    return found


def tree_of(layout: Path) -> Tree:
    """Returns all files of all layers. Raises ImageError where a blob has another digest."""
    tree: Tree = {}
    for descriptor, diff_id in zip(manifest_of(layout)["layers"], config_of(layout)["rootfs"]["diff_ids"], strict=True):
        tar = zlib.decompress(_blob(layout, descriptor["digest"]), _GZIP)
        if "sha256:" + hashlib.sha256(tar).hexdigest() != diff_id:
            raise ImageError(f"the layer {descriptor['digest']} does not hold what the configuration names.")
        with tarfile.open(fileobj=io.BytesIO(tar), mode="r:") as archive:
            tree |= {member.name: _entry(archive, member) for member in archive}
    return tree


def compressed_bytes(layout: Path) -> int:
    """Returns the bytes of layers and configuration, which an engine fetches from a registry."""
    manifest = manifest_of(layout)
    return sum(int(part["size"]) for part in (manifest["config"], *manifest["layers"]))


def _entry(archive: tarfile.TarFile, member: tarfile.TarInfo) -> Entry:
    if member.issym():
        return Link(member.linkname)
    if member.isdir():
        return Folder(member.mode, member.uid)
    content = archive.extractfile(member)
    # `_member` never writes such entries.
    if content is None or member.uid != 0 or member.mode not in {0o644, 0o755}:
        raise ImageError(f"/{member.name} is of a kind, an owner or a mode that the image does not have.")
    return File(content.read(), executable=member.mode == 0o755)


def _blob(layout: Path, digest: str) -> bytes:
    data = (layout / "blobs" / "sha256" / digest.removeprefix("sha256:")).read_bytes()
    if "sha256:" + hashlib.sha256(data).hexdigest() != digest:
        raise ImageError(f"{layout} holds something else under {digest}.")
    return data
