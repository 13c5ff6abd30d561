// The system's randomness for Math.random, crypto.getRandomValues and crypto.randomUUID.
const RANDOM_BYTES_AT_ONCE = 4096;
let pool = new NativeUint8Array(0);
let poolAt = 0;

const randomBytes = (count) => {
  const bytes = new NativeUint8Array(count);
  for (let i = 0; i < count; i += 1) {
    if (poolAt >= typedArrayLength(pool)) {
      pool = fromHex(randomHex(RANDOM_BYTES_AT_ONCE));
      poolAt = 0;
      if (typedArrayLength(pool) !== RANDOM_BYTES_AT_ONCE) throw new NativeDOMException("There is no randomness.", "OperationError");
    }
    bytes[i] = pool[poolAt];
    poolAt += 1;
  }
  return bytes;
};

Math.random = () => {
  const bytes = randomBytes(7);
  let value = bytes[0] & 31;
  for (let i = 1; i < 7; i += 1) value = value * 256 + bytes[i];
  return value / 9007199254740992;
};

const INTEGER_ARRAYS = { __proto__: null };
for (const bits of ["8", "16", "32"]) INTEGER_ARRAYS[`Int${bits}Array`] = INTEGER_ARRAYS[`Uint${bits}Array`] = true;
for (const name of ["Uint8ClampedArray", "BigInt64Array", "BigUint64Array"]) INTEGER_ARRAYS[name] = true;

const getRandomValues = function (array) {
  needArguments(arguments.length, 1);
  if (!isView(array) || INTEGER_ARRAYS[typedArrayTag(array)] !== true) {
    throw new NativeDOMException("crypto.getRandomValues needs an integer typed array.", "TypeMismatchError");
  }
  const bytes = bytesOf(array);
  const length = typedArrayLength(bytes);
  if (length > 65536) {
    throw new NativeDOMException("crypto.getRandomValues fills at most 65536 bytes a call.", "QuotaExceededError");
  }
  const fresh = randomBytes(length);
  for (let i = 0; i < length; i += 1) bytes[i] = fresh[i];
  return array;
};

const randomUUID = () => {
  const bytes = randomBytes(16);
  bytes[6] = (bytes[6] & 15) | 64;
  bytes[8] = (bytes[8] & 63) | 128;
  const hex = toHex(bytes);
  const cut = (from, to) => substring(hex, from, to);
  return join([cut(0, 8), cut(8, 12), cut(12, 16), cut(16, 20), cut(20, 32)], "-");
};
