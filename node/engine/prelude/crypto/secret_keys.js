// Imports, exports and makes secret keys, and runs HMAC, HKDF (RFC 5869), PBKDF2 (RFC 8018).
const octetLength = (value, most) => {
  const number = NativeNumber(value);
  if (!(number >= 0 && number <= most)) throw new TypeError("A length is out of range.");
  return floor(number);
};

const secretKey = (name, keyLength, use, allowed, jwkAlg, describeKey) => {
  const made = (bytes, extractable, usages, given) => makeKey("secret", extractable, describeKey(name, bytes, given), usages, bytes);
  return {
    __proto__: null,
    importKey(format, data, given, extractable, usages) {
      allowUsages(usages, allowed, true);
      if (format !== "raw" && format !== "jwk") throw notSupported();
      const bytes = format === "raw" ? sourceBytes(data) : secretOfJwk(data, use, (length) => jwkAlg(given, length), extractable, usages);
      if (bytes.length === 0 || (keyLength.fixed && !keyLength.fixed(bytes.length))) throw dataError("Invalid key length");
      return made(bytes, extractable, usages, given);
    },
    exportKey(format, key) {
      if (format === "raw") return bufferOf(newBytes(keyMaterial(key)));
      if (format !== "jwk") throw notSupported();
      return jwkOfSecret(key, jwkAlg(keyAlgorithm(key), keyMaterial(key).length));
    },
    generateKey(given, extractable, usages) {
      allowUsages(usages, allowed, true);
      return made(randomBytes(keyLength.of(given) / 8), extractable, usages, given);
    },
    keyLength: keyLength.of,
  };
};

const hmacBits = {
  __proto__: null,
  of(given) {
    if (given.length === undefined) return HASHES[hashOf(given)].block * 8;
    const bits = octetLength(given.length, 4294967295);
    if (bits === 0 || bits % 8 !== 0) throw operationError("Zero-length key is not supported, nor one of part of a byte.");
    return bits;
  },
};

const hmac = () => {
  const operations = secretKey(
    "HMAC", hmacBits, "sig", ["sign", "verify"], (given) => HASHES[hashOf(given)].jwk,
    (name, bytes, given) => ({ hash: { name: hashOf(given) }, length: bytes.length * 8, name }),
  );
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
    allowUsages(usages, ["deriveKey", "deriveBits"], true);
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
    last = answered(subtleHmac(hash, extracted, join([last, toHex(info), HEX_DIGITS[count >> 4], HEX_DIGITS[count & 15]], "")));
    append(blocks, last);
  }
  return subarray(fromHex(join(blocks, "")), 0, wanted);
};
const HEX_DIGITS = "0123456789abcdef";

const pbkdf2Bits = (given, key, length) => {
  const hash = hashOf(given);
  const salt = sourceBytes(given.salt);
  const iterations = octetLength(given.iterations, 4294967295);
  const wanted = derivedBytes(length);
  if (iterations === 0) throw operationError("iterations cannot be zero");
  if (wanted === 0) return new NativeUint8Array(0);
  return fromHex(answered(subtlePbkdf2(hash, toHex(keyMaterial(key)), toHex(salt), join([iterations], ""), join([wanted], ""))));
};
