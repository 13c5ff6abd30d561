// Imports, exports and makes secret keys, and runs HMAC, HKDF (RFC 5869), PBKDF2 (RFC 8018).
const octetLength = (value, most) => {
  const number = NativeNumber(value);
  if (!(number >= 0 && number <= most)) throw new TypeError("A length is out of range.");
  return floor(number);
};

/**
 * Operations on secret keys of a kind: `use` and `usages`; `read` the parameters; `describe` them with a length in bytes
 * as the algorithm of a key, whose name in JSON Web Keys is `alg`; `fits` (an imported length); `bits` of a new key.
 */
const secretKey = (kind) => ({
  __proto__: null,
  importKey(format, data, given, extractable, usages) {
    const asked = kind.read(given);
    allowUsages(usages, kind.usages);
    if (format !== "raw" && format !== "jwk") throw notSupported();
    const alg = (length) => kind.alg(kind.describe(asked, length));
    const bytes = format === "raw" ? sourceBytes(data) : secretOfJwk(data, kind.use, alg, extractable, usages);
    const length = typedArrayLength(bytes);
    if (!kind.fits(asked, length)) throw dataError("Invalid key length");
    return makeKey("secret", extractable, kind.describe(asked, length), usages, bytes);
  },
  exportKey(format, key) {
    if (format === "raw") return bufferOf(copyOf(keyMaterial(key)));
    if (format !== "jwk") throw notSupported();
    return jwkOfSecret(key, kind.alg(keyAlgorithm(key)));
  },
  generateKey(given, extractable, usages) {
    const asked = kind.read(given);
    const length = kind.bits(asked) / 8;
    allowUsages(usages, kind.usages);
    return makeKey("secret", extractable, kind.describe(asked, length), usages, randomBytes(length));
  },
  keyLength: (given) => kind.bits(kind.read(given)),
});

const hmacKind = {
  __proto__: null,
  use: "sig",
  usages: ["sign", "verify"],
  read: (given) => ({
    __proto__: null, hash: hashOf(given), length: given.length === undefined ? undefined : octetLength(given.length, 4294967295),
  }),
  describe: ({ hash }, length) => ({ hash: freeze({ name: hash }), length: length * 8, name: "HMAC" }),
  alg: ({ hash }) => HASHES[hash.name].jwk,
  fits: (asked, length) => length > 0 && (asked.length === undefined || asked.length === length * 8),
  bits(asked) {
    if (asked.length === undefined) return HASHES[asked.hash].block * 8;
    if (asked.length === 0 || asked.length % 8 !== 0) throw operationError("Zero-length key is not supported, nor one of part of a byte.");
    return asked.length;
  },
};

const hmac = () => {
  const operations = secretKey(hmacKind);
  const code = (key, data) => answered(subtleHmac(keyAlgorithm(key).hash.name, toHex(keyMaterial(key)), toHex(data)));
  operations.sign = (given, key, data) => fromHex(code(key, data));
  operations.verify = (given, key, signature, data) => answered(subtleEqual(code(key, data), toHex(signature))) === "equal";
  return operations;
};

/** What derives bits from a secret that itself is never exported. */
const derivation = (name, derive) => ({
  __proto__: null,
  importKey(format, data, given, extractable, usages) {
    if (format !== "raw") throw notSupported();
    allowUsages(usages, ["deriveKey", "deriveBits"]);
    if (extractable) throw domError("SyntaxError", join([name, " keys are not extractable"], ""));
    return makeKey("secret", false, { name }, usages, sourceBytes(data));
  },
  deriveBits: derive,
  keyLength: () => null,
});

const derivedBytes = (length) => {
  if (length === null || length % 8 !== 0) throw operationError("length must be a multiple of 8");
  return length / 8;
};

const hkdfBits = (given, key, length) => {
  const hash = hashOf(given);
  const salt = sourceBytes(given.salt);
  const info = sourceBytes(given.info);
  const wanted = derivedBytes(length);
  if (wanted > 255 * (HASHES[hash].bits / 8)) throw operationError("HKDF derives no more than 255 digests.");
  const extracted = answered(subtleHmac(hash, toHex(salt), toHex(keyMaterial(key))));
  const blocks = list();
  let last = "";
  for (let got = 0, count = 1; got < wanted; got += HASHES[hash].bits / 8, count += 1) {
    last = answered(subtleHmac(hash, extracted, join([last, toHex(info), byteHex(count)], "")));
    append(blocks, last);
  }
  return subarray(fromHex(join(blocks, "")), 0, wanted);
};
const HEX_DIGITS = "0123456789abcdef";
const byteHex = (byte) => join([HEX_DIGITS[byte >> 4], HEX_DIGITS[byte & 15]], "");

const pbkdf2Bits = (given, key, length) => {
  const hash = hashOf(given);
  const salt = sourceBytes(given.salt);
  const iterations = octetLength(given.iterations, 4294967295);
  const wanted = derivedBytes(length);
  if (iterations === 0) throw operationError("iterations cannot be zero");
  if (wanted === 0) return new NativeUint8Array(0);
  return fromHex(answered(subtlePbkdf2(hash, toHex(keyMaterial(key)), toHex(salt), join([iterations], ""), join([wanted], ""))));
};
