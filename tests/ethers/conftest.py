"""One engine for the libraries' tests."""

from tests.engine.conftest import engine

__all__ = ["engine"]
