// crypto.subtle (W3C Web Cryptography). It runs in the action's process, unseen by the node.
const ALGORITHMS = {
  __proto__: null,
  "AES-GCM": aes("GCM", throughGcm),
  "AES-CBC": aes("CBC", throughCbc),
  "AES-CTR": aes("CTR", throughCtr),
  HMAC: hmac(),
  ECDSA: ecdsa(),
  ECDH: ecdh(),
  HKDF: derivation("HKDF", hkdfBits),
  PBKDF2: derivation("PBKDF2", pbkdf2Bits),
};

/** {name, given, operations} of an algorithm that knows how to do `operation`. */
const algorithmFor = (algorithm, operation) => {
  const named = namedAlgorithm(algorithm, ALGORITHMS);
  const operations = ALGORITHMS[named.name];
  if (operations[operation] === undefined) throw notSupported();
  return { __proto__: null, name: named.name, given: named.given, operations };
};

const keyFor = (key, name, type, usage) => {
  if (!isKey(key)) throw new TypeError("A CryptoKey is needed here.");
  if (keyAlgorithm(key).name !== name) throw domError("InvalidAccessError", "The key is of another algorithm.");
  if (type !== undefined && key.type !== type) throw domError("InvalidAccessError", "The key is of another type.");
  if (!holds(keyUsages(key), usage)) throw domError("InvalidAccessError", "The key may not be used for this.");
  return key;
};

const isPair = (name) => name === "ECDSA" || name === "ECDH";

const keyData = (format, data) => {
  if (format !== "jwk") return sourceBytes(data);
  if (typeof data !== "object" || data === null || bytesOf(data) !== undefined) throw new TypeError("A JSON Web Key is an object.");
  return data;
};

const FORMATS = ["raw", "pkcs8", "spki", "jwk"];
const formatOf = (value) => {
  const format = textOf(value);
  if (!holds(FORMATS, format)) throw new TypeError("A key's format is raw, pkcs8, spki or jwk.");
  return format;
};

const importAny = (format, data, algorithm, extractable, usages) => {
  const { given, operations } = algorithmFor(algorithm, "importKey");
  return operations.importKey(format, data, given, !!extractable, usages);
};

const exportAny = (format, key) => {
  if (!isKey(key)) throw new TypeError("A CryptoKey is needed here.");
  const { operations } = algorithmFor(keyAlgorithm(key).name, "exportKey");
  if (!key.extractable) throw domError("InvalidAccessError", "key is not extractable");
  return operations.exportKey(format, key);
};

const derivedKey = (algorithm, base, derivedAlgorithm, extractable, usages) => {
  const { name, given, operations } = algorithmFor(algorithm, "deriveBits");
  keyFor(base, name, undefined, "deriveKey");
  const wanted = algorithmFor(derivedAlgorithm, "keyLength");
  const bits = operations.deriveBits(given, base, wanted.operations.keyLength(wanted.given));
  return importAny("raw", bits, derivedAlgorithm, extractable, usages);
};

class SubtleCrypto {
  constructor(token) { if (token !== KEY_TOKEN) throw new TypeError("Illegal constructor"); }

  async digest(algorithm, data) {
    needArguments(arguments.length, 2);
    const { name } = namedAlgorithm(algorithm, HASHES);
    return bufferOf(fromHex(answered(subtleDigest(name, toHex(sourceBytes(data))))));
  }

  async importKey(format, data, algorithm, extractable, usages) {
    needArguments(arguments.length, 5);
    const kind = formatOf(format);
    return importAny(kind, keyData(kind, data), algorithm, extractable, usagesOf(usages));
  }

  async exportKey(format, key) {
    needArguments(arguments.length, 2);
    return exportAny(formatOf(format), key);
  }

  async generateKey(algorithm, extractable, usages) {
    needArguments(arguments.length, 3);
    const asked = usagesOf(usages);
    const { given, operations } = algorithmFor(algorithm, "generateKey");
    return operations.generateKey(given, !!extractable, asked);
  }

  async sign(algorithm, key, data) {
    needArguments(arguments.length, 3);
    const { name, given, operations } = algorithmFor(algorithm, "sign");
    const bytes = sourceBytes(data);
    return bufferOf(operations.sign(given, keyFor(key, name, isPair(name) ? "private" : undefined, "sign"), bytes));
  }

  async verify(algorithm, key, signature, data) {
    needArguments(arguments.length, 4);
    const { name, given, operations } = algorithmFor(algorithm, "verify");
    const claimed = sourceBytes(signature);
    const bytes = sourceBytes(data);
    return operations.verify(given, keyFor(key, name, isPair(name) ? "public" : undefined, "verify"), claimed, bytes);
  }

  async encrypt(algorithm, key, data) {
    needArguments(arguments.length, 3);
    const { name, given, operations } = algorithmFor(algorithm, "encrypt");
    const bytes = sourceBytes(data);
    return bufferOf(operations.encrypt(given, keyFor(key, name, undefined, "encrypt"), bytes));
  }

  async decrypt(algorithm, key, data) {
    needArguments(arguments.length, 3);
    const { name, given, operations } = algorithmFor(algorithm, "decrypt");
    const bytes = sourceBytes(data);
    return bufferOf(operations.decrypt(given, keyFor(key, name, undefined, "decrypt"), bytes));
  }

  async deriveBits(algorithm, key, length = null) {
    needArguments(arguments.length, 2);
    const { name, given, operations } = algorithmFor(algorithm, "deriveBits");
    const bits = length === null ? null : octetLength(length, 4294967295);
    return bufferOf(operations.deriveBits(given, keyFor(key, name, undefined, "deriveBits"), bits));
  }

  async deriveKey(algorithm, key, derivedAlgorithm, extractable, usages) {
    needArguments(arguments.length, 5);
    return derivedKey(algorithm, key, derivedAlgorithm, extractable, usagesOf(usages));
  }

  async wrapKey(format, key, wrappingKey, algorithm) {
    needArguments(arguments.length, 4);
    const { name, given, operations } = algorithmFor(algorithm, "encrypt");
    keyFor(wrappingKey, name, undefined, "wrapKey");
    const exported = exportAny(formatOf(format), key);
    const bytes = formatOf(format) === "jwk" ? encodeUtf8(stringify(exported)) : new NativeUint8Array(exported);
    return bufferOf(operations.encrypt(given, wrappingKey, bytes));
  }

  async unwrapKey(format, wrapped, unwrappingKey, algorithm, keyAlgorithmGiven, extractable, usages) {
    needArguments(arguments.length, 7);
    const kind = formatOf(format);
    const asked = usagesOf(usages);
    const { name, given, operations } = algorithmFor(algorithm, "decrypt");
    const bytes = operations.decrypt(given, keyFor(unwrappingKey, name, undefined, "unwrapKey"), sourceBytes(wrapped));
    return importAny(kind, kind === "jwk" ? parse(decodeUtf8(bytes, true)) : bytes, keyAlgorithmGiven, extractable, asked);
  }
}
tagged(SubtleCrypto, "SubtleCrypto");
const subtle = new SubtleCrypto(KEY_TOKEN);
