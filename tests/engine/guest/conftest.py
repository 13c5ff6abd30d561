import pytest

from node.engine.guest.running import Guest
from node.engine.guest.snapshot import Maker
from tests.engine.guest.instances import Instance


@pytest.fixture(scope="session")
def maker() -> Maker:
    return Maker()


@pytest.fixture
def guest(maker: Maker) -> Guest:
    """One with the prelude, as it is when a snapshot is made."""
    made = Guest(maker.engine, maker.module, maker.libraries)
    maker.load_prelude(made)
    return made


@pytest.fixture
def instance(maker: Maker) -> Instance:
    """One with the prelude, as it is when an action runs."""
    made = Instance(maker.engine, maker.module, maker.libraries)
    maker.load_prelude(made)
    return made
