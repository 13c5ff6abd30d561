// Algorithms of one secret key: AES-GCM, AES-CBC, AES-CTR, HMAC, HKDF (RFC 5869) and PBKDF2 (RFC 8018).
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

const aesBits = {
  __proto__: null,
  fixed: (bytes) => bytes === 16 || bytes === 24 || bytes === 32,
  of(given) {
    if (given.length === undefined) throw new TypeError("AES needs a length.");
    const bits = octetLength(given.length, 65535);
    if (bits !== 128 && bits !== 192 && bits !== 256) throw operationError("Invalid key length");
    return bits;
  },
};

const aes = (mode, encrypt, decrypt) => {
  const operations = secretKey(
    join(["AES", mode], "-"), aesBits, "enc", ["encrypt", "decrypt", "wrapKey", "unwrapKey"],
    (given, length) => join(["A", length * 8, mode], ""), (name, bytes) => ({ name, length: bytes.length * 8 }),
  );
  operations.encrypt = (given, key, data) => encrypt(expandKey(keyMaterial(key)), given, data);
  operations.decrypt = (given, key, data) => decrypt(expandKey(keyMaterial(key)), given, data);
  return operations;
};

const TAG_BITS = [32, 64, 96, 104, 112, 120, 128];
const gcmTagBytes = (given) => {
  const bits = given.tagLength === undefined ? 128 : octetLength(given.tagLength, 255);
  if (!holds(TAG_BITS, bits)) throw operationError("Invalid tag length");
  return bits / 8;
};
const gcmAdditional = (given) => (given.additionalData === undefined ? new NativeUint8Array(0) : sourceBytes(given.additionalData));
const gcmIv = (given) => {
  const iv = sourceBytes(given.iv);
  if (iv.length === 0) throw operationError("An IV of AES-GCM is not empty.");
  return iv;
};

const cbcIv = (given) => {
  const iv = sourceBytes(given.iv);
  if (iv.length !== 16) throw operationError("AES-CBC needs an IV of 16 bytes.");
  return iv;
};

const counterMode = (schedule, given, data) => {
  const counter = sourceBytes(given.counter);
  const bits = octetLength(given.length, 255);
  if (counter.length !== 16 || bits === 0 || bits > 128) throw operationError("AES-CTR needs a counter of 16 bytes of which 1 to 128 bits count.");
  if (data.length / 16 > 2 ** bits) throw operationError("The data is longer than the counter counts.");
  return applyCounter(schedule, counter, bits, data);
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
  operations.verify = (given, key, signature, data) => code(key, data) === toHex(signature);
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
