"""The examples of the runner are those of the repository, and run with the parameters that the page proposes."""

import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from tests.support.javascript import ran_javascript
from tests.support.node import REPOSITORY, running_node

FOLDER = REPOSITORY / "examples" / "actions"
CODES = """
import { EXAMPLES } from "./runner-examples.mjs";
console.log(JSON.stringify(EXAMPLES.map(({ code }) => code)));
"""
RUN_ALL = """
import { EXAMPLES } from "./runner-examples.mjs";
import { SvcClient } from "./svc-client.mjs";
const { api_key: apiKey } = await new SvcClient(given.url).account.create("runner");
const svc = new SvcClient(given.url, { apiKey });
const wallet = (await svc.wallets.create()).wallet_address;
const chainId = (await svc.node.chain()).chain_id;
const responses = [];
for (const { code, parameters } of EXAMPLES) {
  const proposed = parameters({ wallet, chainId, response: responses.at(-1) });
  if (proposed.url !== undefined) proposed.url = given.price;
  responses.push((await svc.actions.run(code, proposed)).response);
}
console.log(JSON.stringify({ wallet, responses }));
"""


class Price(BaseHTTPRequestHandler):
    """The answer of a server of prices, in the place of the public one."""

    def do_GET(self) -> None:
        body = b'{"symbol": "ETHUSDT", "price": "3123.45000000"}'
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's name for it
        """Nothing: the test's output is its own."""


def test_each_is_an_action_of_the_repository(modules: Path) -> None:
    known = {path.read_text(encoding="utf-8") for path in FOLDER.glob("*.js")}
    codes = ran_javascript(CODES, None, modules)
    assert len(codes) == 5
    assert set(codes) <= known


@pytest.mark.exhaustive
def test_each_runs_with_the_parameters_that_the_page_proposes(modules: Path, tmp_path: Path) -> None:
    server = HTTPServer(("127.0.0.1", 0), Price)
    serving = threading.Thread(target=server.serve_forever)
    serving.start()
    try:
        with running_node(tmp_path, {"SVC_EGRESS_ALLOW_LOOPBACK": "1"}) as node:
            price = f"http://127.0.0.1:{server.server_port}/"
            ran = ran_javascript(RUN_ALL, {"url": node.url, "price": price}, modules)
    finally:
        server.shutdown()
        serving.join()
        server.server_close()
    wallet, (signed, priced, encrypted, decrypted, transaction) = ran["wallet"], ran["responses"]
    assert signed["signer"] == transaction["from"] == wallet
    assert (priced["pair"], priced["price"]) == ("ETH/USD", "3123.45000000")
    assert encrypted["ciphertext"] != decrypted["secret"] == "only for actions"
