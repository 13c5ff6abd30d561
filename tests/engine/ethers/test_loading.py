"""How the libraries come into an action: when first named, once, without a trace of what they stand on."""

import pytest

from node.engine.guest.running import text_of
from node.engine.process_engine import ProcessEngine
from node.engine.worker import natives
from tests.engine.hosts import run

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def test_both_stand_side_by_side(engine: ProcessEngine) -> None:
    code = "const main = () => [ethers.version, ethers6.version, ethers.ethers.version, ethers === ethers];"
    assert (await run(engine, code)).response == ["ethers/5.7.2", "6.17.0", "ethers/5.7.2", True]


async def test_no_native_function_is_left_for_the_action(engine: ProcessEngine) -> None:
    code = """function main() {
      ethers; ethers6;
      return Object.getOwnPropertyNames(globalThis);
    }"""
    names = (await run(engine, code)).response
    assert isinstance(names, list)
    assert {"ethers", "ethers6"} <= set(map(str, names))
    assert not {*natives.library_functions(), "loadLibrary", "evaluate", "natives", "NATIVES", "LIBRARIES"} & set(
        map(str, names)
    )


async def test_the_names_may_be_declared_by_the_action(engine: ProcessEngine) -> None:
    for code in (
        "const ethers = 7; const main = () => ethers;",
        "var ethers = 7; const main = () => ethers;",
        "const main = () => { ethers = 7; return globalThis.ethers; };",
        "function ethers() {} const main = () => 7;",
        "const main = () => { const { version } = ethers; ethers = { version }; return ethers.version && 7; };",
    ):
        assert (await run(engine, code)).response == 7, code


async def test_an_error_of_the_library_shows_the_actions_lines_alone(engine: ProcessEngine) -> None:
    code = "\nfunction main() {\n  return ethers.utils.getAddress('0x12');\n}"
    error = (await run(engine, code)).error
    assert error is not None
    assert error.message.startswith("invalid address")
    assert error.stack.split("\n")[1:] == ["    at main (action.js:3:23)"]


async def test_the_key_is_in_no_error(engine: ProcessEngine) -> None:
    bad = "77" * 31
    for library in ("ethers", "ethers6"):
        code = f"function main() {{ return new {library}.Wallet('0x{bad}'); }}"
        outcome = await run(engine, code)
        assert outcome.error is not None
        assert bad not in f"{outcome.error}{outcome.logs}"


async def test_no_two_actions_make_the_same_wallet(engine: ProcessEngine) -> None:
    """The libraries are loaded in the snapshot: what they draw must not be."""
    code = """const main = () => [ethers.Wallet.createRandom(), ethers6.Wallet.createRandom()].map(({ address, mnemonic }) => (
      [address, mnemonic.phrase]
    )).concat([ethers.utils.hexlify(ethers.utils.randomBytes(32)), ethers6.hexlify(ethers6.randomBytes(32))]).flat();"""
    drawn: list[str] = []
    for _ in range(3):
        response = (await run(engine, code)).response
        assert isinstance(response, list)
        drawn += map(str, response)
    assert len(drawn) == len(set(drawn)) == 18


async def test_what_is_out_of_range_is_refused(engine: ProcessEngine) -> None:
    """Where ethers v5 reduces a number that cannot be one of the curve, the native function refuses it."""
    code = """function main() {
      const refused = (attempt) => { try { attempt(); return false; } catch { return true; } };
      const { SigningKey, verifyMessage, computePublicKey } = ethers.utils;
      const key = new SigningKey("0x" + "11".repeat(32));
      return [
        refused(() => verifyMessage("text", "0x" + "ff".repeat(64) + "1b")),
        refused(() => verifyMessage("text", "0x" + "00".repeat(64) + "1b")),
        refused(() => verifyMessage("text", "0x" + "11".repeat(32) + "00".repeat(32) + "1b")),
        refused(() => key.computeSharedSecret("0x02" + "ff".repeat(32))),
        refused(() => key.computeSharedSecret("0x04" + "11".repeat(64))),
        refused(() => computePublicKey("0x04" + "11".repeat(64), true)),
      ];
    }"""
    assert (await run(engine, code)).response == [True] * 6


async def test_odd_arguments_are_errors_inside_the_action(engine: ProcessEngine) -> None:
    """The binding dies of some values: none of them may come through a library to a native function."""
    code = """function main() {
      const odd = ['\\ud800', 'a\\0b', 1n, Symbol('s'), NaN, -1, 1e300, 0.5, {}, [], null, () => 1, 'x'.repeat(3e3) + 'y'.repeat(3e3)];
      const attempts = [
        (value) => ethers6.pbkdf2('0x', '0x', value, 8, 'sha256'),
        (value) => ethers6.pbkdf2('0x', '0x', 1, value, 'sha256'),
        (value) => ethers6.pbkdf2('0x', '0x', 1, 8, value),
        (value) => ethers6.computeHmac(value, '0x', '0x'),
        (value) => ethers.utils.computeHmac(value, '0x', '0x'),
        (value) => ethers.utils.keccak256(value) === ethers.utils.keccak256('0x') && ethers.fail,
        (value) => ethers.utils.recoverPublicKey('0x' + '11'.repeat(32), { r: '0x11', s: '0x11', recoveryParam: value }),
        (value) => new ethers.utils.SigningKey(value),
        (value) => new ethers6.SigningKey(value),
        (value) => ethers6.SigningKey.recoverPublicKey(value, value),
      ];
      let refused = 0;
      for (const attempt of attempts) {
        for (const value of odd) try { attempt(value); } catch { refused += 1; }
      }
      return [refused > 100, ethers.utils.sha256('0x')];
    }"""
    empty = "0xe3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    outcome = await run(engine, code)
    assert outcome.response == [True, empty], outcome.error


@pytest.mark.parametrize("library", ["ethers", "ethers6"])
async def test_what_an_action_did_to_the_language_stays_out_of_a_loaded_library(
    engine: ProcessEngine, library: str
) -> None:
    code = f"""function main() {{
      const wallet = new {library}.Wallet('0x' + '11'.repeat(32));
      Uint8Array.prototype.toHex = Uint8Array.fromHex = Number.isSafeInteger = () => {{ throw new Error('mine'); }};
      return wallet.signMessageSync ? wallet.signMessageSync('x') : wallet.signMessage('x');
    }}"""
    assert str((await run(engine, code)).response).startswith("0x")


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("keccak256", ("0",)),
        ("keccak256", (None,)),
        ("keccak256", ()),
        ("digest", ("md5", "")),
        ("hmac", ("sha256", "zz", "")),
        ("pbkdf2", ("sha256", "", "", "NaN", "32")),
        ("pbkdf2", ("sha256", "", "", "1", "")),
        ("publicKey", ("00" * 32,)),
        ("publicKey", ("11" * 31,)),
        ("publicKey", ("11" * 33,)),
        ("signRecoverable", ("11" * 32, "22" * 31)),
        ("signRecoverable", ("11" * 32, "22" * 33)),
        ("signRecoverable", ("ff" * 32, "22" * 32)),
        ("recover", ("11" * 32, "22" * 64, "4")),
        ("recover", ("11" * 32, "22" * 64, 0)),
        ("recover", ("11" * 32, "22" * 63, "0")),
        ("recover", ("11" * 32, "22" * 65, "0")),
        ("parsePoint", ("",)),
        ("parsePoint", ("02" + "ff" * 32,)),
        ("addPoints", ("02" + "11" * 32, "x")),
        ("multiplyPoint", ("0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798", "00" * 32)),
    ],
)
async def test_a_native_function_answers_nothing_rather_than_raise(name: str, arguments: tuple[object, ...]) -> None:
    assert text_of(natives.library_functions()[name](*arguments)) == ""


async def test_opposite_points_have_no_sum() -> None:
    generator = "79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798"
    assert natives.library_functions()["addPoints"](f"02{generator}", f"03{generator}") == ""
