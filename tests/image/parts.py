"""Small inputs of a build, made here: .debs, wheels, locks."""

import hashlib
import io
import struct
import tarfile
import zipfile
from collections.abc import Mapping

from image.lock import Deb, Lock, Package


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def tar_of(
    files: Mapping[str, bytes], links: Mapping[str, str] | None = None, hard: Mapping[str, str] | None = None
) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:xz") as archive:
        for name, data in files.items():
            member = tarfile.TarInfo(name)
            member.size, member.mode = len(data), 0o755 if "/bin/" in name else 0o640
            archive.addfile(member, io.BytesIO(data))
        for kind, targets in ((tarfile.SYMTYPE, links or {}), (tarfile.LNKTYPE, hard or {})):
            for name, target in targets.items():
                member = tarfile.TarInfo(name)
                member.type, member.linkname = kind, target
                archive.addfile(member)
    return out.getvalue()


def deb_of(data: bytes, control: bytes = b"Package: p\nVersion: 1\nDescription: short\n long\n") -> bytes:
    """An ar archive as dpkg-deb writes it."""
    members = {"debian-binary": b"2.0\n", "control.tar.xz": tar_of({"./control": control}), "data.tar.xz": data}
    parts = [b"!<arch>\n"]
    for name, content in members.items():
        header = f"{name:<16}{0:<12}{0:<6}{0:<6}{100644:<8}{len(content):<10}`\n".encode()
        parts.append(header + content + b"\n" * (len(content) % 2))
    return b"".join(parts)


def wheel_of(files: Mapping[str, bytes], name: str = "thing") -> bytes:
    """A wheel with those files and a record of them all."""
    info = f"{name}-1.dist-info"
    described = {f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: 1\n".encode(), **files}
    record = "".join(f"{path},sha256=x,{len(data)}\n" for path, data in described.items()) + f"{info}/RECORD,,\n"
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for path, data in (described | {f"{info}/RECORD": record.encode()}).items():
            archive.writestr(path, data)
    return out.getvalue()


def lock_of(deb: bytes, *wheels: bytes) -> Lock:
    """A lock that names one .deb and some wheels."""
    packages = tuple(Package(f"w{n}", "1", f"w{n}-1-py3-none-any.whl", sha256(data)) for n, data in enumerate(wheels))
    locked = Deb("libfoo", "1.2-3", "main", "pool/main/f/foo/libfoo_1.2-3_amd64.deb", sha256(deb))
    return Lock(1_700_000_000, (locked,), (), packages, (), ())


def elf_of(*needed: str) -> bytes:
    """A shared object of 64 bits that is nothing but headers and a dynamic section that needs those libraries."""
    strings = b"\0" + b"".join(name.encode() + b"\0" for name in needed)
    places = [1 + sum(len(name) + 1 for name in needed[:number]) for number in range(len(needed))]
    headers = 64 + 2 * 56
    # Loaded away from its place in the file, as the later segments of a real one are.
    address = 0x1000
    entries = [*((1, place) for place in places), (5, address + headers), (0, 0)]
    dynamic = b"".join(struct.pack("<QQ", *entry) for entry in entries)
    end = headers + len(strings) + len(dynamic)
    identity = b"\x7fELF\x02\x01\x01".ljust(16, b"\0")
    header = struct.pack("<HHIQQQIHHHHHH", 3, 62, 1, 0, 64, 0, 0, 64, 56, 2, 0, 0, 0)
    load = struct.pack("<IIQQQQQQ", 1, 4, 0, address, address, end, end, 4096)
    at = headers + len(strings)
    section = struct.pack("<IIQQQQQQ", 2, 4, at, address + at, address + at, len(dynamic), len(dynamic), 8)
    return identity + header + load + section + strings + dynamic
