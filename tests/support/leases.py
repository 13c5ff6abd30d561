"""Time as leases see it: the database's own, which a test moves by moving what is written."""

from node.database.port import Database, Statement


async def pass_time(database: Database, seconds: float) -> None:
    """Let every lease be this much older."""
    await database.execute(Statement("UPDATE lease SET until_ms = until_ms - ?", (round(1000 * seconds),)))
