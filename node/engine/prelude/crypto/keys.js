// CryptoKey, and the common parts of Web Cryptography's algorithms (W3C, level 2).
const domError = (name, message) => new NativeDOMException(message, name);
const notSupported = () => domError("NotSupportedError", "Unrecognized algorithm name, format or curve.");
const operationError = (message) => domError("OperationError", message);
const dataError = (message) => domError("DataError", message);

const newBytes = (bytes) => {
  const copy = new NativeUint8Array(bytes.length);
  typedArraySet(copy, bytes);
  return copy;
};

const bufferOf = (bytes) => typedArrayBuffer(bytes.length === typedArrayBuffer(bytes).byteLength ? bytes : newBytes(bytes));

/** A copy of a buffer's bytes, taken when the caller asks. Throws TypeError. */
const sourceBytes = (value) => {
  const bytes = typeof value === "object" && value !== null ? bytesOf(value) : undefined;
  if (bytes === undefined) throw new TypeError("An ArrayBuffer or a view of one is needed here.");
  return newBytes(bytes);
};

/** The result of a native function. "" is a refusal or a lack of memory, never empty bytes. */
const answered = (hex) => {
  if (hex === "") throw domError("OperationError", "The operation failed for an operation-specific reason");
  return hex;
};

const base64UrlOf = (bytes) => toBase64(bytes, { __proto__: null, alphabet: "base64url", omitPadding: true });
const bytesOfBase64Url = (text) => {
  if (typeof text !== "string" || !match(/^[A-Za-z0-9_-]*$/, text)) throw dataError("Invalid JWK: a value is not base64url.");
  try {
    return fromBase64(text, { __proto__: null, alphabet: "base64url" });
  } catch {
    throw dataError("Invalid JWK: a value is not base64url.");
  }
};

// Bits of the digest, bytes of the block, and the name a JSON Web Key gives HMAC with it.
const HASHES = {
  __proto__: null,
  "SHA-1": { __proto__: null, bits: 160, block: 64, jwk: "HS1" },
  "SHA-256": { __proto__: null, bits: 256, block: 64, jwk: "HS256" },
  "SHA-384": { __proto__: null, bits: 384, block: 128, jwk: "HS384" },
  "SHA-512": { __proto__: null, bits: 512, block: 128, jwk: "HS512" },
};

/** Returns {name, given} with the standard's name of an algorithm, a text or an object. */
const namedAlgorithm = (algorithm, known) => {
  const isObject = (typeof algorithm === "object" && algorithm !== null) || typeof algorithm === "function";
  const given = isObject ? algorithm : { __proto__: null, name: textOf(algorithm) };
  if (given.name === undefined) throw new TypeError("An algorithm is a name or an object with one.");
  const wanted = toUpperCase(textOf(given.name));
  const names = keys(known);
  for (let i = 0; i < names.length; i += 1) if (toUpperCase(names[i]) === wanted) return { __proto__: null, name: names[i], given };
  throw notSupported();
};

const hashOf = (given) => {
  if (given.hash === undefined) throw new TypeError("The algorithm needs a hash.");
  return namedAlgorithm(given.hash, HASHES).name;
};

const USAGES = ["encrypt", "decrypt", "sign", "verify", "deriveKey", "deriveBits", "wrapKey", "unwrapKey"];
const holds = (items, wanted) => {
  for (let i = 0; i < items.length; i += 1) if (items[i] === wanted) return true;
  return false;
};

/** Lists the requested usages in the standard's order. Throws TypeError for an unknown one. */
const usagesOf = (value) => {
  const asked = listOf(value);
  for (let i = 0; i < asked.length; i += 1) if (!holds(USAGES, asked[i])) throw new TypeError("Not a key usage.");
  const usages = list();
  for (let i = 0; i < USAGES.length; i += 1) if (holds(asked, USAGES[i])) append(usages, USAGES[i]);
  return usages;
};

const allowUsages = (usages, allowed) => {
  for (let i = 0; i < usages.length; i += 1) {
    if (!holds(allowed, usages[i])) throw domError("SyntaxError", "Unsupported key usage for a key of this kind.");
  }
};

const someUsages = (usages, allowed) => {
  const kept = list();
  for (let i = 0; i < usages.length; i += 1) if (holds(allowed, usages[i])) append(kept, usages[i]);
  return kept;
};

const arrayOf = (items) => {
  const copy = list();
  for (let i = 0; i < items.length; i += 1) append(copy, items[i]);
  return setPrototypeOf(copy, arrayPrototype);
};

const KEY_TOKEN = {};
let keyMaterial;
let makeKey;
let isKey;
let keyAlgorithm;
let keyExtractable;
let keyType;
let keyUsages;

class CryptoKey {
  #type;

  #extractable;

  #algorithm;

  #usages;

  #shownUsages;

  #material;

  static {
    isKey = (value) => typeof value === "object" && value !== null && #material in value;
    keyMaterial = (key) => key.#material;
    keyAlgorithm = (key) => key.#algorithm;
    keyExtractable = (key) => key.#extractable;
    keyType = (key) => key.#type;
    keyUsages = (key) => key.#usages;
    makeKey = (type, extractable, algorithm, usages, material) => {
      const key = new CryptoKey(KEY_TOKEN);
      key.#type = type;
      key.#extractable = !!extractable;
      key.#algorithm = freeze(setPrototypeOf(algorithm, Object.prototype));
      key.#usages = usages;
      key.#shownUsages = arrayOf(usages);
      key.#material = material;
      return key;
    };
  }

  constructor(token) { if (token !== KEY_TOKEN) throw new TypeError("Illegal constructor"); }

  get type() { return this.#type; }

  get extractable() { return this.#extractable; }

  get algorithm() { return this.#algorithm; }

  get usages() { return this.#shownUsages; }
}
tagged(CryptoKey, "CryptoKey");

/** The key, which a secret or private one must be of use for. The standard checks it last. */
const usable = (key) => {
  if (keyType(key) !== "public" && keyUsages(key).length === 0) throw domError("SyntaxError", "Usages cannot be empty when creating a key.");
  return key;
};

const JWK_TEXTS = ["alg", "crv", "d", "k", "kty", "use", "x", "y"];

/** The members of a JSON Web Key, each read once and converted as WebIDL does. Throws TypeError. */
const jwkOf = (value) => {
  if (typeof value !== "object" || value === null || bytesOf(value) !== undefined) throw new TypeError("A JSON Web Key is an object.");
  const jwk = { __proto__: null };
  for (let i = 0; i < JWK_TEXTS.length; i += 1) {
    const member = value[JWK_TEXTS[i]];
    if (member !== undefined) jwk[JWK_TEXTS[i]] = textOf(member);
  }
  const { ext, key_ops: operations } = value;
  if (ext !== undefined) jwk.ext = !!ext;
  if (operations !== undefined) {
    jwk.operations = listOf(operations);
    for (let i = 0; i < jwk.operations.length; i += 1) jwk.operations[i] = textOf(jwk.operations[i]);
  }
  return jwk;
};

const checkOperations = (operations, usages) => {
  const seen = list();
  for (let i = 0; i < operations.length; i += 1) {
    if (holds(seen, operations[i])) throw dataError("Invalid JWK: key_ops names one twice");
    append(seen, operations[i]);
  }
  for (let i = 0; i < usages.length; i += 1) if (!holds(operations, usages[i])) throw dataError("Invalid JWK: key_ops");
};

/** Checks what every JSON Web Key says of itself. */
const checkJwk = (jwk, type, use, extractable, usages) => {
  if (jwk.kty !== type) throw dataError("Invalid JWK: kty");
  if (usages.length > 0 && jwk.use !== undefined && jwk.use !== use) throw dataError("Invalid JWK: use");
  if (jwk.operations !== undefined) checkOperations(jwk.operations, usages);
  if (jwk.ext === false && extractable) throw dataError("Invalid JWK: ext");
};

const secretOfJwk = (jwk, use, alg, extractable, usages) => {
  checkJwk(jwk, "oct", use, extractable, usages);
  const bytes = bytesOfBase64Url(jwk.k);
  if (jwk.alg !== undefined && jwk.alg !== alg(bytes.length)) throw dataError("Invalid JWK: alg");
  return bytes;
};

const jwkOfSecret = (key, alg) => ({
  key_ops: arrayOf(keyUsages(key)), ext: keyExtractable(key), kty: "oct", k: base64UrlOf(keyMaterial(key)), alg,
});
