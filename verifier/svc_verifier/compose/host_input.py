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
"""Where a program asks the chain; a credential such as `RPC_AUTHORIZATION` names no other chain."""

_DECIDING: Final = re.compile(f"{_ENGINE_AND_SHELL}|{_INTERPRETERS}|{_WHOM_TO_BELIEVE}|{_CHAIN}", re.IGNORECASE)


NAME_CHARACTERS: Final = 256
"""Of a variable's name that is judged; real ones are far shorter, and the expression's time grows with the square of it."""


def decides(name: str) -> bool:
    """Whether a variable of that name injects code or redirects trust. Blanks around a name may be lost on its way."""
    # Too long to be judged is never harmless.
    return len(name) > NAME_CHARACTERS or _DECIDING.fullmatch(name.strip()) is not None


_VARIABLE: Final = re.compile(r"\$(?:\$|\{([A-Za-z_][A-Za-z0-9_]*)|([A-Za-z_][A-Za-z0-9_]*)|(\{)|(.?))", re.DOTALL)
_ENVIRONMENT: Final = "environment"
_PLAIN_KEY: Final = re.compile(r"[A-Za-z0-9_-]+")
PATH_CHARACTERS: Final = 256
"""Of a path in a word; a longer one is named by its hash, so that deep files cannot make long words."""


@dataclass(frozen=True, slots=True)
class HostInput:
    """Value that the host may set. `decides` when it changes what is run or whom a program believes, not just its input.

    `path` names the place where a variable is no value of an `environment`, without the numbers of list entries. `is_copy`
    when the file gives it a value that holds other variables: the host sets these, and so this one.
    """

    name: str
    place: str
    decides: bool
    path: str = ""
    is_copy: bool = False

    @property
    def word(self) -> str:
        """The word by which a user accepts it: of a name in one place nothing follows for another."""
        return f"{self.path}:{self.name}" if self.path else self.name


def script_inputs(scripts: tuple[tuple[str, bytes], ...]) -> Iterator[HostInput]:
    """List the host's values that known scripts read, each named `MEMBER:VARIABLE`.

    A name of its own, since its acceptance must not accept a variable of `allowed_envs` that has the same name: such a one
    is set by the host for sure, and is judged there.
    """
    for member, digest in scripts:
        script = known_script(digest)
        if script is not None:
            place = f"read by {script.title}"
            yield from (HostInput(f"{member}:{name}", place, decides=False) for name in script.reads)


def host_inputs(
    compose: Fields, services: tuple[Service, ...], allowed_environment: tuple[str, ...]
) -> tuple[HostInput, ...]:
    """Everything the host may set, each once for each place."""
    found = [HostInput(name, "allowed_envs", decides=decides(name)) for name in allowed_environment]
    for key, value in compose.pairs:
        if key == "services":
            found.extend(_of_services(services))
        else:
            # Outside of services a variable names volumes, networks or configs, and so what containers share or run.
            found.extend(_anywhere(value, key, _below("", key)))
            found.extend(_from_environment(key, value))
    return tuple(dict.fromkeys(found))


def _of_services(services: tuple[Service, ...]) -> Iterator[HostInput]:
    for service in services:
        where, of_service = f"service {service.name!r}", _below("services", service.name)
        for key, value in service.fields.pairs:
            path = _below(of_service, key)
            if key == _ENVIRONMENT:
                yield from _of_environment(where, value, path)
            # A file beside the compose file is the host's, whatever its name, and may hold any variable.
            elif key in {"env_file", "label_file"}:
                yield from (
                    HostInput(text, f"{where}: {key}, line {line}", decides=True, path=path)
                    for text, line, path in _leaves(value, path)
                )
            else:
                yield from _anywhere(value, f"{where}: {key}", path)


def _anywhere(node: Node, where: str, path: str) -> Iterator[HostInput]:
    """Variables in a part of the file that is no environment: they name what is run, mounted or reached."""
    for name, line, place in _variables(node, path):
        yield HostInput(name, f"{where}, line {line}", decides=True, path=place)


def _of_environment(where: str, environment: Node, path: str) -> Iterator[HostInput]:
    """Values that name a variable, and entries without a value, which are passed through."""
    for entry, text, line in _entries(environment):
        place = f"{where}: environment, line {line}"
        named = [name for name, _, _ in _variables(text, path)]
        yield from (HostInput(name, place, decides=decides(name)) for name in named)
        # A name that the host chooses may be LD_PRELOAD.
        if entry is None:
            yield from (HostInput(name, f"{place}, as a variable's name", decides=True, path=path) for name in named)
        # Also what another variable is copied into: who accepted LOG_LEVEL has not accepted GUNICORN_CMD_ARGS.
        elif named or _is_passed_through(text):
            yield HostInput(entry, place, decides=decides(entry), is_copy=bool(named) and entry not in named)


def _entries(environment: Node) -> Iterator[tuple[str | None, Node, int]]:
    """Name, value and line of each variable. The name is None where the host may choose it."""
    if isinstance(environment, Items):
        for item in environment.items:
            name, separator, value = item.text.partition("=") if isinstance(item, Scalar) else ("", "", "")
            if not isinstance(item, Scalar) or "$" in name.replace("$$", ""):
                yield None, item, item.line
            else:
                yield name, Scalar(value, bool(separator), item.line), item.line
    elif isinstance(environment, Fields):
        for name, node in environment.pairs:
            yield (None if "$" in name.replace("$$", "") else name), Fields(((name, node),), node.line), node.line
    else:
        yield None, environment, environment.line


def _is_passed_through(value: Node) -> bool:
    """Whether a value is left out, so that the host's variable of that name is taken."""
    if isinstance(value, Fields):
        return all(_is_passed_through(each) for _, each in value.pairs)
    return isinstance(value, Scalar) and not value.is_text and value.text.lower() in {"", "null", "~"}


def _from_environment(key: str, value: Node) -> Iterator[HostInput]:
    """Configs and secrets whose content is a variable's: files that the host writes, and no image digest pins."""
    if key not in {"configs", "secrets"} or not isinstance(value, Fields):
        return
    for name, source in value.pairs:
        path = _below(_below(_below("", key), name), _ENVIRONMENT)
        for variable in source.all(_ENVIRONMENT) if isinstance(source, Fields) else ():
            if isinstance(variable, Scalar):
                yield HostInput(variable.text, f"{key} {name!r}, line {variable.line}", decides=True, path=path)


def _variables(node: Node, path: str) -> Iterator[tuple[str, int, str]]:
    """Name, line and path of each variable that is replaced; `?` where a `$` cannot be read."""
    for text, line, place in _texts(node, path):
        for match in _VARIABLE.finditer(text):
            # `$$` is docker compose's escape of one dollar. Taken out beforehand, it would join what stands around it.
            if match[0] != "$$":
                yield match[1] or match[2] or "?", line, place


def _texts(node: Node, path: str) -> Iterator[tuple[str, int, str]]:
    """Every text below `path` with its line and its own path; a key has that of its mapping."""
    if isinstance(node, Scalar):
        yield node.text, node.line, path
    elif isinstance(node, Items):
        for item in node.items:
            yield from _texts(item, path)
    else:
        for key, value in node.pairs:
            yield key, value.line, path
            yield from _texts(value, _below(path, key))


def _leaves(node: Node, path: str) -> Iterator[tuple[str, int, str]]:
    """The names of files: texts that are no key, and no flag of the long form."""
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
    """The path of a member. A key of other characters is quoted, so that no key reads as several, or as a variable."""
    part = key if _PLAIN_KEY.fullmatch(key) else "'" + key.replace("'", "''") + "'"
    joined = f"{path}.{part}" if path else part
    if len(joined) <= PATH_CHARACTERS:
        return joined
    return f"sha256-{hashlib.sha256(joined.encode(errors='surrogatepass')).hexdigest()}"
