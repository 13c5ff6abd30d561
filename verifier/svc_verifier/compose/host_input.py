"""Variables and files that the host can set."""

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from svc_verifier.compose.known_scripts import known_script
from svc_verifier.compose.tree import Fields, Items, Node, Scalar, Service

_ENGINE_AND_SHELL: Final = (
    r"(COMPOSE|APP_COMPOSE|DOCKER|BUILDKIT|BUILDX|LD|DSTACK|TAPPD)_.*"
    r"|BASH.*|PATH.*|HOME.*|ENV.*|SHELL.*|IFS.*|CDPATH.*|PS4|PROMPT_COMMAND|GCONV_PATH"
)
_INTERPRETERS: Final = (
    r"PYTHON.*|PERL5?(LIB|OPT|DB).*|RUBY(OPT|LIB)|(JAVA|JDK|_JAVA)_.*OPTIONS|CLASSPATH|JAVA_OPTS|NODE_(OPTIONS|PATH)"
    r"|NPM_CONFIG_.*|LUA_(INIT|PATH|CPATH).*|PHPRC|PHP_INI_SCAN_DIR|DOTNET_STARTUP_HOOKS|CORECLR_.*|ERL_.*FLAGS|R_PROFILE.*"
    r"|GODEBUG|MALLOC_.*|GLIBC_TUNABLES|LOCPATH|GIT_.*"
)
_WHOM_TO_BELIEVE: Final = (
    r"NODE_(EXTRA_CA_CERTS|TLS_REJECT_UNAUTHORIZED)|(SSL|OPENSSL|SSLKEYLOG).*|(CURL|REQUESTS|AWS)_CA_BUNDLE"
    r"|(.*_)?PROXY|RES_OPTIONS|HOSTALIASES|LOCALDOMAIN"
)
_CHAIN: Final = (
    r".*(?<!G)RPCS?([_0-9]*|_?(UR[IL]|ENDPOINT|HOST|ADDR|NODE|PROVIDER|SERVER|HTTP|WS).*)|WEB3_PROVIDER.*"
    r"|(.*_)?(CHAIN|ETH|ETHEREUM)_(NODE|PROVIDER|ENDPOINT|UR[IL]).*"
)
"""Names by which a program asks the chain. Credentials such as `RPC_AUTHORIZATION` do not count."""

_DECIDING: Final = re.compile(f"{_ENGINE_AND_SHELL}|{_INTERPRETERS}|{_WHOM_TO_BELIEVE}|{_CHAIN}", re.IGNORECASE)


NAME_CHARACTERS: Final = 256
"""Characters of a judged name. The expression's time grows with the square of its length."""


def decides(name: str) -> bool:
    """Whether a variable of that name injects code or redirects trust. Blanks are stripped."""
    # A name that is too long to be judged is never harmless.
    return len(name) > NAME_CHARACTERS or _DECIDING.fullmatch(name.strip()) is not None


_NAME: Final = r"[_A-Za-z\u017f\u212a][_0-9A-Za-z\u017f\u212a]*"
"""A variable's name. docker compose ignores case, so U+017F is an s and U+212A a k."""

_VARIABLE: Final = re.compile(rf"\$(?:\$|({_NAME})|\{{({_NAME})?)")
"""Text that docker compose replaces (compose-go, `template`), and `$$`, its escape."""

_UNREADABLE: Final = "?"
"""Name after a `${` that is followed by none. docker compose refuses such a file."""

_LEFT_TO_THE_HOST: Final = re.compile(
    r"hostname|mem_[a-z]+|memswap_limit|cpus|cpu_[a-z_]+|pids_limit|shm_size|ulimits(\..+)?|restart|stop_[a-z_]+|scale"
    r"|healthcheck\.(interval|timeout|retries|start_period|start_interval)"
    r"|deploy\.resources\.(limits|reservations)\.(cpus|memory|pids)"
)
"""Members of a service with its share of the machine, its name, and its starts and stops. None says
what runs, what that reads, or what it believes."""

_PUBLISHED: Final = frozenset({"published", "host_ip"})
"""Members of a port that concern the machine. The rest concerns the container."""

_MACHINES_PORT: Final = re.compile(r".*:[^:${}]*", re.DOTALL)
"""A port whose last part, the container's, is literal. No `${…}` reaches into that part."""

_EXTENSION: Final = "x-"
"""Prefix of members that docker compose accepts and ignores."""

_ENVIRONMENT: Final = "environment"
_PLAIN_KEY: Final = re.compile(r"[A-Za-z0-9_-]+")
PATH_CHARACTERS: Final = 256
"""Characters of a path in a word. A longer one is named by its hash."""


@dataclass(frozen=True, slots=True)
class HostInput:
    """Value that the host may set. `decides` if it changes what runs or what a program believes.

    `path` is the place of a variable outside of `environment`, without numbers of entries.
    `is_copy` if the file sets it from other variables, so that the host sets it with these.
    """

    name: str
    place: str
    decides: bool
    path: str = ""
    is_copy: bool = False

    @property
    def word(self) -> str:
        """The word by which a user accepts it. Acceptance counts for one place only."""
        return f"{self.path}:{self.name}" if self.path else self.name


def script_inputs(scripts: tuple[tuple[str, bytes], ...]) -> Iterator[HostInput]:
    """Yields the host's values that known scripts read, each named `MEMBER:VARIABLE`.

    The prefix keeps its acceptance apart from that of a variable of the same name in
    `allowed_envs`, which the host certainly sets.
    """
    for member, digest in scripts:
        script = known_script(digest)
        if script is not None:
            place = f"read by {script.title}"
            yield from (HostInput(f"{member}:{name}", place, decides=False) for name in script.reads)


def host_inputs(
    compose: Fields, services: tuple[Service, ...], allowed_environment: tuple[str, ...]
) -> tuple[HostInput, ...]:
    """Returns everything the host may set, each once for each place."""
    found = [HostInput(name, "allowed_envs", decides=decides(name)) for name in allowed_environment]
    for key, value in compose.pairs:
        if key == "services":
            found.extend(_of_services(services))
        # An alias or a merge brings it into a service, where it is judged.
        elif not key.startswith(_EXTENSION):
            # Elsewhere a variable names volumes, networks or configs, and so what is shared or run.
            found.extend(_anywhere(value, key, _below("", key)))
            found.extend(_from_environment(key, value))
    return tuple(dict.fromkeys(found))


def _of_services(services: tuple[Service, ...]) -> Iterator[HostInput]:
    for service in services:
        where, of_service = f"service {service.name!r}", _below("services", service.name)
        line = service.fields.line
        yield from (_input(name, f"services, line {line}", "services", decides=True) for name in _names(service.name))
        for key, value in service.fields.pairs:
            path = _below(of_service, key)
            if key.startswith(_EXTENSION):
                continue
            if key == _ENVIRONMENT:
                yield from _of_environment(where, value, path)
            elif key == "ports":
                yield from _of_ports(f"{where}: {key}", value, path)
            elif key == "labels":
                yield from _of_labels(f"{where}: {key}", value, path)
            # A file beside the compose file is the host's and may hold any variable.
            elif key in {"env_file", "label_file"}:
                yield from (
                    HostInput(text, f"{where}: {key}, line {line}", decides=True, path=path)
                    for text, line, path in _leaves(value, path)
                )
            else:
                yield from _anywhere(value, f"{where}: {key}", path, of_service)


def _anywhere(node: Node, where: str, path: str, of_service: str = "") -> Iterator[HostInput]:
    """Yields variables outside of environments. Most name what is run, mounted or reached."""
    for name, line, place, is_key in _variables(node, path):
        member = place.removeprefix(f"{of_service}.") if of_service else ""
        # A key that the host chooses is another member or entry than the one that was read.
        left = not is_key and _LEFT_TO_THE_HOST.fullmatch(member) is not None
        yield _input(name, f"{where}, line {line}", place, decides=not left)


def _of_ports(where: str, ports: Node, path: str) -> Iterator[HostInput]:
    """Yields variables of ports. The machine's side is the host's; the container's side decides."""
    for port in ports.items if isinstance(ports, Items) else (ports,):
        if isinstance(port, Scalar):
            of_machine = _MACHINES_PORT.fullmatch(port.text) is not None
            place = path if of_machine else _below(path, "target")
            yield from (
                _input(name, f"{where}, line {port.line}", place, decides=not of_machine) for name in _names(port.text)
            )
        elif isinstance(port, Fields):
            for key, value in port.pairs:
                found = _variables(Fields(((key, value),), port.line), path)
                yield from (
                    _input(name, f"{where}, line {line}", place, decides=is_key or key not in _PUBLISHED)
                    for name, line, place, is_key in found
                )
        else:
            yield from _anywhere(port, where, path)


def _input(name: str, place: str, path: str = "", *, decides: bool) -> HostInput:
    """Returns a variable in a text. An unreadable name may be any name."""
    return HostInput(name, place, decides or name == _UNREADABLE, path)


def _of_labels(where: str, labels: Node, path: str) -> Iterator[HostInput]:
    """Yields variables in values of labels, and in names, which the host then chooses."""
    for entry, text, _ in _entries(labels):
        yield from (
            _input(name, f"{where}, line {line}", place, decides=entry is None)
            for name, line, place, _ in _variables(text, path)
        )


def _of_environment(where: str, environment: Node, path: str) -> Iterator[HostInput]:
    """Yields variables in values, and entries without a value, which are passed through."""
    for entry, text, line in _entries(environment):
        place = f"{where}: environment, line {line}"
        named = [name for name, _, _, _ in _variables(text, path)]
        yield from (_input(name, place, decides=decides(name)) for name in named)
        # A name that the host chooses may be LD_PRELOAD.
        if entry is None:
            yield from (HostInput(name, f"{place}, as a variable's name", decides=True, path=path) for name in named)
        # The target too. Acceptance of LOG_LEVEL is none of GUNICORN_CMD_ARGS set from it.
        elif named or _is_passed_through(text):
            yield HostInput(entry, place, decides=decides(entry), is_copy=bool(named) and entry not in named)


def _entries(environment: Node) -> Iterator[tuple[str | None, Node, int]]:
    """Yields name, value and line of each variable. The name is None if the host may choose it."""
    if isinstance(environment, Items):
        for item in environment.items:
            name, separator, value = item.text.partition("=") if isinstance(item, Scalar) else ("", "", "")
            if not isinstance(item, Scalar) or any(_names(name)):
                yield None, item, item.line
            else:
                yield name, Scalar(value, bool(separator), item.line), item.line
    elif isinstance(environment, Fields):
        for name, node in environment.pairs:
            yield (None if any(_names(name)) else name), Fields(((name, node),), node.line), node.line
    else:
        yield None, environment, environment.line


def _is_passed_through(value: Node) -> bool:
    """Whether a value is left out, so that the host's variable of that name is taken."""
    if isinstance(value, Fields):
        return all(_is_passed_through(each) for _, each in value.pairs)
    return isinstance(value, Scalar) and not value.is_text and value.text.lower() in {"", "null", "~"}


def _from_environment(key: str, value: Node) -> Iterator[HostInput]:
    """Yields configs and secrets from a variable, files of the host that no digest pins."""
    if key not in {"configs", "secrets"} or not isinstance(value, Fields):
        return
    for name, source in value.pairs:
        path = _below(_below(_below("", key), name), _ENVIRONMENT)
        for variable in source.all(_ENVIRONMENT) if isinstance(source, Fields) else ():
            if isinstance(variable, Scalar):
                yield HostInput(variable.text, f"{key} {name!r}, line {variable.line}", decides=True, path=path)


def _names(text: str) -> Iterator[str]:
    """Yields the name of each variable that docker compose replaces in a text."""
    for match in _VARIABLE.finditer(text):
        # `$$` escapes one dollar. Removing it first would join the text around it.
        if match[0] != "$$":
            yield match[1] or match[2] or _UNREADABLE


def _variables(node: Node, path: str) -> Iterator[tuple[str, int, str, bool]]:
    """Yields name, line and path of each replaced variable, and whether it is in a key."""
    for text, line, place, is_key in _texts(node, path):
        yield from ((name, line, place, is_key) for name in _names(text))


def _texts(node: Node, path: str) -> Iterator[tuple[str, int, str, bool]]:
    """Yields every text below `path` with line and path; a key has its mapping's path."""
    if isinstance(node, Scalar):
        yield node.text, node.line, path, False
    elif isinstance(node, Items):
        for item in node.items:
            yield from _texts(item, path)
    else:
        for key, value in node.pairs:
            yield key, value.line, path, True
            yield from _texts(value, _below(path, key))


def _leaves(node: Node, path: str) -> Iterator[tuple[str, int, str]]:
    """Yields the names of files, texts that are no key and no flag of the long form."""
    if isinstance(node, Fields):
        for key, value in node.pairs:
            if key not in {"required", "format"}:
                yield from _leaves(value, _below(path, key))
    elif isinstance(node, Items):
        for item in node.items:
            yield from _leaves(item, path)
    else:
        yield node.text, node.line, path


def _below(path: str, key: str) -> str:
    """Returns the path of a member. A key of other characters is quoted, to be unambiguous."""
    part = key if _PLAIN_KEY.fullmatch(key) else "'" + key.replace("'", "''") + "'"
    joined = f"{path}.{part}" if path else part
    if len(joined) <= PATH_CHARACTERS:
        return joined
    return f"sha256-{hashlib.sha256(joined.encode(errors='surrogatepass')).hexdigest()}"
