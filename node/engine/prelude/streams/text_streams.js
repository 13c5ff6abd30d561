// TextEncoderStream and TextDecoderStream (Encoding Standard, sections 7.5 and 7.6).
const readableSide = uncurry(getOwnPropertyDescriptor(TransformStream.prototype, "readable").get);
const writableSide = uncurry(getOwnPropertyDescriptor(TransformStream.prototype, "writable").get);
const passOn = uncurry(TransformStreamDefaultController.prototype.enqueue);
const decodeChunk = uncurry(TextDecoder.prototype.decode);

const isHighSurrogate = (code) => code >= 0xd800 && code <= 0xdbff;

class TextEncoderStream {
  #transform;

  /** Half a surrogate pair at the end of a chunk, whose other half may come with the next. */
  #pending = "";

  constructor() {
    this.#transform = new TransformStream({
      __proto__: null,
      transform: (chunk, controller) => {
        const text = join([this.#pending, textOf(chunk)], "");
        const whole = text.length - (isHighSurrogate(charCodeAt(text, text.length - 1)) ? 1 : 0);
        this.#pending = substring(text, whole);
        if (whole > 0) passOn(controller, encodeUtf8(substring(text, 0, whole)));
      },
      flush: (controller) => { if (this.#pending !== "") passOn(controller, encodeUtf8(this.#pending)); },
    });
  }

  get encoding() { return "utf-8"; }

  get readable() { return readableSide(this.#transform); }

  get writable() { return writableSide(this.#transform); }
}

class TextDecoderStream {
  #transform;

  #decoder;

  constructor(label = "utf-8", options = {}) {
    const decoder = new TextDecoder(label, options);
    const pass = (controller, text) => { if (text !== "") passOn(controller, text); };
    this.#decoder = decoder;
    this.#transform = new TransformStream({
      __proto__: null,
      transform: (chunk, controller) => pass(controller, decodeChunk(decoder, bytesOrThrow(chunk), { __proto__: null, stream: true })),
      flush: (controller) => pass(controller, decodeChunk(decoder)),
    });
  }

  get encoding() { return this.#decoder.encoding; }

  get fatal() { return this.#decoder.fatal; }

  get ignoreBOM() { return this.#decoder.ignoreBOM; }

  get readable() { return readableSide(this.#transform); }

  get writable() { return writableSide(this.#transform); }
}
tagged(TextEncoderStream, "TextEncoderStream");
tagged(TextDecoderStream, "TextDecoderStream");
