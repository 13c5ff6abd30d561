// Blob and File (W3C File API), whole in memory.
let blobBytes;
let blobType;
let blobFrom;
let isBlob;
let fillBlob;
let isFile;
let fileFrom;
let fileName;
let fileModified;

const printable = (text) => {
  for (let i = 0; i < text.length; i += 1) {
    const code = charCodeAt(text, i);
    if (code < 0x20 || code > 0x7e) return false;
  }
  return true;
};

/** A media type in lower case, "" if it has characters that none has. */
const typeOf = (value) => {
  const text = textOf(value);
  return printable(text) ? toLowerCase(text) : "";
};

const memberOf = (options, name) => {
  if (options === undefined || options === null) return undefined;
  if (typeof options !== "object" && typeof options !== "function") throw new TypeError("The options of a Blob or File are an object.");
  return options[name];
};

const LINE_ENDS = { __proto__: null, transparent: true, native: true };
const lineEndsOf = (options) => {
  const value = memberOf(options, "endings");
  const endings = value === undefined ? "transparent" : textOf(value);
  if (LINE_ENDS[endings] !== true) throw new TypeError("endings is transparent or native.");
  return endings;
};

/** The parts of a sequence: the bytes of blobs, buffers and views, and all others as texts. */
const partsOf = (parts) => {
  if ((typeof parts !== "object" && typeof parts !== "function") || parts === null) throw new TypeError("A Blob is made of a sequence.");
  const items = list();
  eachOf(parts, (part) => {
    const bytes = isBlob(part) ? blobBytes(part) : bytesOf(part);
    append(items, bytes === undefined ? textOf(part) : bytes);
  });
  return items;
};

const bytesOfParts = (items, endings) => {
  let length = 0;
  for (let i = 0; i < items.length; i += 1) {
    if (typeof items[i] === "string") items[i] = encodeUtf8(endings === "native" ? withLineEnds(items[i], "\n") : items[i]);
    length += typedArrayLength(items[i]);
  }
  return joined(items, length);
};

/** A number rounded to the nearest integer, halves to the even one, as WebIDL's [Clamp] does. */
const rounded = (value) => {
  const number = NativeNumber(value);
  if (number !== number) return 0;
  const below = floor(number);
  const above = number - below;
  return above > 0.5 || (above === 0.5 && below % 2 !== 0) ? below + 1 : below;
};

class Blob {
  #bytes;

  #type;

  static {
    isBlob = (value) => typeof value === "object" && value !== null && #bytes in value;
    blobBytes = (blob) => blob.#bytes;
    blobType = (blob) => blob.#type;
    fillBlob = (blob, bytes, type) => {
      blob.#bytes = bytes;
      blob.#type = type;
      return blob;
    };
    blobFrom = (bytes, type) => fillBlob(new Blob(), bytes, type);
  }

  constructor(parts = undefined, options = undefined) {
    const items = parts === undefined ? list() : partsOf(parts);
    const endings = lineEndsOf(options);
    const type = memberOf(options, "type");
    this.#type = type === undefined ? "" : typeOf(type);
    this.#bytes = bytesOfParts(items, endings);
  }

  get size() { return typedArrayLength(this.#bytes); }

  get type() { return this.#type; }

  slice(start = 0, end = undefined, type = "") {
    const size = typedArrayLength(this.#bytes);
    const within = (value) => {
      const at = rounded(value);
      return at < 0 ? max(size + at, 0) : min(at, size);
    };
    const from = within(start);
    const to = end === undefined ? size : within(end);
    return blobFrom(subarray(this.#bytes, from, max(from, to)), typeOf(type));
  }

  stream() {
    const bytes = this.#bytes;
    return streamsPart.streamOfBytes(typedArrayLength(bytes), (from, to) => copyOf(subarray(bytes, from, to)));
  }

  async text() { return withoutMark(decodeUtf8(this.#bytes, false)); }

  async bytes() { return copyOf(this.#bytes); }

  async arrayBuffer() { return typedArrayBuffer(copyOf(this.#bytes)); }
}

/** In place of a File's parts: its content is filled in afterwards. */
const FILLED_LATER = {};

class File extends Blob {
  #name;

  #lastModified;

  static {
    isFile = (value) => typeof value === "object" && value !== null && #name in value;
    fileName = (file) => file.#name;
    fileModified = (file) => file.#lastModified;
    fileFrom = (bytes, type, name, lastModified) => fillBlob(new File(FILLED_LATER, name, { __proto__: null, lastModified }), bytes, type);
  }

  constructor(parts, name, options = undefined) {
    needArguments(arguments.length, 2);
    if (parts === undefined) throw new TypeError("A File is made of a sequence of parts.");
    super(parts === FILLED_LATER ? undefined : parts, options);
    this.#name = toWellFormed(textOf(name));
    const modified = memberOf(options, "lastModified");
    const time = modified === undefined ? now() : NativeNumber(modified);
    this.#lastModified = time - time === 0 ? (time < 0 ? ceil(time) : floor(time)) + 0 : 0;
  }

  get name() { return this.#name; }

  get lastModified() { return this.#lastModified; }

  get webkitRelativePath() { return ""; }
}
tagged(Blob, "Blob");
tagged(File, "File");
copyableAs(isBlob, (blob) => isFile(blob)
  ? fileFrom(blobBytes(blob), blobType(blob), fileName(blob), fileModified(blob))
  : blobFrom(blobBytes(blob), blobType(blob)));
