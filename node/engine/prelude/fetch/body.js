// Bodies of requests and responses (WHATWG Fetch Standard, section 5.3): always whole, never a stream.
/** {base64 or null, type or null} of what a caller gives as a body. */
const extractBody = (value) => {
  const made = (base64, type) => ({ __proto__: null, base64, type });
  if (value === null || value === undefined) return made(null, null);
  if (typeof value === "object" || typeof value === "function") {
    if (urlPart().isParams(value)) {
      return made(toBase64(encodeUtf8(urlPart().paramsText(value))), "application/x-www-form-urlencoded;charset=UTF-8");
    }
    const bytes = bytesOf(value);
    if (bytes !== undefined) return made(toBase64(bytes), null);
  }
  return made(toBase64(encodeUtf8(textOf(value))), "text/plain;charset=UTF-8");
};

const withoutMark = (text) => (charCodeAt(text, 0) === 0xfeff ? substring(text, 1) : text);

/** What reads like a stream of the whole body in one chunk: ReadableStream itself is not there. */
class BodyStream {
  #read;

  #locked = false;

  constructor(read) { this.#read = read; }

  get locked() { return this.#locked; }

  getReader() {
    if (this.#locked) throw new TypeError("The stream is locked to a reader.");
    this.#locked = true;
    const chunks = this.#chunks();
    return {
      read: () => nextChunk(chunks),
      releaseLock: () => { this.#locked = false; },
      cancel: async () => { await returnChunks(chunks); },
    };
  }

  async* #chunks() {
    const bytes = await this.#read();
    if (bytes.length > 0) yield bytes;
  }

  values() {
    if (this.#locked) throw new TypeError("The stream is locked to a reader.");
    this.#locked = true;
    return this.#chunks();
  }
}
const asyncGeneratorPrototype = getPrototypeOf(getPrototypeOf((async function* () {}())));
const nextChunk = uncurry(asyncGeneratorPrototype.next);
const returnChunks = uncurry(asyncGeneratorPrototype.return);
hiddenProperty(BodyStream.prototype, asyncIteratorSymbol, BodyStream.prototype.values);
tagged(BodyStream, "ReadableStream");

let bodyOf;
let useBody;

class Body {
  #base64;

  #used = false;

  #stream = undefined;

  static {
    bodyOf = (body) => body.#base64;
    useBody = (body) => { body.#used = body.#base64 !== null; };
  }

  constructor(base64) { this.#base64 = base64; }

  get bodyUsed() { return this.#used; }

  get body() {
    if (this.#base64 === null) return null;
    if (this.#stream === undefined) this.#stream = new BodyStream(() => this.bytes());
    return this.#stream;
  }

  #take() {
    if (this.#used) throw new TypeError("Body is unusable: Body has already been read");
    this.#used = this.#base64 !== null;
    return this.#base64 === null ? "" : this.#base64;
  }

  async text() { return withoutMark(decodeBinary(atob(this.#take()), false)); }

  async json() { return parse(withoutMark(decodeBinary(atob(this.#take()), false))); }

  async bytes() { return fromBase64(this.#take()); }

  async arrayBuffer() { return typedArrayBuffer(fromBase64(this.#take())); }

  async blob() { throw new TypeError("Blob is not available in an action: use bytes() or arrayBuffer()."); }

  async formData() { throw new TypeError("FormData is not available in an action: use text() and URLSearchParams."); }
}
