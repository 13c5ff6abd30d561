"""Docker Compose text, a strict reader of its YAML, its services, and findings by line."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, TypeAlias

import yaml

from svc_verifier.errors import VerifierError, VerifierErrorCode


class Subject(StrEnum):
    """Subject of a finding, which is a check of the catalogue."""

    FORM = "code.form"
    IMAGES = "code.images"
    SCRIPTS = "code.scripts"
    PRIVILEGES = "code.privileges"
    HOST_INPUT = "code.host-input"
    SETTINGS = "code.settings"
    MEMBERS = "code.members"


@dataclass(frozen=True, slots=True)
class Finding:
    """Objection to a compose file. `text` says where and what in one line.

    `member` is the member of the app-compose that the user may accept; empty if none is.
    """

    subject: Subject
    text: str
    member: str = ""


def at(line: int, text: str) -> str:
    """Returns `text` with its line."""
    return f"line {line}: {text}"


MERGE: Final = "<<"
_UNUSUAL: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ufeff]|\r(?!\n)")
_STRING_TAG: Final = "tag:yaml.org,2002:str"


@dataclass(frozen=True, slots=True)
class ComposeLimits:
    """Limits of a compose file. Real ones take some kilobytes."""

    text_characters: int = 131_072
    nodes: int = 20_000
    """Nodes after aliases are followed, since a few lines of aliases can stand for billions."""
    expanded_characters: int = 524_288
    """Characters of all scalars after aliases are followed, since thousands may name one text."""
    key_characters: int = 1_024
    """Characters of a key, which findings repeat. YAML allows no more without a question mark."""
    nesting: int = 32


DEFAULT_LIMITS: Final = ComposeLimits()


@dataclass(frozen=True, slots=True)
class Scalar:
    """A leaf with its text as written. `is_text` if YAML takes it for a string."""

    text: str
    is_text: bool
    line: int


@dataclass(frozen=True, slots=True)
class Items:
    """A list."""

    items: "tuple[Node, ...]"
    line: int


@dataclass(frozen=True, slots=True)
class Fields:
    """A mapping as pairs. A key comes once more for every merge that also gives it."""

    pairs: "tuple[tuple[str, Node], ...]"
    line: int

    def all(self, key: str) -> "tuple[Node, ...]":
        """Returns every value the key may take; empty when it is not there."""
        return tuple(value for name, value in self.pairs if name == key)


Node: TypeAlias = Scalar | Items | Fields


def parse_compose(text: str, limits: ComposeLimits = DEFAULT_LIMITS) -> Fields:
    """Returns the file's one document. Raises VerifierError(BAD_COMPOSE, TOO_LARGE)."""
    if len(text) > limits.text_characters:
        raise VerifierError(VerifierErrorCode.TOO_LARGE, f"compose file: more than {limits.text_characters} characters")
    # Readers end lines at different characters, so a line may be a comment for some only.
    unusual = _UNUSUAL.search(text)
    if unusual:
        raise _bad(f"character U+{ord(unusual[0][0]):04X} at offset {unusual.start()}")
    try:
        root = _Loader(text, limits).get_single_node()
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise _bad(_place(error)) from None
    tree = _Builder(limits).build(root, 0) if root is not None else None
    if not isinstance(tree, Fields):
        raise _bad("no mapping at the top")
    return tree


class _Loader(yaml.SafeLoader):
    """Reads one document, and refuses it at the first token or event beyond a limit.

    PyYAML looks at all open brackets for each token, so its time grows with the depth's square.
    """

    def __init__(self, text: str, limits: ComposeLimits) -> None:
        super().__init__(text)
        self._limits = limits
        self._events = 0
        self._depth = 0
        self._documents = 0

    def fetch_flow_collection_start(self, TokenClass: type[yaml.Token]) -> None:  # noqa: N803 - PyYAML's own signature
        """See PyYAML, which calls it for each bracket that opens."""
        # Before the token, since events come only after a line of brackets was read.
        if self.flow_level >= self._limits.nesting:
            raise self._too_large()
        super().fetch_flow_collection_start(TokenClass)

    def get_event(self) -> yaml.Event:
        """See PyYAML, which calls it once for each event."""
        event: yaml.Event = super().get_event()  # type: ignore[no-untyped-call] # of PyYAML
        self._events += 1
        self._depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        # A node has at most two events. Counted before it is built, when aliases cost nothing.
        if self._events > 2 * self._limits.nodes or self._depth > self._limits.nesting:
            raise self._too_large()
        line = _line(event)
        if isinstance(event, yaml.DocumentStartEvent):
            self._documents += 1
            if self._documents > 1 or event.version or event.tags:
                raise _bad(f"line {line}: a directive or a second document")
        # A tag changes a value's type, but not in every reader.
        elif isinstance(event, yaml.ScalarEvent | yaml.CollectionStartEvent) and event.tag is not None:
            raise _bad(f"line {line}: the tag {event.tag!r}")
        return event

    def _too_large(self) -> VerifierError:
        return _beyond(self._limits)


class _Builder:
    """Converts YAML nodes into ours, following aliases within the limits."""

    def __init__(self, limits: ComposeLimits) -> None:
        self._limits = limits
        self._nodes = 0
        self._characters = 0
        self._open: set[int] = set()
        """The lists and mappings that are being built."""

    def build(self, node: yaml.Node, depth: int) -> Node:
        self._nodes += 1
        if self._nodes > self._limits.nodes or depth > self._limits.nesting:
            raise _beyond(self._limits)
        line = _line(node)
        if isinstance(node, yaml.ScalarNode):
            self._characters += len(node.value)
            if self._characters > self._limits.expanded_characters:
                raise _beyond(self._limits)
            return Scalar(node.value, node.tag == _STRING_TAG, line)
        # No reader can follow it, whatever its limits are.
        if id(node) in self._open:
            raise _bad(f"line {line}: it holds itself")
        self._open.add(id(node))
        built = self._collection(node, line, depth)
        self._open.remove(id(node))
        return built

    def _collection(self, node: yaml.Node, line: int, depth: int) -> Node:
        if isinstance(node, yaml.SequenceNode):
            return Items(tuple(self.build(item, depth + 1) for item in node.value), line)
        if isinstance(node, yaml.MappingNode):
            return Fields(tuple(self._pairs(node, depth)), line)
        raise _bad(f"line {line}: a node of no known kind")

    def _pairs(self, node: yaml.MappingNode, depth: int) -> Iterator[tuple[str, Node]]:
        seen: set[str] = set()
        for key, value in node.value:
            line = _line(key)
            if not isinstance(key, yaml.ScalarNode):
                raise _bad(f"line {line}: a key that is no text")
            if len(key.value) > self._limits.key_characters:
                raise _beyond(self._limits)
            # YAML forbids it, and readers take the first, the last, or neither.
            if key.value in seen:
                raise _bad(f"line {line}: the key {key.value!r} comes twice")
            seen.add(key.value)
            if key.value == MERGE:
                yield from self._merged(value, depth)
            else:
                yield key.value, self.build(value, depth + 1)

    def _merged(self, node: yaml.Node, depth: int) -> Iterator[tuple[str, Node]]:
        merged = self.build(node, depth + 1)
        for source in merged.items if isinstance(merged, Items) else (merged,):
            if not isinstance(source, Fields):
                raise _bad(f"line {source.line}: a merge of something that is no mapping")
            yield from source.pairs


def _line(marked: yaml.Event | yaml.Node) -> int:
    return marked.start_mark.line + 1 if marked.start_mark is not None else 0


def _place(error: BaseException) -> str:
    mark = getattr(error, "problem_mark", None)
    problem = getattr(error, "problem", None) or "is no YAML"
    return f"line {mark.line + 1}: {problem}" if mark is not None else "is no YAML"


def _beyond(limits: ComposeLimits) -> VerifierError:
    what = (
        f"more than {limits.nodes} nodes or {limits.expanded_characters} characters, nested more than {limits.nesting} "
        f"deep, or a key of more than {limits.key_characters} characters"
    )
    return VerifierError(VerifierErrorCode.TOO_LARGE, f"compose file: {what}")


def _bad(what: str) -> VerifierError:
    return VerifierError(VerifierErrorCode.BAD_COMPOSE, f"compose file: {what}; YAML readers may take it differently")


@dataclass(frozen=True, slots=True)
class Service:
    """Service of a Docker Compose file. A merged one may come more than once with all its keys."""

    name: str
    fields: Fields

    def entries(self, key: str) -> Iterator[Node]:
        """Yields the entries of the lists under `key`. A mapping or scalar counts as one entry."""
        for value in self.fields.all(key):
            if isinstance(value, Items):
                yield from value.items
            else:
                yield value


def services_of(compose: Fields) -> tuple[Service, ...]:
    """Returns every service that is a mapping; `unknown_keys` objects to the others."""
    return tuple(
        Service(name, service)
        for services in compose.all("services")
        if isinstance(services, Fields)
        for name, service in services.pairs
        if isinstance(service, Fields)
    )
