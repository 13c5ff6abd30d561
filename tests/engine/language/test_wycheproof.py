"""crypto.subtle against all vectors of Wycheproof for what it offers."""

import json
from collections.abc import Mapping
from typing import Any, Final

import pytest
from pydantic import JsonValue

from node.engine.process_engine import ProcessEngine
from tests.engine.language.twin import in_action
from tests.support.suites import needs_suites, suite

pytestmark = [pytest.mark.asyncio(loop_scope="module"), needs_suites]

CASES_A_RUN: Final = 25
_ITERATIONS_MAX: Final = 100_000
"""RFC 6070 has a key of sixteen million, which take minutes."""
_OFFERED_IV: Final = range(64, 1025, 8)
"""Bits of an IV of AES-GCM that OpenSSL takes, as in Node.js."""

CHECKS: Final = """
const S = crypto.subtle, bytes = (hex) => Uint8Array.fromHex(hex), same = (a, hex) => new Uint8Array(a).toHex() === hex;
const raw = (hex, algorithm, ...usages) => S.importKey('raw', bytes(hex), algorithm, false, usages);
/** The other way round gives what is published too. */
const both = async (algorithm, key, plain, sealed) =>
  same(await S.decrypt(algorithm, key, bytes(sealed)), plain) && same(await S.encrypt(algorithm, key, bytes(plain)), sealed);
const token = (text) => Uint8Array.fromBase64(text, { alphabet: 'base64url' });
const checks = {
  async gcm(c, { tagSize }) {
    const algorithm = { name: 'AES-GCM', iv: bytes(c.iv), additionalData: bytes(c.aad), tagLength: tagSize };
    return both(algorithm, await raw(c.key, 'AES-GCM', 'encrypt', 'decrypt'), c.msg, c.ct + c.tag);
  },
  async cbc(c) { return both({ name: 'AES-CBC', iv: bytes(c.iv) }, await raw(c.key, 'AES-CBC', 'encrypt', 'decrypt'), c.msg, c.ct); },
  async wrap(c) {
    const key = await raw(c.key, 'AES-KW', 'wrapKey', 'unwrapKey'), inner = { name: 'HMAC', hash: 'SHA-256' };
    const opened = await S.unwrapKey('raw', bytes(c.ct), key, 'AES-KW', inner, true, ['sign']);
    return same(await S.exportKey('raw', opened), c.msg) && same(await S.wrapKey('raw', opened, key, 'AES-KW'), c.ct);
  },
  async hmac(c, { hash, tagSize }) {
    const key = await raw(c.key, { name: 'HMAC', hash }, 'sign', 'verify');
    if (tagSize === 8 * (await S.digest(hash, bytes(''))).byteLength) return S.verify('HMAC', key, bytes(c.tag), bytes(c.msg));
    return same((await S.sign('HMAC', key, bytes(c.msg))).slice(0, tagSize / 8), c.tag);
  },
  async hkdf(c, { hash }) {
    const key = await raw(c.ikm, 'HKDF', 'deriveBits');
    return same(await S.deriveBits({ name: 'HKDF', hash, salt: bytes(c.salt), info: bytes(c.info) }, key, 8 * c.size), c.okm);
  },
  async pbkdf2(c, { hash }) {
    const key = await raw(c.password, 'PBKDF2', 'deriveBits');
    return same(await S.deriveBits({ name: 'PBKDF2', hash, salt: bytes(c.salt), iterations: c.iterationCount }, key, 8 * c.dkLen), c.dk);
  },
  async ecdsa(c, { hash, namedCurve, publicKeyDer, publicKeyJwk }) {
    const curve = { name: 'ECDSA', namedCurve };
    const keys = [await S.importKey('spki', bytes(publicKeyDer), curve, true, ['verify'])];
    if (publicKeyJwk) keys.push(await S.importKey('jwk', publicKeyJwk, curve, true, ['verify']));
    const answers = [];
    for (const key of keys) answers.push(await S.verify({ name: 'ECDSA', hash }, key, bytes(c.sig), bytes(c.msg)));
    if (answers.some((answer) => answer !== answers[0])) throw new Error('the two keys differ');
    return answers[0];
  },
  async ecdh(c, { namedCurve }) {
    const curve = { name: 'ECDH', namedCurve }, [open, secret] = typeof c.public === 'string' ? ['raw', 'pkcs8'] : ['jwk', 'jwk'];
    const other = await S.importKey(open, open === 'raw' ? bytes(c.public) : c.public, curve, true, []);
    const own = await S.importKey(secret, secret === 'pkcs8' ? pkcs8(c.private) : c.private, curve, false, ['deriveBits']);
    return same(await S.deriveBits({ name: 'ECDH', public: other }, own, null), c.shared);
  },
  async jwk(c, { key }) {
    const [head, body, signature] = c.jws.split('.'), { alg } = JSON.parse(new TextDecoder().decode(token(head)));
    const hash = 'SHA-' + alg.slice(2), algorithm = alg[0] === 'H' ? { name: 'HMAC', hash } : { name: 'ECDSA', hash, namedCurve: 'P-256' };
    const imported = await S.importKey('jwk', key, algorithm, false, ['verify']);
    return S.verify(algorithm, imported, token(signature), new TextEncoder().encode(head + '.' + body));
  },
};
/** PKCS #8 of a scalar of P-256, which some vectors have with a zero in front. */
const pkcs8 = (hex) => bytes('3041020100301306072a8648ce3d020106082a8648ce3d030107042730250201010420' + hex.padStart(64, '0').slice(-64));
async function main({ text }) {
  const answers = [];
  for (const [kind, group, c] of JSON.parse(text)) {
    try { answers.push(await checks[kind](c, group)); } catch (e) { if (!(e instanceof DOMException)) throw e; answers.push(e.name); }
  }
  return answers;
}"""

HASHES: Final = {"sha1": "SHA-1", "sha256": "SHA-256", "sha384": "SHA-384", "sha512": "SHA-512"}
SUITES: Final[Mapping[str, tuple[str, dict[str, Any]]]] = {
    "aes_gcm": ("gcm", {}),
    "aes_cbc_pkcs5": ("cbc", {}),
    "aes_wrap": ("wrap", {}),
    **{f"hmac_{name}": ("hmac", {"hash": hash_}) for name, hash_ in HASHES.items()},
    **{f"hkdf_{name}": ("hkdf", {"hash": hash_}) for name, hash_ in HASHES.items()},
    **{f"pbkdf2_hmac{name}": ("pbkdf2", {"hash": hash_}) for name, hash_ in HASHES.items()},
    "ecdsa_secp256r1_sha256_p1363": ("ecdsa", {"hash": "SHA-256", "namedCurve": "P-256"}),
    "ecdsa_secp384r1_sha384_p1363": ("ecdsa", {"hash": "SHA-384", "namedCurve": "P-384"}),
    "ecdh_secp256r1_webcrypto": ("ecdh", {"namedCurve": "P-256"}),
    "ecdh_secp256r1_ecpoint": ("ecdh", {"namedCurve": "P-256"}),
    "ecdh_secp384r1_webcrypto": ("ecdh", {"namedCurve": "P-384"}),
    "json_web_key": ("jwk", {}),
}
_GROUP: Final = ("tagSize", "publicKeyDer", "publicKeyJwk")


@pytest.mark.parametrize("name", SUITES)
async def test_all_vectors(engine: ProcessEngine, name: str) -> None:
    kind, shared = SUITES[name]
    cases = [
        (group, case)
        for group in suite(f"wycheproof/{name}")["testGroups"]
        for case in group["tests"]
        if _is_offered(name, group, case)
    ]
    given = [[kind, _group(group, shared), case] for group, case in cases]
    answers: list[JsonValue] = []
    for at in range(0, len(given), CASES_A_RUN):
        found = await in_action(engine, CHECKS, {"text": json.dumps(given[at : at + CASES_A_RUN])})
        assert isinstance(found, list)
        answers += found
    assert len(answers) == len(cases) > 0
    wrong = [(case, answer) for (_, case), answer in zip(cases, answers, strict=True) if not _is_right(case, answer)]
    assert wrong == []


def _group(group: dict[str, Any], shared: dict[str, Any]) -> dict[str, Any]:
    keys = group.get("public", group.get("private", {})).get("keys", [None])
    return {**shared, "key": keys[0]} | {name: group[name] for name in _GROUP if name in group}


def _is_offered(name: str, group: dict[str, Any], case: dict[str, Any]) -> bool:
    """Sets of keys are for libraries over WebCrypto, which knows no RSA here and no smallest key."""
    if case.get("iterationCount", 0) > _ITERATIONS_MAX:
        return False
    if name != "json_web_key":
        return True
    keys = group["private"]["keys"]
    return len(keys) == 1 and not {"k", "crv"}.isdisjoint(keys[0]) and bool(case["comment"] != "key_too_short")


def _is_right(case: dict[str, Any], answer: JsonValue) -> bool:
    if case["result"] == "valid" and "iv" in case and 4 * len(case["iv"]) not in _OFFERED_IV:
        return answer == "OperationError"
    return bool(case["result"] == "acceptable") or (answer is True) == (case["result"] == "valid")
