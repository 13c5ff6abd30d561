// Bodies of requests and responses (Fetch Standard, section 5.3): whole bytes, or an action's stream.
/**
 * The content of a body: `base64` of its bytes or null, `stream` that an action gave or undefined, and
 * the media type that it implies or null.
 */
const content = (base64, type, stream = undefined) => ({ __proto__: null, base64, type, stream });
const NO_CONTENT = content(null, null);
const isContent = ({ base64, stream }) => base64 !== null || stream !== undefined;
const contentOfBytes = (bytes, type) => content(toBase64(bytes), type);

const contentOfStream = (stream) => {
  if (streamsPart.isStreamLocked(stream) || streamsPart.isStreamRead(stream)) throw new TypeError("The body's stream is locked or has been read.");
  return content(null, null, stream);
};

/** The content of an object that is a body as such, undefined for any other. */
const contentOfObject = (value) => {
  if (urlPart.isParams(value)) {
    return contentOfBytes(encodeUtf8(urlPart.paramsText(value)), "application/x-www-form-urlencoded;charset=UTF-8");
  }
  const bytes = bytesOf(value);
  if (bytes !== undefined) return contentOfBytes(bytes, null);
  if (formsPart.isBlob(value)) {
    const type = formsPart.blobType(value);
    return contentOfBytes(formsPart.blobBytes(value), type === "" ? null : type);
  }
  if (formsPart.isForm(value)) {
    const encoded = formsPart.encodeForm(value);
    return contentOfBytes(encoded.bytes, encoded.type);
  }
  if (streamsPart.isStream(value)) return contentOfStream(value);
  return typeof value[asyncIteratorSymbol] === "function" ? content(null, null, streamsPart.streamOfIterable(value)) : undefined;
};

/** The content of what a caller gives as a body. */
const extractBody = (value) => {
  if (value === null || value === undefined) return NO_CONTENT;
  const found = typeof value === "object" || typeof value === "function" ? contentOfObject(value) : undefined;
  return found === undefined ? contentOfBytes(encodeUtf8(textOf(value)), "text/plain;charset=UTF-8") : found;
};

const bytesInBase64 = (base64) => {
  const isPadding = (back) => charCodeAt(base64, base64.length - back) === 61;
  return (base64.length / 4) * 3 - (isPadding(2) ? 2 : isPadding(1) ? 1 : 0);
};

/** A stream of bytes in base64, which are decoded piece by piece, four characters for three bytes. */
const streamOfBase64 = (base64) => streamsPart.streamOfBytes(bytesInBase64(base64), (from, to) => {
  const group = floor(from / 3);
  const decoded = fromBase64(substring(base64, group * 4, ceil(to / 3) * 4));
  return copyOf(subarray(decoded, from - group * 3, to - group * 3));
});

/** The text of a Content-Type as a Blob has it, "" if it is none. */
const blobTypeOf = (text) => {
  const { essence, parameters } = formsPart.withParameters(text, true);
  const slash = indexOf(essence, "/");
  if (slash < 0 || !match(TOKEN, substring(essence, 0, slash)) || !match(TOKEN, substring(essence, slash + 1))) return "";
  const pieces = list();
  append(pieces, essence);
  mapForEach(parameters, (value, name) => {
    if (match(TOKEN, name)) append(pieces, join([";", name, "=", match(TOKEN, value) ? value : stringify(value)], ""));
  });
  return toLowerCase(join(pieces, ""));
};

let contentOf;
let sharedContent;
let headersOfBody;
let fillBody;
let useBody;
let isUnusable;
let takeBody;

class Body {
  #base64;

  /** Given by an action, or made of the bytes when an action asks for it. */
  #stream;

  #headers;

  #used = false;

  static {
    contentOf = (body) => content(body.#base64, null, body.#stream);
    headersOfBody = (body) => body.#headers;
    fillBody = (body, { base64, stream }, headers) => {
      body.#base64 = base64;
      body.#stream = stream;
      body.#headers = headers;
    };
    /** Content for a copy. A stream is divided, so that the body has another from then on. */
    sharedContent = (body) => {
      if (body.#base64 !== null || body.#stream === undefined) return content(body.#base64, null);
      const both = streamsPart.teeStream(body.#stream);
      body.#stream = both[0];
      return content(null, null, both[1]);
    };
    useBody = (body) => body.#use();
    /** Whether the body has been read, or its stream is locked by a reader. */
    isUnusable = (body) => body.#isUsed() || (body.#stream !== undefined && streamsPart.isStreamLocked(body.#stream));
    takeBody = (body, most) => body.#take(most);
  }

  constructor(given, headers) { fillBody(this, given, headers); }

  get bodyUsed() { return this.#isUsed(); }

  get body() {
    if (this.#stream === undefined && this.#base64 !== null) {
      this.#stream = streamOfBase64(this.#base64);
      if (this.#used) streamsPart.useUp(this.#stream);
    }
    return this.#stream === undefined ? null : this.#stream;
  }

  #isUsed() { return this.#used || (this.#stream !== undefined && streamsPart.isStreamRead(this.#stream)); }

  #use() {
    this.#used = this.#base64 !== null || this.#stream !== undefined;
    if (this.#stream !== undefined && !streamsPart.isStreamLocked(this.#stream)) streamsPart.useUp(this.#stream);
  }

  /**
   * Takes the content, after which the body is used: the base64 of whole bytes, "" without a body, or
   * {whole, stop} of a stream, of which it reads at most `most` bytes.
   */
  #take(most = Infinity) {
    if (isUnusable(this)) throw new TypeError("Body is unusable: it has been read, or is locked to a reader.");
    if (this.#base64 === null && this.#stream !== undefined) {
      this.#used = true;
      return streamsPart.readWhole(this.#stream, most);
    }
    this.#use();
    return this.#base64 === null ? "" : this.#base64;
  }

  async #bytes() {
    const taken = this.#take();
    return typeof taken === "string" ? fromBase64(taken) : await taken.whole;
  }

  async #binary() {
    const taken = this.#take();
    return typeof taken === "string" ? atob(taken) : binaryOf(await taken.whole);
  }

  #contentType() {
    const text = headerText(this.#headers, "content-type");
    return text === null ? "" : text;
  }

  async text() { return withoutMark(decodeBinary(await this.#binary(), false)); }

  async json() { return parse(withoutMark(decodeBinary(await this.#binary(), false))); }

  async bytes() { return await this.#bytes(); }

  async arrayBuffer() { return typedArrayBuffer(await this.#bytes()); }

  async blob() { return formsPart.blobFrom(await this.#bytes(), blobTypeOf(this.#contentType())); }

  async formData() { return formsPart.decodeForm(await this.#binary(), this.#contentType()); }
}
const headerText = uncurry(Headers.prototype.get);
