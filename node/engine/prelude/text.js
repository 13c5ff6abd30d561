// TextEncoder and TextDecoder for UTF-8 (WHATWG Encoding Standard; other encodings are refused).
const encodeUtf8 = (text) => {
  const units = text.length;
  const bytes = new NativeUint8Array(units * 3);
  let at = 0;
  for (let i = 0; i < units; i += 1) {
    let point = charCodeAt(text, i);
    if (point >= 0xd800 && point <= 0xdfff) {
      const low = i + 1 < units ? charCodeAt(text, i + 1) : 0;
      const paired = point < 0xdc00 && low >= 0xdc00 && low <= 0xdfff;
      if (paired) i += 1;
      point = paired ? 0x10000 + ((point - 0xd800) << 10) + (low - 0xdc00) : 0xfffd;
    }
    if (point < 0x80) bytes[at++] = point;
    else if (point < 0x800) {
      bytes[at++] = 0xc0 | (point >> 6);
      bytes[at++] = 0x80 | (point & 63);
    } else {
      if (point < 0x10000) bytes[at++] = 0xe0 | (point >> 12);
      else {
        bytes[at++] = 0xf0 | (point >> 18);
        bytes[at++] = 0x80 | ((point >> 12) & 63);
      }
      bytes[at++] = 0x80 | ((point >> 6) & 63);
      bytes[at++] = 0x80 | (point & 63);
    }
  }
  return new NativeUint8Array(bufferSlice(typedArrayBuffer(bytes), 0, at));
};

// For a lead byte: how many bytes follow, the bits it carries, and the range its second byte must lie in.
const leadByte = (byte) => {
  if (byte >= 0xc2 && byte <= 0xdf) return [1, byte & 31, 0x80, 0xbf];
  if (byte >= 0xe0 && byte <= 0xef) return [2, byte & 15, byte === 0xe0 ? 0xa0 : 0x80, byte === 0xed ? 0x9f : 0xbf];
  if (byte >= 0xf0 && byte <= 0xf4) return [3, byte & 7, byte === 0xf0 ? 0x90 : 0x80, byte === 0xf4 ? 0x8f : 0xbf];
  return undefined;
};

const decodeUtf8 = (bytes, fatal) => {
  const parts = list();
  const malformed = () => {
    if (fatal) throw new TypeError("The bytes are not valid UTF-8.");
    append(parts, "\ufffd");
  };
  let i = 0;
  while (i < bytes.length) {
    const first = bytes[i];
    i += 1;
    if (first < 0x80) { append(parts, fromCharCode(first)); continue; }
    const lead = leadByte(first);
    if (lead === undefined) { malformed(); continue; }
    let following = lead[0];
    let point = lead[1];
    let lower = lead[2];
    let upper = lead[3];
    while (following > 0 && i < bytes.length && bytes[i] >= lower && bytes[i] <= upper) {
      point = (point << 6) | (bytes[i] & 63);
      lower = 0x80;
      upper = 0xbf;
      following -= 1;
      i += 1;
    }
    if (following > 0) malformed();
    else if (point < 0x10000) append(parts, fromCharCode(point));
    else append(parts, fromCharCode(0xd800 + ((point - 0x10000) >> 10), 0xdc00 + ((point - 0x10000) & 1023)));
  }
  return join(parts, "");
};

const UTF8_LABELS = { __proto__: null, "utf-8": true, utf8: true, "unicode-1-1-utf-8": true };

class TextEncoder {
  get encoding() { return "utf-8"; }

  encode(text = "") { return encodeUtf8(NativeString(text)); }
}

class TextDecoder {
  #fatal;

  #keepMark;

  constructor(label = "utf-8", options = {}) {
    if (UTF8_LABELS[toLowerCase(NativeString(label))] !== true) {
      throw new RangeError("TextDecoder knows utf-8 alone here.");
    }
    this.#fatal = !!options.fatal;
    this.#keepMark = !!options.ignoreBOM;
  }

  get encoding() { return "utf-8"; }

  get fatal() { return this.#fatal; }

  get ignoreBOM() { return this.#keepMark; }

  decode(input, options = {}) {
    if (options.stream) throw new TypeError("TextDecoder does not stream here.");
    const bytes = input === undefined ? new NativeUint8Array(0) : bytesOf(input);
    if (bytes === undefined) throw new TypeError("TextDecoder needs an ArrayBuffer or a view of one.");
    const text = decodeUtf8(bytes, this.#fatal);
    return !this.#keepMark && charCodeAt(text, 0) === 0xfeff ? substring(text, 1) : text;
  }
}

expose("TextEncoder", TextEncoder);
expose("TextDecoder", TextDecoder);
