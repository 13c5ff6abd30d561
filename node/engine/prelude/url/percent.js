// Percent-encoding and application/x-www-form-urlencoded (WHATWG URL Standard, sections 1.3 and 5).
const encodeSet = (base, added) => {
  const set = new NativeUint8Array(128);
  for (let i = 0; i < 128; i += 1) set[i] = base === undefined ? i < 0x20 || i === 0x7f : base[i];
  for (let i = 0; i < added.length; i += 1) set[charCodeAt(added, i)] = 1;
  return set;
};
const CONTROL_SET = encodeSet(undefined, "");
const FRAGMENT_SET = encodeSet(CONTROL_SET, ' "<>`');
const QUERY_SET = encodeSet(CONTROL_SET, ' "#<>');
const SPECIAL_QUERY_SET = encodeSet(QUERY_SET, "'");
const PATH_SET = encodeSet(QUERY_SET, "?^`{}");
const USERINFO_SET = encodeSet(PATH_SET, "/:;=@[\\]|");
const FORM_SET = encodeSet(USERINFO_SET, "$&+,%!'()~");

const upperHex = (byte) => join(["%", HEX_UPPER[byte >> 4], HEX_UPPER[byte & 15]], "");
const HEX_UPPER = "0123456789ABCDEF";

/** The text with every byte of `set`, and all that is not ASCII, as %XX. */
const percentEncode = (text, set) => {
  const bytes = encodeUtf8(text);
  const parts = list();
  for (let i = 0, length = typedArrayLength(bytes); i < length; i += 1) {
    const byte = bytes[i];
    append(parts, byte < 0x80 && set[byte] === 0 ? fromCharCode(byte) : upperHex(byte));
  }
  return join(parts, "");
};

const hexDigit = (byte) => {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
};

/** Bytes of a text, with %XX undone; `plus` makes + a space. */
const percentDecode = (text, plus) => {
  const bytes = encodeUtf8(text);
  const end = typedArrayLength(bytes);
  let length = 0;
  for (let i = 0; i < end; i += 1) {
    const high = bytes[i] === 0x25 && i + 2 < end ? hexDigit(bytes[i + 1]) : -1;
    const low = high < 0 ? -1 : hexDigit(bytes[i + 2]);
    if (low >= 0) {
      bytes[length] = high * 16 + low;
      i += 2;
    } else bytes[length] = plus && bytes[i] === 0x2b ? 0x20 : bytes[i];
    length += 1;
  }
  return new NativeUint8Array(typedArrayBuffer(bytes), 0, length);
};

const formDecoded = (text) => decodeUtf8(percentDecode(text, true), false);
const formEncoded = (text) => join(split(percentEncode(text, FORM_SPACE_SET), " "), "+");
const FORM_SPACE_SET = encodeSet(FORM_SET, "");
FORM_SPACE_SET[0x20] = 0;

/** Pairs of a query text, each an object of name and value. */
const parseForm = (text) => {
  const pairs = list();
  const pieces = split(text, "&");
  for (let i = 0; i < pieces.length; i += 1) {
    if (pieces[i] === "") continue;
    const equals = indexOf(pieces[i], "=");
    const name = equals < 0 ? pieces[i] : substring(pieces[i], 0, equals);
    const value = equals < 0 ? "" : substring(pieces[i], equals + 1);
    append(pairs, { __proto__: null, name: formDecoded(name), value: formDecoded(value) });
  }
  return pairs;
};

const serializeForm = (pairs) => {
  const pieces = list();
  for (let i = 0; i < pairs.length; i += 1) {
    append(pieces, join([formEncoded(pairs[i].name), formEncoded(pairs[i].value)], "="));
  }
  return join(pieces, "&");
};
