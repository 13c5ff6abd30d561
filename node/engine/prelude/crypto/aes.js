// AES-GCM, AES-CBC and AES-CTR by OpenSSL (worker/openssl.py), in parts, so that each result fits
// its buffer, and time limits hold between two parts.
const AES_PART_BYTES = 32768;

/** What a native function of the stream answered, without the sign before it. */
const streamed = (answer) => fromHex(substring(answered(answer), 1));

/** Encrypts or decrypts `data`. A given `tag` must fit; `room` is at least the output size. */
const throughAes = (direction, mode, key, initial, data, room, { additional = new NativeUint8Array(0), bits = 0, tag = "" } = {}) => {
  answered(aesBegin(direction, mode, toHex(key), toHex(initial), join([bits], "")));
  const part = (bytes, at) => toHex(subarray(bytes, at, at + AES_PART_BYTES));
  for (let at = 0; at < additional.length; at += AES_PART_BYTES) answered(aesAdditional(part(additional, at)));
  const output = new NativeUint8Array(room);
  let filled = 0;
  for (let at = 0; at < data.length; at += AES_PART_BYTES) {
    const bytes = streamed(aesUpdate(part(data, at)));
    typedArraySet(output, bytes, filled);
    filled += bytes.length;
  }
  const rest = streamed(aesFinish(tag));
  return { __proto__: null, output, filled, rest };
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
  if (iv.length < 8 || iv.length > 128) throw operationError("An IV of AES-GCM has 8 to 128 bytes here.");
  return iv;
};

const cbcIv = (given) => {
  const iv = sourceBytes(given.iv);
  if (iv.length !== 16) throw operationError("AES-CBC needs an IV of 16 bytes.");
  return iv;
};

const throughGcm = (key, given, data, direction) => {
  const tagBytes = gcmTagBytes(given);
  const decrypts = direction === "decrypt";
  const end = decrypts ? data.length - tagBytes : data.length;
  if (end < 0) throw operationError("The provided data is too small.");
  const tag = decrypts ? toHex(subarray(data, end)) : "";
  const room = decrypts ? end : end + tagBytes;
  const { output, filled, rest } = throughAes(
    direction, "GCM", key, gcmIv(given), subarray(data, 0, end), room, { additional: gcmAdditional(given), tag },
  );
  if (!decrypts) typedArraySet(output, subarray(rest, 0, tagBytes), filled);
  return output;
};

const throughCbc = (key, given, data, direction) => {
  const { output, filled, rest } = throughAes(direction, "CBC", key, cbcIv(given), data, data.length + 16);
  typedArraySet(output, rest, filled);
  return subarray(output, 0, filled + rest.length);
};

const counterOf = (given, data) => {
  const counter = sourceBytes(given.counter);
  const bits = octetLength(given.length, 255);
  if (counter.length !== 16 || bits === 0 || bits > 128) throw operationError("AES-CTR needs a counter of 16 bytes of which 1 to 128 bits count.");
  if (data.length / 16 > 2 ** bits) throw operationError("The data is longer than the counter counts.");
  return { __proto__: null, counter, bits };
};

const throughCtr = (key, given, data) => {
  const { counter, bits } = counterOf(given, data);
  return throughAes("encrypt", "CTR", key, counter, data, data.length, { bits }).output;
};

const aesKind = (mode, usages) => ({
  __proto__: null,
  use: "enc",
  usages,
  read: (given) => given,
  describe: (asked, length) => ({ name: join(["AES", mode], "-"), length: length * 8 }),
  alg: ({ length }) => join(["A", length, mode], ""),
  fits: (asked, length) => length === 16 || length === 24 || length === 32,
  bits(given) {
    if (given.length === undefined) throw new TypeError("AES needs a length.");
    const bits = octetLength(given.length, 65535);
    if (bits !== 128 && bits !== 192 && bits !== 256) throw operationError("Invalid key length");
    return bits;
  },
});

const aes = (mode, through) => {
  const operations = secretKey(aesKind(mode, ["encrypt", "decrypt", "wrapKey", "unwrapKey"]));
  operations.encrypt = operations.wrapKey = (given, key, data) => through(keyMaterial(key), given, data, "encrypt");
  operations.decrypt = operations.unwrapKey = (given, key, data) => through(keyMaterial(key), given, data, "decrypt");
  return operations;
};

/** AES-KW (RFC 3394), whose data is keys alone. */
const aesKeyWrap = () => {
  const operations = secretKey(aesKind("KW", ["wrapKey", "unwrapKey"]));
  operations.wrapKey = (given, key, data) => fromHex(answered(aesWrap(toHex(keyMaterial(key)), toHex(data))));
  operations.unwrapKey = (given, key, data) => fromHex(answered(aesUnwrap(toHex(keyMaterial(key)), toHex(data))));
  return operations;
};
