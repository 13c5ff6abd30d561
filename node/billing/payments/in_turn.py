"""Works that do not depend on one another's success."""

from collections.abc import Awaitable, Callable

from node.errors import NodeError


async def each_in_turn(*works: Callable[[], Awaitable[object]]) -> None:
    """Do each of them; the first failure is raised when all were tried, but that of the ledger (NodeError) at once."""
    failures: list[Exception] = []
    for work in works:
        try:
            await work()
        except NodeError:
            raise
        except Exception as error:  # noqa: BLE001 - raised below
            failures.append(error)
    if failures:
        raise failures[0]
