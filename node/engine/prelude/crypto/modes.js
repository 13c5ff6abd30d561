// Modes of AES: CTR (SP 800-38A), CBC with PKCS #7 padding (the same), GCM (SP 800-38D).
const operationError = (message) => new NativeDOMException(message, "OperationError");

/** XORs the key stream onto the data. The counter is the last `bits` of the block, which is changed in place. */
const applyCounter = (schedule, counter, bits, data) => {
  const whole = new NativeUint8Array((data.length + 15) & ~15);
  for (let at = 0; at < data.length; at += 16) {
    encryptBlock(schedule, counter, 0, whole, at);
    countUp(counter, bits);
  }
  const output = whole.length === data.length ? whole : newBytes(subarray(whole, 0, data.length));
  for (let i = 0; i < output.length; i += 1) output[i] ^= data[i];
  return output;
};

const countUp = (counter, bits) => {
  let left = bits;
  for (let i = 15; left > 0; i -= 1, left -= 8) {
    const mask = left >= 8 ? 255 : (1 << left) - 1;
    const next = (counter[i] + 1) & mask;
    counter[i] = (counter[i] & ~mask) | next;
    if (next !== 0) return;
  }
};

const encryptCbc = (schedule, iv, data) => {
  const padding = 16 - (data.length % 16);
  const output = new NativeUint8Array(data.length + padding);
  typedArraySet(output, data);
  for (let i = data.length; i < output.length; i += 1) output[i] = padding;
  for (let at = 0; at < output.length; at += 16) {
    for (let i = 0; i < 16; i += 1) output[at + i] ^= at === 0 ? iv[i] : output[at - 16 + i];
    encryptBlock(schedule, output, at, output, at);
  }
  return output;
};

const decryptCbc = (schedule, iv, data) => {
  if (data.length === 0 || data.length % 16 !== 0) throw operationError("The operation failed for an operation-specific reason");
  const output = new NativeUint8Array(data.length);
  for (let at = 0; at < data.length; at += 16) {
    decryptBlock(schedule, data, at, output, at);
    for (let i = 0; i < 16; i += 1) output[at + i] ^= at === 0 ? iv[i] : data[at - 16 + i];
  }
  const padding = output[output.length - 1];
  let wrong = padding === 0 || padding > 16;
  for (let i = 1; i <= min(padding, 16); i += 1) wrong = wrong || output[output.length - i] !== padding;
  if (wrong) throw operationError("The operation failed for an operation-specific reason");
  return newBytes(subarray(output, 0, output.length - padding));
};

// Reductions of the four bits that fall out of GHASH's shift, for the top of the first word.
const REDUCTIONS = new NativeInt32Array(16);
for (let i = 0; i < 16; i += 1) {
  let value = 0;
  for (let bit = 0; bit < 4; bit += 1) if (i & (1 << bit)) value ^= 0x1c20 << bit;
  REDUCTIONS[i] = value << 16;
}

/** Sixteen multiples of the hash key, four words each. */
const hashTable = (key) => {
  const table = new NativeInt32Array(64);
  for (let i = 0; i < 4; i += 1) table[32 + i] = wordAt(key, 4 * i);
  for (let i = 4; i > 0; i >>= 1) {
    const odd = table[8 * i + 3] & 1;
    for (let w = 3; w >= 0; w -= 1) table[4 * i + w] = (table[8 * i + w] >>> 1) | (w > 0 ? table[8 * i + w - 1] << 31 : 0);
    if (odd) table[4 * i] ^= 0xe1000000;
  }
  for (let i = 2; i <= 8; i *= 2) {
    for (let j = 1; j < i; j += 1) for (let w = 0; w < 4; w += 1) table[4 * (i + j) + w] = table[4 * i + w] ^ table[4 * j + w];
  }
  return table;
};

/** Multiplies the 16 bytes of `sum` by the hash key, in place. */
const multiplyHash = (table, sum) => {
  const reductions = REDUCTIONS;
  let a = 0;
  let b = 0;
  let c = 0;
  let d = 0;
  for (let step = 0; step < 32; step += 1) {
    const byte = sum[15 - (step >> 1)];
    const entry = (step & 1 ? byte >> 4 : byte & 15) << 2;
    const fallen = d & 15;
    d = ((d >>> 4) | (c << 28)) ^ table[entry | 3];
    c = ((c >>> 4) | (b << 28)) ^ table[entry | 2];
    b = ((b >>> 4) | (a << 28)) ^ table[entry | 1];
    a = (a >>> 4) ^ reductions[fallen] ^ table[entry];
  }
  putWord(sum, 0, a);
  putWord(sum, 4, b);
  putWord(sum, 8, c);
  putWord(sum, 12, d);
};

const absorb = (table, sum, data) => {
  for (let at = 0; at < data.length; at += 16) {
    const end = min(16, data.length - at);
    for (let i = 0; i < end; i += 1) sum[i] ^= data[at + i];
    multiplyHash(table, sum);
  }
};

const absorbLengths = (table, sum, first, second) => {
  const lengths = new NativeUint8Array(16);
  putWord(lengths, 0, floor(first / 536870912));
  putWord(lengths, 4, first * 8);
  putWord(lengths, 8, floor(second / 536870912));
  putWord(lengths, 12, second * 8);
  absorb(table, sum, lengths);
};

/** The table of the hash key and the first counter block of an IV. */
const startGcm = (schedule, iv) => {
  const key = new NativeUint8Array(16);
  encryptBlock(schedule, key, 0, key, 0);
  const table = hashTable(key);
  const counter = new NativeUint8Array(16);
  if (iv.length === 12) {
    typedArraySet(counter, iv);
    counter[15] = 1;
  } else {
    absorb(table, counter, iv);
    absorbLengths(table, counter, 0, iv.length);
  }
  return { __proto__: null, table, counter };
};

const gcmTag = (schedule, started, additional, ciphertext) => {
  const sum = new NativeUint8Array(16);
  absorb(started.table, sum, additional);
  absorb(started.table, sum, ciphertext);
  absorbLengths(started.table, sum, additional.length, ciphertext.length);
  const mask = new NativeUint8Array(16);
  encryptBlock(schedule, started.counter, 0, mask, 0);
  for (let i = 0; i < 16; i += 1) sum[i] ^= mask[i];
  return sum;
};

const counted = (schedule, started, data) => {
  const counter = newBytes(started.counter);
  countUp(counter, 32);
  return applyCounter(schedule, counter, 32, data);
};

const encryptGcm = (schedule, iv, additional, tagBytes, data) => {
  const started = startGcm(schedule, iv);
  const ciphertext = counted(schedule, started, data);
  const tag = gcmTag(schedule, started, additional, ciphertext);
  return concatenated(ciphertext, subarray(tag, 0, tagBytes));
};

const decryptGcm = (schedule, iv, additional, tagBytes, data) => {
  if (data.length < tagBytes) throw operationError("The provided data is too small.");
  const started = startGcm(schedule, iv);
  const ciphertext = subarray(data, 0, data.length - tagBytes);
  const tag = gcmTag(schedule, started, additional, ciphertext);
  let difference = 0;
  for (let i = 0; i < tagBytes; i += 1) difference |= tag[i] ^ data[ciphertext.length + i];
  if (difference !== 0) throw operationError("The operation failed for an operation-specific reason");
  return counted(schedule, started, ciphertext);
};
