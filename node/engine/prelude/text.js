// TextEncoder and TextDecoder (Encoding Standard) for UTF-8, UTF-16 and windows-1252 (latin1).
// A "binary" is a text with a character a byte, which the engine converts from and to bytes.
const BEYOND_ASCII = /[^\0-\x7f]/;

const bytesOfBinary = (binary) => fromBase64(btoa(binary));
const binaryOf = (bytes) => atob(toBase64(bytes));
const encodeUtf8 = (text) => bytesOfBinary(unescape(encodeURIComponent(toWellFormed(text))));

/** Decodes a UTF-8 binary. Malformed sequences become U+FFFD, or a TypeError if `fatal`. */
const decodeBinary = (binary, fatal) => {
  if (!match(BEYOND_ASCII, binary)) return binary;
  try {
    return decodeURIComponent(escape(binary));
  } catch (thrown) {
    if (!errorIs(thrown) || getPrototypeOf(thrown) !== uriErrorPrototype) throw thrown;
  }
  if (fatal) throw new TypeError("The bytes are not valid UTF-8.");
  return decodeMalformed(binary);
};

const withoutMark = (text) => (charCodeAt(text, 0) === 0xfeff ? substring(text, 1) : text);

const decodeUtf8 = (bytes, fatal) => decodeBinary(binaryOf(bytes), fatal);

// Of a lead byte, the number of following bytes, its own bits, and the second byte's range.
const leadByte = (byte) => {
  const lead = (following, bits, lower, upper) => ({ __proto__: null, following, bits, lower, upper });
  if (byte >= 0xc2 && byte <= 0xdf) return lead(1, byte & 31, 0x80, 0xbf);
  if (byte >= 0xe0 && byte <= 0xef) return lead(2, byte & 15, byte === 0xe0 ? 0xa0 : 0x80, byte === 0xed ? 0x9f : 0xbf);
  if (byte >= 0xf0 && byte <= 0xf4) return lead(3, byte & 7, byte === 0xf0 ? 0x90 : 0x80, byte === 0xf4 ? 0x8f : 0xbf);
  return undefined;
};

/** One character at `at`: {text, length, cut}, `cut` where the binary ends inside it. */
const characterAt = (binary, at) => {
  const lead = leadByte(charCodeAt(binary, at));
  if (lead === undefined) return { __proto__: null, text: "\ufffd", length: 1, cut: false };
  let point = lead.bits;
  let { lower, upper } = lead;
  let taken = 1;
  while (taken <= lead.following && at + taken < binary.length) {
    const byte = charCodeAt(binary, at + taken);
    if (byte < lower || byte > upper) return { __proto__: null, text: "\ufffd", length: taken, cut: false };
    point = (point << 6) | (byte & 63);
    lower = 0x80;
    upper = 0xbf;
    taken += 1;
  }
  const cut = taken <= lead.following;
  return { __proto__: null, text: cut ? "\ufffd" : fromCodePoint(point), length: taken, cut };
};

const decodeMalformed = (binary) => {
  const parts = list();
  let from = 0;
  let at = 0;
  while (at < binary.length) {
    if (charCodeAt(binary, at) < 0x80) { at += 1; continue; }
    append(parts, substring(binary, from, at));
    const character = characterAt(binary, at);
    append(parts, character.text);
    at += character.length;
    from = at;
  }
  append(parts, substring(binary, from));
  return join(parts, "");
};

/** How many bytes at the end of a binary of UTF-8 begin a character whose rest may still come. */
const unfinishedUtf8 = (binary) => {
  for (let back = 1; back <= 3 && back <= binary.length; back += 1) {
    const at = binary.length - back;
    const byte = charCodeAt(binary, at);
    if (byte >= 0xc0) {
      const character = characterAt(binary, at);
      return character.cut && character.length === back ? back : 0;
    }
    if (byte < 0x80) return 0;
  }
  return 0;
};

/** UTF-16, whose code units have the high byte at `high` of two, 0 or 1. */
const utf16 = (high) => ({
  __proto__: null,
  mark: true,
  unfinished(binary) {
    const odd = binary.length % 2;
    const byte = charCodeAt(binary, binary.length - odd - 2 + high);
    return byte >= 0xd8 && byte <= 0xdb ? 2 + odd : odd;
  },
  decode(binary, fatal) {
    const parts = list();
    for (let i = 0; i + 1 < binary.length; i += 2) {
      append(parts, fromCharCode((charCodeAt(binary, i + high) << 8) | charCodeAt(binary, i + 1 - high)));
    }
    if (binary.length % 2 === 1) append(parts, "\ufffd");
    const text = join(parts, "");
    if (fatal && (binary.length % 2 === 1 || !isWellFormed(text))) throw new TypeError("The bytes are not valid UTF-16.");
    return toWellFormed(text);
  },
});

// What windows-1252 has from 0x80 to 0x9f.
const WINDOWS_1252 = "\u20ac\x81\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\x8d\u017d\x8f"
  + "\x90\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\x9d\u017e\u0178";
const decodeWindows1252 = (binary) => {
  if (!match(/[\x80-\x9f]/, binary)) return binary;
  const parts = list();
  for (let i = 0; i < binary.length; i += 1) {
    const byte = charCodeAt(binary, i);
    append(parts, byte >= 0x80 && byte <= 0x9f ? WINDOWS_1252[byte - 0x80] : binary[i]);
  }
  return join(parts, "");
};

const ENCODINGS = {
  __proto__: null,
  "utf-8": { __proto__: null, decode: decodeBinary, unfinished: unfinishedUtf8, mark: true },
  "utf-16le": utf16(1),
  "utf-16be": utf16(0),
  "windows-1252": { __proto__: null, decode: decodeWindows1252, unfinished: () => 0, mark: false },
};
const LABELS = { __proto__: null };
for (const [encoding, labels] of [
  ["utf-8", "utf-8 utf8 unicode-1-1-utf-8 unicode11utf8 unicode20utf8 x-unicode20utf8"],
  ["utf-16le", "utf-16le utf-16 ucs-2 unicode csunicode iso-10646-ucs-2 unicodefeff"],
  ["utf-16be", "utf-16be unicodefffe"],
  ["windows-1252", "windows-1252 latin1 l1 ascii us-ascii iso-8859-1 iso8859-1 iso88591 iso_8859-1 cp1252 x-cp1252 cp819 ibm819 ansi_x3.4-1968 csisolatin1"],
]) for (const label of labels.split(" ")) LABELS[label] = encoding;

const isAsciiBlank = (character) => character === "\f" || isBlank(character);

const bytesOrThrow = (input) => {
  const bytes = bytesOf(input);
  if (bytes === undefined) throw new TypeError("An ArrayBuffer or a view of one is needed here.");
  return bytes;
};

class TextEncoder {
  #encoding = "utf-8";

  get encoding() { return this.#encoding; }

  encode(text = "") { return this.#encode(textOf(text)); }

  #encode(text) { return encodeUtf8(text); }

  encodeInto(text, destination) {
    needArguments(arguments.length, 2);
    if (!isView(destination) || typedArrayTag(destination) !== "Uint8Array") throw new TypeError("encodeInto needs a Uint8Array.");
    const source = toWellFormed(textOf(text));
    const room = typedArrayByteLength(destination);
    let bytes = this.#encode(source);
    if (typedArrayLength(bytes) > room) {
      const fitting = binaryOf(subarray(bytes, 0, room));
      bytes = subarray(bytes, 0, room - unfinishedUtf8(fitting));
    }
    typedArraySet(destination, bytes);
    return { read: decodeUtf8(bytes, false).length, written: typedArrayLength(bytes) };
  }
}

class TextDecoder {
  #encoding;

  #fatal;

  #keepMark;

  #pending = "";

  #started = false;

  constructor(label = "utf-8", options = undefined) {
    const { fatal, ignoreBOM } = dictionaryOf(options);
    const name = toLowerCase(trimmed(textOf(label), isAsciiBlank));
    this.#encoding = LABELS[name];
    if (this.#encoding === undefined) throw new RangeError("TextDecoder knows utf-8, utf-16le, utf-16be and windows-1252 (latin1) here.");
    this.#fatal = !!fatal;
    this.#keepMark = !!ignoreBOM;
  }

  get encoding() { return this.#encoding; }

  get fatal() { return this.#fatal; }

  get ignoreBOM() { return this.#keepMark; }

  decode(input = undefined, options = undefined) {
    const encoding = ENCODINGS[this.#encoding];
    const given = input === undefined ? "" : binaryOf(bytesOrThrow(input));
    const stream = !!dictionaryOf(options).stream;
    let binary = join([this.#pending, given], "");
    const unfinished = stream ? encoding.unfinished(binary) : 0;
    this.#pending = unfinished === 0 ? "" : substring(binary, -unfinished);
    if (unfinished > 0) binary = substring(binary, 0, -unfinished);
    const first = !this.#started;
    this.#started = stream && (this.#started || binary.length > 0);
    const text = encoding.decode(binary, this.#fatal);
    return first && encoding.mark && !this.#keepMark && charCodeAt(text, 0) === 0xfeff ? substring(text, 1) : text;
  }
}

tagged(TextEncoder, "TextEncoder");
tagged(TextDecoder, "TextDecoder");
expose("TextEncoder", TextEncoder);
for (const convert of [atob, btoa]) {
  expose(convert.name, function (text) {
    needArguments(arguments.length, 1);
    return convert(text);
  });
}
expose("TextDecoder", TextDecoder);
