"""Customer search, an index with a lag and a part of the query language.

Source: https://docs.stripe.com/search. Changes can be found after about a minute.
"""

import re
from collections.abc import Callable, Iterator
from typing import Final

from devkit.processor.errors import parameter_invalid
from devkit.processor.objects import Customer
from devkit.processor.store import Store

CLAUSE: Final = re.compile(
    r"""\s*(?P<not>-)?(?P<field>[a-z_]+)(\[(?P<q1>["'])(?P<key>[^"']+)(?P=q1)\])?\s*(?P<op>[:~]|>=?|<=?)\s*"""
    r"""((?P<q2>["'])(?P<text>[^"']*)(?P=q2)|(?P<number>[0-9]+)|(?P<null>null))\s*"""
)
JOIN: Final = re.compile(r"(AND|OR)\b|$", re.IGNORECASE)
TEXT_FIELDS: Final = ("email", "name", "phone")

Matches = Callable[[Customer], bool]


class SearchIndex:
    """Customers as they were `lag_s` ago. `clock` is unix time in seconds.

    After a restart everything that was stored is in the index.
    """

    def __init__(self, store: Store, clock: Callable[[], float], lag_s: float) -> None:
        self.lag_s = lag_s
        self._clock = clock
        self._versions: dict[str, list[tuple[float, Customer]]] = {}
        for customer in store.customers.oldest_first():
            self._versions[customer.id] = [(float("-inf"), customer.model_copy(deep=True))]

    def note(self, customer: Customer) -> None:
        """Record a created or changed customer."""
        now = self._clock()
        versions = self._versions.setdefault(customer.id, [])
        while len(versions) > 1 and versions[1][0] <= now - self.lag_s:
            versions.pop(0)
        # Copies, since the store's object goes on changing.
        versions.append((now, customer.model_copy(deep=True)))

    def find(self, query: str) -> list[Customer]:
        """Returns the matching customers, newest first. Raises ApiError 400 for a bad query."""
        matches = parsed(query)
        return [found for found in reversed(list(self._visible())) if not found.deleted and matches(found)]

    def _visible(self) -> Iterator[Customer]:
        until = self._clock() - self.lag_s
        for versions in self._versions.values():
            seen = [customer for at, customer in versions if at <= until]
            if seen:
                yield seen[-1]


def parsed(query: str) -> Matches:
    """Returns the predicate of a query, clauses joined by AND, or by OR, not by both."""
    clauses: list[Matches] = []
    joins: set[str] = set()
    position = 0
    while True:
        clause = CLAUSE.match(query, position)
        join = JOIN.match(query, clause.end()) if clause else None
        if clause is None or join is None:
            raise parameter_invalid(f"We were unable to parse your search query near {position}.", "query")
        clauses.append(_clause(clause))
        position = join.end()
        if not join[0]:
            break
        joins.add(join[0].upper())
    if len(joins) > 1:
        raise parameter_invalid("A search query cannot combine AND and OR.", "query")
    return _joined(clauses, any if joins == {"OR"} else all)


def _joined(clauses: list[Matches], how: Callable[[Iterator[bool]], bool]) -> Matches:
    return lambda customer: how(iter([clause(customer) for clause in clauses]))


def _clause(clause: re.Match[str]) -> Matches:
    matches = _number_clause(clause) if clause["field"] == "created" else _text_clause(clause)
    if clause["not"]:
        return lambda customer: not matches(customer)
    return matches


def _number_clause(clause: re.Match[str]) -> Matches:
    if clause["number"] is None or clause["op"] == "~":
        raise parameter_invalid("`created` is compared with a number.", "query")
    wanted = int(clause["number"])
    compared: dict[str, Callable[[int], bool]] = {
        ":": lambda created: created == wanted,
        ">": lambda created: created > wanted,
        ">=": lambda created: created >= wanted,
        "<": lambda created: created < wanted,
        "<=": lambda created: created <= wanted,
    }
    return lambda customer: compared[clause["op"]](customer.created)


def _text_clause(clause: re.Match[str]) -> Matches:
    name, key, wanted = clause["field"], clause["key"], clause["text"]
    if name not in ("metadata", *TEXT_FIELDS) or (name == "metadata") != (key is not None):
        raise parameter_invalid(f"Field `{name}` is an unsupported search field for resource `customers`.", "query")
    if clause["op"] not in (":", "~") or (wanted is None and clause["null"] is None):
        raise parameter_invalid(f"Field `{name}` is compared with a quoted text.", "query")

    def matches(customer: Customer) -> bool:
        value = customer.metadata.get(key) if key is not None else getattr(customer, name)
        if wanted is None or value is None:
            return wanted is None and value is None
        return wanted.lower() in str(value).lower() if clause["op"] == "~" else str(value).lower() == wanted.lower()

    return matches
