"""An OCI image layout (image-spec 1.1): layers as gzipped tar archives, a configuration, a manifest, an index."""

import hashlib
import io
import json
import shutil
import tarfile
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from image.tree import Entry, File, Folder, Link, Tree, with_parents

REVISION: Final = "org.opencontainers.image.revision"
"""The label that names the commit."""

_TYPES: Final = "application/vnd.oci.image"
_GZIP: Final = 31
_LEVEL: Final = 9


@dataclass(frozen=True, slots=True)
class Layer:
    """`tree` above the layers before it; `time` of its files in unix seconds; `made_by` for the history."""

    tree: Tree
    time: int
    made_by: str


@dataclass(frozen=True, slots=True)
class Blob:
    """What a descriptor points at."""

    media_type: str
    data: bytes

    @property
    def digest(self) -> str:
        """As the layout names it."""
        return "sha256:" + hashlib.sha256(self.data).hexdigest()

    @property
    def descriptor(self) -> dict[str, str | int]:
        """By which another blob refers to it."""
        return {"mediaType": self.media_type, "digest": self.digest, "size": len(self.data)}


def write_layout(
    folder: Path, layers: Sequence[Layer], config: Mapping[str, object], created: str, annotations: Mapping[str, str]
) -> Blob:
    """Write the layout; its manifest, whose digest is the image's. `created` is RFC 3339."""
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
    _write(folder, (*packed, configuration, manifest), manifest)
    return manifest


def layer_tars(layers: Sequence[Layer]) -> list[bytes]:
    """Each as a tar archive; a folder stands in the lowest layer that has it."""
    below: set[str] = set()
    tars = []
    for layer in layers:
        full = with_parents(layer.tree)
        tars.append(_tar({path: entry for path, entry in full.items() if path not in below}, layer.time))
        below |= {path for path, entry in full.items() if isinstance(entry, Folder)}
    return tars


def _tar(tree: Tree, time: int) -> bytes:
    """Sorted by path, numeric owners alone, one time; USTAR where a path fits, else PAX."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for path, entry in sorted(tree.items()):
            member, data = _member(path, entry)
            member.mtime = time
            archive.addfile(member, io.BytesIO(data))
    return out.getvalue()


def _member(path: str, entry: Entry) -> tuple[tarfile.TarInfo, bytes]:
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
    """Without a name or a time in its header."""
    packing = zlib.compressobj(_LEVEL, zlib.DEFLATED, _GZIP)
    return packing.compress(data) + packing.flush()


def _json(value: object) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


def _write(folder: Path, blobs: Sequence[Blob], manifest: Blob) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    place = folder / "blobs" / "sha256"
    place.mkdir(parents=True)
    for blob in blobs:
        (place / blob.digest.removeprefix("sha256:")).write_bytes(blob.data)
    index = {"schemaVersion": 2, "mediaType": f"{_TYPES}.index.v1+json", "manifests": [manifest.descriptor]}
    (folder / "index.json").write_bytes(_json(index))
    (folder / "oci-layout").write_bytes(_json({"imageLayoutVersion": "1.0.0"}))
