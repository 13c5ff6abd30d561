"""Providers, contracts and transactions of an action, over fetch to a real chain."""

import pytest

from node.engine.process_engine import ProcessEngine
from tests.engine.ethers.on_chain import on_chain

pytestmark = pytest.mark.asyncio(loop_scope="module")

DEPLOY_AND_SET = {
    "ethers": """async function main({ url, key, abi, bytecode, polling }) {
      const provider = new ethers.providers.JsonRpcProvider(url);
      provider.pollingInterval = polling;
      const wallet = new ethers.Wallet(key, provider);
      const factory = new ethers.ContractFactory(abi, bytecode, wallet);
      const keeper = await (await factory.deploy()).deployed();
      const receipt = await (await keeper.set(42)).wait();
      const read = new ethers.Contract(keeper.address, abi, new ethers.providers.StaticJsonRpcProvider(url));
      return [(await read.value()).toNumber(), receipt.status, await wallet.getTransactionCount()];
    }""",
    "ethers6": """async function main({ url, key, abi, bytecode, polling }) {
      const provider = new ethers6.JsonRpcProvider(url, undefined, { cacheTimeout: -1, polling: true, pollingInterval: polling });
      const wallet = new ethers6.Wallet(key, provider);
      const factory = new ethers6.ContractFactory(abi, bytecode, wallet);
      const keeper = await (await factory.deploy()).waitForDeployment();
      const receipt = await (await keeper.set(42)).wait();
      const read = new ethers6.Contract(await keeper.getAddress(), abi, new ethers6.JsonRpcProvider(url, 31337, { staticNetwork: true }));
      return [Number(await read.value()), receipt.status, await wallet.getNonce()];
    }""",
}


@pytest.mark.parametrize("library", DEPLOY_AND_SET)
async def test_deploy_write_wait_and_read(engine: ProcessEngine, library: str) -> None:
    async with on_chain(engine) as chain:
        assert await chain.response(DEPLOY_AND_SET[library], polling=50) == [42, 1, 2]


@pytest.mark.exhaustive
@pytest.mark.parametrize("library", DEPLOY_AND_SET)
async def test_waiting_goes_on_polling_until_the_block_is_there(engine: ProcessEngine, library: str) -> None:
    async with on_chain(engine, block_time_s=0.5) as chain:
        outcome = await chain.outcome(DEPLOY_AND_SET[library], polling=150)
        assert outcome.response == [42, 1, 2], outcome.error
        assert outcome.duration_ms > 500


async def test_a_transaction_signed_by_hand_is_taken_by_the_chain(engine: ProcessEngine) -> None:
    code = """async function main({ url, key }) {
      const provider = new ethers.providers.StaticJsonRpcProvider({ url, skipFetchSetup: true });
      const wallet = new ethers.Wallet(key);
      const to = ethers.Wallet.createRandom().address;
      const base = { to, value: ethers.utils.parseEther('0.25'), gasLimit: 21000, chainId: 31337 };
      const fees = await provider.getFeeData();
      const kinds = [
        { type: 0, gasPrice: fees.gasPrice },
        { type: 1, gasPrice: fees.gasPrice, accessList: [] },
        { type: 2, maxFeePerGas: fees.maxFeePerGas, maxPriorityFeePerGas: fees.maxPriorityFeePerGas },
      ];
      for (const [nonce, kind] of kinds.entries()) {
        const raw = await wallet.signTransaction({ ...base, ...kind, nonce });
        const sent = await provider.sendTransaction(raw);
        if (sent.from !== wallet.address) throw new Error('another sender');
        await sent.wait();
      }
      return ethers.utils.formatEther(await provider.getBalance(to));
    }"""
    async with on_chain(engine) as chain:
        assert await chain.response(code) == "0.75"


async def test_what_the_chain_refuses_is_an_error_of_the_library(engine: ProcessEngine) -> None:
    code = """async function main({ url, key, abi, bytecode }) {
      const codeOf = async (attempt) => { try { await attempt(); return 'done'; } catch (error) { return error.code; } };
      const five = new ethers.providers.StaticJsonRpcProvider(url);
      const six = new ethers6.JsonRpcProvider(url, 31337, { staticNetwork: true });
      const to = '0x' + '11'.repeat(20);
      const poor = '0x' + '07'.repeat(32);
      return [
        await codeOf(() => new ethers.Wallet(poor, five).sendTransaction({ to, value: 1 })),
        await codeOf(() => new ethers.Contract(to, abi, five).value()),
        await codeOf(() => new ethers.providers.JsonRpcProvider('http://localhost:1').getBlockNumber()),
        await codeOf(() => new ethers6.Wallet(poor, six).sendTransaction({ to, value: 1 })),
        await codeOf(() => new ethers6.Contract(to, abi, six).value()),
      ];
    }"""
    async with on_chain(engine) as chain:
        assert await chain.response(code) == [
            "INSUFFICIENT_FUNDS",
            "CALL_EXCEPTION",
            "NETWORK_ERROR",
            "INSUFFICIENT_FUNDS",
            "BAD_DATA",
        ]


async def test_events_are_read(engine: ProcessEngine) -> None:
    code = """async function main({ url, key }) {
      const provider = new ethers.providers.JsonRpcProvider(url);
      const seen = new Promise((resolve) => provider.once('block', resolve));
      provider.pollingInterval = 50;
      await provider.send('evm_mine', []);
      return [await seen, (await provider.getLogs({ fromBlock: 0, toBlock: 'latest' })).length];
    }"""
    async with on_chain(engine) as chain:
        response = await chain.response(code)
        assert isinstance(response, list)
        assert response[0] in (0, 1)
        assert response[1] == 0


async def test_a_price_read_over_http_is_signed(engine: ProcessEngine) -> None:
    """The commonest published action: fetch, decide, sign what was seen."""
    code = """const main = async ({ url, key, least }) => {
      const response = await fetch(url, {
        method: 'POST', headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] }),
      });
      const price = Number((await response.json()).result);
      if (price < least) return { error: 'too low', price };
      const wallet = new ethers.Wallet(key);
      const digest = ethers.utils.solidityKeccak256(['string', 'uint256'], ['price', price]);
      const signature = await wallet.signMessage(ethers.utils.arrayify(digest));
      const signer = ethers.utils.verifyMessage(ethers.utils.arrayify(digest), signature);
      return { price, digest, signature, own: signer === wallet.address };
    };"""
    async with on_chain(engine) as chain:
        signed = await chain.response(code, least=1)
        assert isinstance(signed, dict)
        assert (signed["price"], signed["own"]) == (31337, True)
        assert await chain.response(code, least=50_000) == {"error": "too low", "price": 31337}
