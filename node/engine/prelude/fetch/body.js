// Bodies of requests and responses (Fetch Standard, section 5.3), always whole and no streams.
/** {base64 or null, type or null} of what a caller gives as a body. */
const extractBody = (value) => {
  const made = (base64, type) => ({ __proto__: null, base64, type });
  if (value === null || value === undefined) return made(null, null);
  if (typeof value === "object" || typeof value === "function") {
    if (urlPart().isParams(value)) {
      return made(toBase64(encodeUtf8(urlPart().paramsText(value))), "application/x-www-form-urlencoded;charset=UTF-8");
    }
    if (isStream(value)) throw new TypeError("A stream is no body in an action: give what its bytes() or text() answers.");
    const bytes = bytesOf(value);
    if (bytes !== undefined) return made(toBase64(bytes), null);
  }
  return made(toBase64(encodeUtf8(textOf(value))), "text/plain;charset=UTF-8");
};

const withoutMark = (text) => (charCodeAt(text, 0) === 0xfeff ? substring(text, 1) : text);

let isLocked;
let isStream;

/** What reads like a stream of the whole body in one chunk: ReadableStream itself is not there. */
class BodyStream {
  #read;

  #use;

  #locked = false;

  #done = false;

  static {
    isLocked = (stream) => stream.#locked;
    isStream = (value) => #locked in value;
  }

  constructor(read, use) {
    this.#read = read;
    this.#use = use;
  }

  get locked() { return this.#locked; }

  getReader() {
    this.#lock();
    const chunks = this.#chunks();
    return {
      read: () => nextChunk(chunks),
      releaseLock: () => { this.#locked = false; },
      cancel: async () => {
        this.#drop();
        await returnChunks(chunks);
      },
    };
  }

  async cancel() {
    this.#refuseLocked();
    this.#drop();
  }

  async* #chunks() {
    if (this.#done) return;
    const bytes = this.#read();
    this.#done = true;
    if (bytes.length > 0) yield bytes;
  }

  async* #iterated() {
    try {
      const { done, value } = await nextChunk(this.#chunks());
      if (!done) yield value;
    } finally {
      this.#locked = false;
    }
  }

  values() {
    this.#lock();
    return this.#iterated();
  }

  #lock() {
    this.#refuseLocked();
    this.#locked = true;
  }

  #refuseLocked() { if (this.#locked) throw new TypeError("The stream is locked to a reader."); }

  #drop() {
    this.#use();
    this.#done = true;
  }
}
const asyncGeneratorPrototype = getPrototypeOf(getPrototypeOf((async function* () {}())));
const nextChunk = uncurry(asyncGeneratorPrototype.next);
const returnChunks = uncurry(asyncGeneratorPrototype.return);
hiddenProperty(BodyStream.prototype, asyncIteratorSymbol, BodyStream.prototype.values);
tagged(BodyStream, "ReadableStream");

let bodyOf;
let useBody;
let isUnusable;

class Body {
  #base64;

  #used = false;

  #stream = undefined;

  static {
    bodyOf = (body) => body.#base64;
    useBody = (body) => { body.#used = body.#base64 !== null; };
    /** Whether the body has been read, or its stream is locked by a reader. */
    isUnusable = (body) => body.#used || (body.#stream !== undefined && isLocked(body.#stream));
  }

  constructor(base64) { this.#base64 = base64; }

  get bodyUsed() { return this.#used; }

  get body() {
    if (this.#base64 === null) return null;
    if (this.#stream === undefined) this.#stream = new BodyStream(() => fromBase64(this.#read()), () => useBody(this));
    return this.#stream;
  }

  #take() {
    if (isUnusable(this)) throw new TypeError("Body is unusable: it has been read, or is locked to a reader.");
    return this.#read();
  }

  #read() {
    if (this.#used) throw new TypeError("Body is unusable: it has been read.");
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
