// AES (FIPS 197), forward by tables of words and backward by bytes. Nothing here is constant-time: it runs alone, in
// a process that ends with the action and owns the key.
const SBOX = new NativeUint8Array(256);
const INVERSE_SBOX = new NativeUint8Array(256);
const doubled = (byte) => ((byte << 1) ^ (byte & 0x80 ? 0x11b : 0)) & 0xff;

const fillBoxes = () => {
  let power = 1;
  let inverse = 1;
  do {
    power ^= doubled(power);
    inverse ^= inverse << 1;
    inverse ^= inverse << 2;
    inverse ^= inverse << 4;
    inverse &= 0xff;
    if (inverse & 0x80) inverse ^= 0x09;
    const turned = inverse ^ (inverse << 1) ^ (inverse << 2) ^ (inverse << 3) ^ (inverse << 4);
    SBOX[power] = (turned ^ (turned >> 8) ^ 0x63) & 0xff;
  } while (power !== 1);
  SBOX[0] = 0x63;
  for (let i = 0; i < 256; i += 1) INVERSE_SBOX[SBOX[i]] = i;
};
fillBoxes();

// One column after SubBytes and MixColumns, for a byte in the first row; the other rows are rotations of it.
const COLUMNS = new NativeInt32Array(1024);
for (let i = 0; i < 256; i += 1) {
  const byte = SBOX[i];
  const twice = doubled(byte);
  const column = (twice << 24) | (byte << 16) | (byte << 8) | (byte ^ twice);
  for (let row = 0; row < 4; row += 1) COLUMNS[row * 256 + i] = (column >>> (8 * row)) | (column << (32 - 8 * row));
}

const substituted = (word) =>
  (SBOX[word >>> 24] << 24) | (SBOX[(word >>> 16) & 255] << 16) | (SBOX[(word >>> 8) & 255] << 8) | SBOX[word & 255];

const wordAt = (bytes, at) => (bytes[at] << 24) | (bytes[at + 1] << 16) | (bytes[at + 2] << 8) | bytes[at + 3];

const putWord = (bytes, at, word) => {
  bytes[at] = word >>> 24;
  bytes[at + 1] = word >>> 16;
  bytes[at + 2] = word >>> 8;
  bytes[at + 3] = word;
};

/** The round keys of a key of 16, 24 or 32 bytes. */
const expandKey = (key) => {
  const words = key.length / 4;
  const total = 4 * (words + 7);
  const schedule = new NativeInt32Array(total);
  for (let i = 0; i < words; i += 1) schedule[i] = wordAt(key, 4 * i);
  let constant = 1;
  for (let i = words; i < total; i += 1) {
    let word = schedule[i - 1];
    if (i % words === 0) {
      word = substituted((word << 8) | (word >>> 24)) ^ (constant << 24);
      constant = doubled(constant);
    } else if (words > 6 && i % words === 4) word = substituted(word);
    schedule[i] = schedule[i - words] ^ word;
  }
  return schedule;
};

/** Encrypts the block of `input` at `from` into `output` at `to`. Its locals are what makes it fast. */
const encryptBlock = (schedule, input, from, output, to) => {
  const columns = COLUMNS;
  const box = SBOX;
  let a = wordAt(input, from) ^ schedule[0];
  let b = wordAt(input, from + 4) ^ schedule[1];
  let c = wordAt(input, from + 8) ^ schedule[2];
  let d = wordAt(input, from + 12) ^ schedule[3];
  const last = schedule.length - 4;
  for (let k = 4; k < last; k += 4) {
    const e = columns[a >>> 24] ^ columns[256 | ((b >> 16) & 255)] ^ columns[512 | ((c >> 8) & 255)] ^ columns[768 | (d & 255)] ^ schedule[k];
    const f = columns[b >>> 24] ^ columns[256 | ((c >> 16) & 255)] ^ columns[512 | ((d >> 8) & 255)] ^ columns[768 | (a & 255)] ^ schedule[k + 1];
    const g = columns[c >>> 24] ^ columns[256 | ((d >> 16) & 255)] ^ columns[512 | ((a >> 8) & 255)] ^ columns[768 | (b & 255)] ^ schedule[k + 2];
    d = columns[d >>> 24] ^ columns[256 | ((a >> 16) & 255)] ^ columns[512 | ((b >> 8) & 255)] ^ columns[768 | (c & 255)] ^ schedule[k + 3];
    a = e;
    b = f;
    c = g;
  }
  const final = (p, q, r, s) => (box[p >>> 24] << 24) | (box[(q >> 16) & 255] << 16) | (box[(r >> 8) & 255] << 8) | box[s & 255];
  putWord(output, to, final(a, b, c, d) ^ schedule[last]);
  putWord(output, to + 4, final(b, c, d, a) ^ schedule[last + 1]);
  putWord(output, to + 8, final(c, d, a, b) ^ schedule[last + 2]);
  putWord(output, to + 12, final(d, a, b, c) ^ schedule[last + 3]);
};

const addRoundKey = (state, schedule, round) => {
  for (let i = 0; i < 16; i += 1) state[i] ^= schedule[4 * round + (i >> 2)] >>> (24 - 8 * (i & 3));
};

const unmixColumn = (state, at) => {
  const a = state[at];
  const b = state[at + 1];
  const c = state[at + 2];
  const d = state[at + 3];
  const times4 = doubled(doubled(a ^ c));
  const other4 = doubled(doubled(b ^ d));
  const times8 = doubled(times4 ^ other4);
  const mixed = (p, q, r, s) => doubled(p ^ q) ^ q ^ r ^ s;
  state[at] = mixed(a, b, c, d) ^ times8 ^ times4;
  state[at + 1] = mixed(b, c, d, a) ^ times8 ^ other4;
  state[at + 2] = mixed(c, d, a, b) ^ times8 ^ times4;
  state[at + 3] = mixed(d, a, b, c) ^ times8 ^ other4;
};

const decryptBlock = (schedule, input, from, output, to) => {
  let state = new NativeUint8Array(16);
  for (let i = 0; i < 16; i += 1) state[i] = input[from + i];
  const rounds = schedule.length / 4 - 1;
  addRoundKey(state, schedule, rounds);
  for (let round = rounds - 1; round >= 0; round -= 1) {
    const shifted = new NativeUint8Array(16);
    for (let i = 0; i < 16; i += 1) shifted[(i + 4 * (i & 3)) & 15] = INVERSE_SBOX[state[i]];
    state = shifted;
    addRoundKey(state, schedule, round);
    if (round > 0) for (let at = 0; at < 16; at += 4) unmixColumn(state, at);
  }
  typedArraySet(output, state, to);
};
