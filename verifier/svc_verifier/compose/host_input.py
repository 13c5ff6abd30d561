"""What the host can still put into the containers: their digests say nothing of it.

Whoever runs the machine chooses the encrypted environment (its public key is public), and with it every variable the
compose file replaces. Inside a container's `environment` a variable is the program's own input; anywhere else it changes
what is run.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from svc_verifier.compose.privileges import host_shared_mounts
from svc_verifier.compose.services import Service
from svc_verifier.compose.tree import Fields, Items, Node, Scalar

_VARIABLE: Final = re.compile(r"\$(?:\{([A-Za-z_][A-Za-z0-9_]*)|([A-Za-z_][A-Za-z0-9_]*)|(\{)|(.?))", re.DOTALL)
_ENVIRONMENT: Final = "environment"
_OF_THE_ENGINE: Final = ("COMPOSE_", "DOCKER_", "BUILDKIT_", "BUILDX_", "LD_", "BASH")
_OF_THE_SHELL: Final = frozenset({"PATH", "HOME", "ENV", "SHELL", "SHELLOPTS", "IFS", "CDPATH", "GCONV_PATH"})
"""Allowed names reach docker compose and the shell that starts it: `COMPOSE_FILE` names another file, `DOCKER_HOST`
another engine, `LD_PRELOAD` other code. Inside a container's own `environment` they are the program's input."""


@dataclass(frozen=True, slots=True)
class HostInput:
    """One thing the host may set. `decides` when it changes what is run and not just a program's environment."""

    name: str
    place: str
    decides: bool


def host_inputs(
    compose: Fields, services: tuple[Service, ...], allowed_environment: tuple[str, ...]
) -> tuple[HostInput, ...]:
    """Everything the host may set, each once for each place."""
    found = [HostInput(name, "allowed_envs", decides=_decides_what_runs(name)) for name in allowed_environment]
    for key, value in compose.pairs:
        if key == "services":
            found.extend(_of_services(services))
        else:
            found.extend(HostInput(name, f"{key}, line {line}", decides=True) for name, line in _variables(value))
            found.extend(_from_environment(key, value))
    for name, path, line in host_shared_mounts(services, compose):
        found.append(HostInput(path, f"{name} mounts what the host shares, line {line}", decides=False))
    return tuple(dict.fromkeys(found))


def _decides_what_runs(name: str) -> bool:
    """Whether docker compose, or what starts it, reads a variable of that name. Blanks around it may be lost."""
    name = name.strip()
    return name.startswith(_OF_THE_ENGINE) or name in _OF_THE_SHELL


def _of_services(services: tuple[Service, ...]) -> Iterator[HostInput]:
    for service in services:
        where = f"service {service.name!r}"
        for key, value in service.fields.pairs:
            if key == _ENVIRONMENT:
                yield from _of_environment(where, value)
            elif key in {"env_file", "label_file"}:
                yield from (
                    HostInput(text, f"{where}: {key}, line {line}", decides=True) for text, line in _texts(value)
                )
            else:
                for name, line in _variables(value):
                    yield HostInput(name, f"{where}: {key}, line {line}", decides=True)


def _of_environment(where: str, environment: Node) -> Iterator[HostInput]:
    """Values that name a variable, and entries without a value, which are passed through."""
    for name, line in _variables(environment):
        yield HostInput(name, f"{where}: environment, line {line}", decides=False)
    for name, line in _passed_through(environment):
        yield HostInput(name, f"{where}: environment, line {line}", decides=False)


def _passed_through(environment: Node) -> Iterator[tuple[str, int]]:
    if isinstance(environment, Items):
        for entry in environment.items:
            if isinstance(entry, Scalar) and "=" not in entry.text:
                yield entry.text, entry.line
    elif isinstance(environment, Fields):
        for name, value in environment.pairs:
            if isinstance(value, Scalar) and not value.is_text and value.text.lower() in {"", "null", "~"}:
                yield name, value.line


def _from_environment(key: str, value: Node) -> Iterator[HostInput]:
    """Configs and secrets whose content is a variable's."""
    if key not in {"configs", "secrets"} or not isinstance(value, Fields):
        return
    for name, source in value.pairs:
        for variable in source.all(_ENVIRONMENT) if isinstance(source, Fields) else ():
            if isinstance(variable, Scalar):
                yield HostInput(variable.text, f"{key} {name!r}, line {variable.line}", decides=False)


def _variables(node: Node) -> Iterator[tuple[str, int]]:
    """Name and line of each variable that is replaced; `?` where a `$` cannot be read."""
    for text, line in _texts(node):
        for match in _VARIABLE.finditer(text.replace("$$", "")):
            yield match[1] or match[2] or "?", line


def _texts(node: Node) -> Iterator[tuple[str, int]]:
    if isinstance(node, Scalar):
        yield node.text, node.line
    elif isinstance(node, Items):
        for item in node.items:
            yield from _texts(item)
    else:
        for key, value in node.pairs:
            yield key, value.line
            yield from _texts(value)
