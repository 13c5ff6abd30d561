// crypto.subtle (W3C Web Cryptography). It runs in the action's process, unseen by the node.
const ALGORITHMS = {
  __proto__: null,
  "AES-GCM": aes("GCM", throughGcm),
  "AES-CBC": aes("CBC", throughCbc),
  "AES-CTR": aes("CTR", throughCtr),
  "AES-KW": aesKeyWrap(),
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
  if (type !== undefined && keyType(key) !== type) throw domError("InvalidAccessError", "The key is of another type.");
  if (!holds(keyUsages(key), usage)) throw domError("InvalidAccessError", "The key may not be used for this.");
  return key;
};

const isPair = (name) => name === "ECDSA" || name === "ECDH";

const keyData = (format, data) => (format === "jwk" ? jwkOf(data) : sourceBytes(data));

const FORMATS = ["raw", "pkcs8", "spki", "jwk"];
const formatOf = (value) => {
  const format = textOf(value);
  if (!holds(FORMATS, format)) throw new TypeError("A key's format is raw, pkcs8, spki or jwk.");
  return format;
};

const importAny = (format, data, algorithm, extractable, usages) => {
  const { given, operations } = algorithmFor(algorithm, "importKey");
  return usable(operations.importKey(format, data, given, !!extractable, usages));
};

const exportAny = (format, key) => {
  if (!isKey(key)) throw new TypeError("A CryptoKey is needed here.");
  const { operations } = algorithmFor(keyAlgorithm(key).name, "exportKey");
  if (!keyExtractable(key)) throw domError("InvalidAccessError", "key is not extractable");
  return operations.exportKey(format, key);
};

const derivedKey = (algorithm, base, derivedAlgorithm, extractable, usages) => {
  const { name, given, operations } = algorithmFor(algorithm, "deriveBits");
  const wanted = algorithmFor(derivedAlgorithm, "keyLength");
  keyFor(base, name, undefined, "deriveKey");
  const bits = operations.deriveBits(given, base, wanted.operations.keyLength(wanted.given));
  return importAny("raw", bits, derivedAlgorithm, extractable, usages);
};

/** The bytes of a key to wrap. AES-KW takes eight at a time, and JSON may end in spaces. */
const wrappable = (format, key, algorithm) => {
  const exported = exportAny(format, key);
  if (format !== "jwk") return new NativeUint8Array(exported);
  const text = encodeUtf8(stringify(exported));
  if (algorithm !== "AES-KW") return text;
  const padded = new NativeUint8Array(8 * ceil(text.length / 8));
  for (let i = text.length; i < padded.length; i += 1) padded[i] = 0x20;
  typedArraySet(padded, text);
  return padded;
};

const unwrappedJwk = (bytes) => {
  try {
    return jwkOf(parse(decodeUtf8(bytes, true)));
  } catch {
    throw dataError("The wrapped key is no JSON Web Key.");
  }
};

class SubtleCrypto {
  #brand;

  static #check(receiver) { if (!(#brand in receiver)) throw new TypeError("Illegal invocation"); }

  constructor(token) { if (token !== KEY_TOKEN) throw new TypeError("Illegal constructor"); }

  async digest(algorithm, data) {
    SubtleCrypto.#check(this);
    needArguments(arguments.length, 2);
    const { name } = namedAlgorithm(algorithm, HASHES);
    return bufferOf(fromHex(answered(subtleDigest(name, toHex(sourceBytes(data))))));
  }

  async importKey(format, data, algorithm, extractable, usages) {
    SubtleCrypto.#check(this);
    needArguments(arguments.length, 5);
    const kind = formatOf(format);
    return importAny(kind, keyData(kind, data), algorithm, extractable, usagesOf(usages));
  }

  async exportKey(format, key) {
    SubtleCrypto.#check(this);
    needArguments(arguments.length, 2);
    return exportAny(formatOf(format), key);
  }

  async generateKey(algorithm, extractable, usages) {
    SubtleCrypto.#check(this);
    needArguments(arguments.length, 3);
    const asked = usagesOf(usages);
    const { given, operations } = algorithmFor(algorithm, "generateKey");
    const made = operations.generateKey(given, !!extractable, asked);
    usable(isKey(made) ? made : made.privateKey);
    return made;
  }

  async sign(algorithm, key, data) {
    SubtleCrypto.#check(this);
    needArguments(arguments.length, 3);
    const { name, given, operations } = algorithmFor(algorithm, "sign");
    const bytes = sourceBytes(data);
    return bufferOf(operations.sign(given, keyFor(key, name, isPair(name) ? "private" : undefined, "sign"), bytes));
  }

  async verify(algorithm, key, signature, data) {
    SubtleCrypto.#check(this);
    needArguments(arguments.length, 4);
    const { name, given, operations } = algorithmFor(algorithm, "verify");
    const claimed = sourceBytes(signature);
    const bytes = sourceBytes(data);
    return operations.verify(given, keyFor(key, name, isPair(name) ? "public" : undefined, "verify"), claimed, bytes);
  }

  async encrypt(algorithm, key, data) {
    SubtleCrypto.#check(this);
    needArguments(arguments.length, 3);
    const { name, given, operations } = algorithmFor(algorithm, "encrypt");
    const bytes = sourceBytes(data);
    return bufferOf(operations.encrypt(given, keyFor(key, name, undefined, "encrypt"), bytes));
  }

  async decrypt(algorithm, key, data) {
    SubtleCrypto.#check(this);
    needArguments(arguments.length, 3);
    const { name, given, operations } = algorithmFor(algorithm, "decrypt");
    const bytes = sourceBytes(data);
    return bufferOf(operations.decrypt(given, keyFor(key, name, undefined, "decrypt"), bytes));
  }

  async deriveBits(algorithm, key, length = null) {
    SubtleCrypto.#check(this);
    needArguments(arguments.length, 2);
    const { name, given, operations } = algorithmFor(algorithm, "deriveBits");
    const bits = length === null ? null : octetLength(length, 4294967295);
    return bufferOf(operations.deriveBits(given, keyFor(key, name, undefined, "deriveBits"), bits));
  }

  async deriveKey(algorithm, key, derivedAlgorithm, extractable, usages) {
    SubtleCrypto.#check(this);
    needArguments(arguments.length, 5);
    return derivedKey(algorithm, key, derivedAlgorithm, extractable, usagesOf(usages));
  }

  async wrapKey(format, key, wrappingKey, algorithm) {
    SubtleCrypto.#check(this);
    needArguments(arguments.length, 4);
    const kind = formatOf(format);
    const { name, given, operations } = algorithmFor(algorithm, "wrapKey");
    keyFor(wrappingKey, name, undefined, "wrapKey");
    return bufferOf(operations.wrapKey(given, wrappingKey, wrappable(kind, key, name)));
  }

  async unwrapKey(format, wrapped, unwrappingKey, algorithm, keyAlgorithmGiven, extractable, usages) {
    SubtleCrypto.#check(this);
    needArguments(arguments.length, 7);
    const kind = formatOf(format);
    const asked = usagesOf(usages);
    const { name, given, operations } = algorithmFor(algorithm, "unwrapKey");
    algorithmFor(keyAlgorithmGiven, "importKey");
    const bytes = operations.unwrapKey(given, keyFor(unwrappingKey, name, undefined, "unwrapKey"), sourceBytes(wrapped));
    return importAny(kind, kind === "jwk" ? unwrappedJwk(bytes) : bytes, keyAlgorithmGiven, extractable, asked);
  }
}
tagged(SubtleCrypto, "SubtleCrypto");
const subtle = new SubtleCrypto(KEY_TOKEN);
