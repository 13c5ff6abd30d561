"""A deployment as the operator describes it, with its settings; each part checks itself."""

import json
import re
import tomllib
from dataclasses import dataclass
from typing import Final

from compose.errors import ComposeError, Exit
from node.errors import StartupRefusedError
from node.settings import PREFIX, SECRETS, Settings, secrets_of
from node.settings.loading import settings_for_serving_from_text
from svc_verifier.compose.host_input import decides

_BLANKS: Final = "\n\t"
SETTINGS_MAX_BYTES: Final = 65_536
"""Largest settings file, since an argument may have 128 KiB on Linux (execve(2))."""


def inlinable(text: str, what: str, limit_bytes: int) -> str:
    """Returns `text` with one final newline. Raises ComposeError(MALFORMED) for unsafe YAML."""
    if len(text.encode(errors="surrogatepass")) > limit_bytes:
        raise _bad(what, f"has more than {limit_bytes} bytes")
    for number, line in enumerate(text.split("\n"), 1):
        # U+0085, U+2028 and U+2029 end a line in YAML 1.1 but not in 1.2. Other such characters
        # hide text from a reviewer.
        strange = next((sign for sign in line if not sign.isprintable() and sign not in _BLANKS), None)
        if strange is not None:
            raise _bad(what, f"line {number} holds the invisible character U+{ord(strange):04X}: take it out")
    # A `|` block keeps one final newline: only that may be in the text that is compared.
    body = text.rstrip()
    if not body:
        raise _bad(what, "is empty")
    # The first line sets a block scalar's indentation: a blank there would shift all others.
    if body[0].isspace():
        raise _bad(what, "begins with a blank: begin with the first name or a comment")
    return body + "\n"


def doubled(text: str) -> str:
    """Returns `text` escaped, so that Docker Compose gives it back after replacing variables."""
    return text.replace("$", "$$")


def undoubled(text: str) -> str | None:
    """Returns the text that Docker Compose makes of `text`; None if it replaces a variable."""
    return text.replace("$$", "$") if "$" not in text.replace("$$", "") else None


def block_lines(text: str, indent: int) -> list[str]:
    """Returns lines for a `|` block, indented and with `$` doubled; empty lines stay empty."""
    return [" " * indent + line if line else "" for line in doubled(text).removesuffix("\n").split("\n")]


def quoted(text: str) -> str:
    """Returns one line as a YAML scalar in double quotes, as in JSON, with `$` doubled."""
    return json.dumps(doubled(text), ensure_ascii=False)


def _bad(what: str, why: str) -> ComposeError:
    return ComposeError(Exit.MALFORMED, f"{what} {why}.")


@dataclass(frozen=True, slots=True)
class NodeSettings:
    """Settings and their text. `given` are the names in the text; others have defaults."""

    text: str
    settings: Settings
    given: frozenset[str]


def read_settings(text: str) -> NodeSettings:
    """Returns the settings as `serve` reads them. Raises ComposeError(MALFORMED) without values."""
    body = inlinable(text, "the settings file", SETTINGS_MAX_BYTES)
    for name in sorted(SECRETS):
        # Comments are measured and public too: one with an old secret gives it away.
        if re.search(rf"(?im)^[^\n]*#[^\n]*{name}\w*\W*=", body):
            raise ComposeError(
                Exit.MALFORMED,
                f"a comment of the settings file sets {name}: everybody can read this file. Take the secret out, "
                f"replace it where it is valid, and give the new one as {PREFIX}{name.upper()}.",
            )
    try:
        settings = settings_for_serving_from_text(body, {})
    except StartupRefusedError as refused:
        raise ComposeError(Exit.MALFORMED, f"the settings file: {refused}") from None
    return NodeSettings(body, settings, frozenset(tomllib.loads(body)))


_PART: Final = r"[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*"
_HOST: Final = r"[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?(?::[0-9]{1,5})?"
_REFERENCE: Final = re.compile(
    rf"(?P<name>(?:{_HOST}/)?{_PART}(?:/{_PART})*)(?::(?P<tag>[A-Za-z0-9_][A-Za-z0-9_.-]{{0,127}}))?"
    r"@sha256:(?P<digest>[0-9a-f]{64})"
)
_NAME_CHARACTERS: Final = 255
_MEMORY: Final = re.compile(r"[1-9][0-9]{3,6}m|[1-9][0-9]{0,3}g")
"""Memory from 1000m on, since the node and its first worker take several hundred MB."""


@dataclass(frozen=True, slots=True)
class ImageReference:
    """An image. `tag`, which may be empty, is only for people; the 32-byte `digest` decides."""

    text: str
    name: str
    tag: str
    digest: bytes


def parse_image(text: str) -> ImageReference:
    """Returns NAME[:TAG]@sha256: and 64 lower-case hex digits. Raises ComposeError(MISUSE)."""
    match = _REFERENCE.fullmatch(text)
    if match is None or len(match["name"]) > _NAME_CHARACTERS:
        raise ComposeError(
            Exit.MISUSE,
            f"the image {text[:200]!a} is not NAME[:TAG]@sha256: and 64 lower-case hex digits: a name or tag alone may "
            "be another image tomorrow.",
        )
    return ImageReference(text, match["name"], match["tag"] or "", bytes.fromhex(match["digest"]))


OF_THE_SETTINGS: Final = ("DOMAIN", "TARGET_ENDPOINT")
"""Variables of the ingress that follow from the node's settings."""
_VARIABLE: Final = re.compile(r"[A-Z][A-Z0-9_]{0,63}")


@dataclass(frozen=True, slots=True)
class Ingress:
    """dstack-ingress beside the node. It ends TLS, holds the certificate, and reaches every key.

    `environment` are names with measured values, `secrets` names of values the operator encrypts.
    """

    image: ImageReference
    environment: tuple[tuple[str, str], ...]
    secrets: tuple[str, ...]

    def __post_init__(self) -> None:
        """Raises ComposeError(MISUSE)."""
        for name, value in self.environment:
            require_variable(name)
            if not value.isprintable():
                raise ComposeError(Exit.MISUSE, f"the value of {name} holds an invisible character.")
        for name in self.secrets:
            require_variable(name)
        # A repeated secret is harmless, so use a set; a measured value must be given once.
        names = [*(name for name, _ in self.environment), *set(self.secrets), *OF_THE_SETTINGS]
        if twice := sorted({name for name in names if names.count(name) > 1}):
            why = f"the ingress's {twice[0]} is given twice, or follows from the settings: which one counts is not certain."
            raise ComposeError(Exit.MISUSE, why)


@dataclass(frozen=True, slots=True)
class Telemetry:
    """A collector that reads the node's /metrics. Its whole `config` is mounted at `target`."""

    image: ImageReference
    config: str
    target: str
    arguments: tuple[str, ...]
    secrets: tuple[str, ...]

    def __post_init__(self) -> None:
        """Raises ComposeError(MISUSE)."""
        if not re.fullmatch(r"(/[A-Za-z0-9._-]+)+", self.target) or ".." in self.target:
            raise ComposeError(Exit.MISUSE, "the telemetry configuration needs an absolute path of plain names.")
        if not all(argument and argument.isprintable() for argument in self.arguments):
            raise ComposeError(
                Exit.MISUSE, "an argument of the telemetry container is empty or holds what is invisible."
            )
        for name in self.secrets:
            require_variable(name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Deployment:
    """A node to deploy. `secrets` are names of settings that only the environment may hold.

    `memory_limit` is docker's, such as 6g, or empty for none.
    """

    image: ImageReference
    settings: NodeSettings
    secrets: tuple[str, ...] = ()
    ingress: Ingress | None = None
    telemetry: Telemetry | None = None
    memory_limit: str = ""
    rotates_logs: bool = False

    def __post_init__(self) -> None:
        """Raises ComposeError(MISUSE)."""
        if self.memory_limit and not _MEMORY.fullmatch(self.memory_limit):
            raise ComposeError(Exit.MISUSE, "the memory limit is a number and m or g, such as 6g: at least 1g.")
        secrets = secrets_of(self.settings.settings.rpc_endpoints)
        if strange := sorted(set(self.secrets) - secrets):
            known = ", ".join(sorted(secrets))
            raise ComposeError(Exit.MISUSE, f"{strange[0]!a} is no secret of the node; there are {known}.")
        _require_fitting(self)

    @property
    def host_variables(self) -> tuple[str, ...]:
        """Every variable that the operator, and so the host, may set; sorted, without repeats."""
        named = {PREFIX + name.upper() for name in self.secrets}
        for sidecar in (self.ingress, self.telemetry):
            named |= set(sidecar.secrets) if sidecar is not None else set()
        return tuple(sorted(named))


def require_variable(name: str) -> None:
    """Checks that a sidecar's variable may have this name. Raises ComposeError(MISUSE)."""
    # The host chooses the values, and with LD_PRELOAD or PATH it would choose the code.
    if not _VARIABLE.fullmatch(name) or decides(name) or name.startswith(PREFIX):
        raise ComposeError(
            Exit.MISUSE,
            f"the variable {name[:80]!a} may not be a sidecar's: capitals, digits and underscores, none that the "
            f"engine, a shell or an interpreter reads, none of the node's ({PREFIX}…).",
        )


def _require_fitting(deployment: Deployment) -> None:
    """Checks that the settings fit the sidecars. Raises ComposeError(MISUSE)."""
    settings = deployment.settings.settings
    if deployment.ingress is not None and (settings.certificate_mode or settings.evidence_folder != "/evidences"):
        why = 'the ingress ends TLS itself: leave certificate_mode empty and set evidence_folder = "/evidences".'
        raise ComposeError(Exit.MISUSE, why)
    if deployment.ingress is None and not settings.certificate_mode:
        why = "nothing would end TLS: set certificate_mode (docs/certificates.md), or name an ingress."
        raise ComposeError(Exit.MISUSE, why)
    if deployment.telemetry is None and settings.log_export_url:
        why = "log_export_url needs a collector beside the node: name one with --telemetry-image."
        raise ComposeError(Exit.MISUSE, why)
    if deployment.telemetry is not None and settings.metrics_host in {"127.0.0.1", "::1", "localhost"}:
        why = (
            'telemetry reads /metrics from its own container: set metrics_host = "0.0.0.0"; the port is not published.'
        )
        raise ComposeError(Exit.MISUSE, why)
