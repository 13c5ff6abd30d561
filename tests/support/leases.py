"""Time as leases see it: the database's own, which a test moves by moving what is written."""

from node.database.port import Database, Statement


async def bury(database: Database, name: str) -> None:
    """Let this process be taken for gone, in every scope."""
    await database.execute(Statement("UPDATE lease SET holder = '', token = token + 1 WHERE name = ?", (name,)))


async def pass_time(database: Database, scope: str, seconds: float) -> None:
    """Let every lease of the scope be this much older."""
    older = Statement("UPDATE lease SET until_ms = until_ms - ? WHERE scope = ?", (round(1000 * seconds), scope))
    await database.execute(older)
