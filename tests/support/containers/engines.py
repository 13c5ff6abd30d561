"""Podman, else a bare OCI runtime, else no engine at all: whatever of it this machine lets run the image."""

import contextlib
import shutil
import sys
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

from image.commands import ImageError, run
from tests.support.containers import jail
from tests.support.containers.bundle import jail_options, limits, runtime_config, write_root, write_volume
from tests.support.containers.container import DATA, GUEST_AGENT, TMPFS_BYTES, Container, Start

_IMAGE: Final = "svc-node-here"


class Engine(Protocol):
    """One way to run the image. Everything it keeps lies in a folder of its own."""

    @property
    def name(self) -> str:
        """For people."""
        ...

    def prepare(self, layout: Path) -> None:
        """Take the image in. Raises ImageError."""
        ...

    def command(self, container: Container, network: str) -> Sequence[str]:
        """What runs it in the foreground: its output and its exit code are the command's. `network` is a namespace's path."""
        ...

    def remove(self) -> None:
        """Everything it keeps, once no container runs."""
        ...


@dataclass
class Podman:
    """Podman with that runtime, under its own default seccomp profile."""

    folder: Path
    runtime: str

    @property
    def name(self) -> str:
        """For people."""
        return f"podman with {self.runtime}"

    def prepare(self, layout: Path) -> None:
        """Take the image in. Raises ImageError."""
        _need("podman", self.runtime)
        loaded = run([*self._podman(), "pull", "--quiet", f"oci:{layout}"]).decode()
        run([*self._podman(), "tag", loaded.split()[-1], _IMAGE])

    def command(self, container: Container, network: str) -> Sequence[str]:
        """What runs it in the foreground."""
        bounds = [f"--ulimit={name}={value}:{value}" for name, value in limits().items()]
        profile = [] if container.seccomp is None else [f"--security-opt=seccomp={container.seccomp}"]
        return [
            *self._podman(),
            *("run", "--rm", "--pull=never", "--log-driver=none", "--no-hosts", "--dns=none"),
            *("--read-only", "--read-only-tmpfs=false", f"--tmpfs=/tmp:mode=1777,size={TMPFS_BYTES}"),
            *("--cap-drop=all", "--security-opt=no-new-privileges", *profile, *bounds),
            *(f"--network=ns:{network}", f"--memory={container.memory_bytes}"),
            *(f"--volume={container.guest_agent}:{GUEST_AGENT}", f"--volume={container.volume}:{DATA}"),
            *(_IMAGE, *container.arguments),
        ]

    def remove(self) -> None:
        """Everything it keeps."""
        with contextlib.suppress(ImageError):
            run([*self._podman(), "rm", "--all", "--force"])
        shutil.rmtree(self.folder, ignore_errors=True)

    def _podman(self) -> list[str]:
        places = [
            "--storage-opt=overlay.skip_mount_home=true",
            f"--root={self.folder / 'storage'}",
            f"--runroot={self.folder / 'run'}",
            f"--tmpdir={self.folder / 'tmp'}",
        ]
        return ["podman", "--log-level=error", *places, "--cgroup-manager=cgroupfs", f"--runtime={self.runtime}"]


@dataclass
class Runtime:
    """An OCI runtime without an engine above it: no seccomp profile but the container's."""

    folder: Path
    program: str
    start: Start | None = None

    @property
    def name(self) -> str:
        """For people."""
        return f"{self.program} alone"

    def prepare(self, layout: Path) -> None:
        """Take the image in. Raises ImageError."""
        _need(self.program)
        self.start = write_root(layout, self.folder / "root")

    def command(self, container: Container, network: str) -> Sequence[str]:
        """What runs it in the foreground."""
        volume, start = _volume(self.folder, container, self.start)
        identity = uuid.uuid4().hex
        bundle = self.folder / identity
        bundle.mkdir()
        (bundle / "config.json").write_text(runtime_config(self.folder / "root", start, container, network, volume))
        return [self.program, "--root", str(self.folder / "state"), "run", "--bundle", str(bundle), identity]

    def remove(self) -> None:
        """Everything it keeps."""
        shutil.rmtree(self.folder, ignore_errors=True)


@dataclass
class Jail:
    """No engine: namespaces, mounts and a user by bare system calls. No seccomp profile, no bound of its memory."""

    folder: Path
    start: Start | None = None

    @property
    def name(self) -> str:
        """For people."""
        return "no engine"

    def prepare(self, layout: Path) -> None:
        """Take the image in. Raises ImageError."""
        self.start = write_root(layout, self.folder / "root")

    def command(self, container: Container, network: str) -> Sequence[str]:
        """What runs it in the foreground. Raises ImageError where a seccomp profile is asked for."""
        if container.seccomp is not None:
            raise ImageError("takes no seccomp profile")
        volume, start = _volume(self.folder, container, self.start)
        asked = jail_options(self.folder / "root", start, container, network, volume)
        return [sys.executable, "-I", "-S", jail.__file__, asked]

    def remove(self) -> None:
        """Everything it keeps."""
        shutil.rmtree(self.folder, ignore_errors=True)


def engines(folder: Path) -> Sequence[Engine]:
    """All of them, the nearest to a deployment first."""
    return (
        *(Podman(folder / f"podman-{runtime}", runtime) for runtime in ("runc", "crun")),
        *(Runtime(folder / runtime, runtime) for runtime in ("runc", "crun")),
        Jail(folder / "jail"),
    )


def chosen(
    among: Sequence[Engine], layout: Path, probe: Container, network: str
) -> tuple[Engine | None, dict[str, str]]:
    """The first that runs the image with what the probe asks, prepared; and why those before it did not, by name."""
    refused: dict[str, str] = {}
    for engine in among:
        try:
            engine.prepare(layout)
            run(engine.command(probe, network))
        except ImageError as unfit:
            refused[engine.name] = str(unfit).splitlines()[-1]
            engine.remove()
        else:
            return engine, refused
    return None, refused


def _need(*programs: str) -> None:
    absent = [program for program in programs if shutil.which(program) is None]
    if absent:
        raise ImageError(f"not installed: {', '.join(absent)}")


def _volume(folder: Path, container: Container, start: Start | None) -> tuple[Path, Start]:
    if start is None:
        raise ImageError("was not prepared")
    place = folder / "volumes" / container.volume
    write_volume(place, start.user)
    return place, start
