"""One real node for the tests of this folder; every answer it gives is checked against its own OpenAPI document."""

import json
import urllib.request
from collections.abc import Iterator

import pytest

from tests.e2e.account import Account, new_account
from tests.support.client import Client
from tests.support.node import NodeProcess, running_node
from tests.support.openapi import OpenApiChecker


@pytest.fixture(scope="package")
def node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NodeProcess]:
    settings = {
        "SVC_HTTP_MINTS_PER_MINUTE_PER_ADDRESS": "100000",
        "SVC_EXPLAIN_PER_MINUTE_PER_ACCOUNT": "1000000",
        "SVC_HTTP_CHAIN_READS_PER_MINUTE_PER_ACCOUNT": "1000000",
        "SVC_HTTP_CHAIN_READS_PER_MINUTE_PER_ADDRESS": "1000000",
    }
    with running_node(tmp_path_factory.mktemp("node"), settings) as running:
        yield running


@pytest.fixture(scope="package")
def anonymous(node: NodeProcess) -> Client:
    return client_of(node)


def client_of(node: NodeProcess) -> Client:
    """A client without a key whose every answer is checked."""
    with urllib.request.urlopen(f"{node.api}/openapi.json") as response:
        checker = OpenApiChecker(json.loads(response.read()))
    return Client(
        node.api,
        lambda method, path, answer: checker.check(method, f"/{path}", answer.status, answer.headers, answer.body),
    )


@pytest.fixture
def account(anonymous: Client) -> Account:
    return new_account(anonymous)
