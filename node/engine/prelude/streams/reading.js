// Streams for bodies and blobs. Their methods are captured before an action can replace one; those
// that the package calls itself are not, so an action that replaces them breaks its own streams.
const { isDisturbed: isStreamRead, ...streamClasses } = globalThis.webStreams;
delete globalThis.webStreams;
const {
  ByteLengthQueuingStrategy, CountQueuingStrategy, ReadableByteStreamController, ReadableStream, ReadableStreamBYOBReader,
  ReadableStreamBYOBRequest, ReadableStreamDefaultController, ReadableStreamDefaultReader, TransformStream,
  TransformStreamDefaultController, WritableStream, WritableStreamDefaultController, WritableStreamDefaultWriter,
} = streamClasses;
for (const name of keys(streamClasses)) setAdd(LIVING, streamClasses[name].prototype);
const isStreamLocked = uncurry(getOwnPropertyDescriptor(ReadableStream.prototype, "locked").get);
const readerOf = uncurry(ReadableStream.prototype.getReader);
const teeStream = uncurry(ReadableStream.prototype.tee);
const pipeThrough = uncurry(ReadableStream.prototype.pipeThrough);
const readChunk = uncurry(ReadableStreamDefaultReader.prototype.read);
const cancelReading = uncurry(ReadableStreamDefaultReader.prototype.cancel);
const enqueueBytes = uncurry(ReadableByteStreamController.prototype.enqueue);
const closeBytes = uncurry(ReadableByteStreamController.prototype.close);
const requestedView = uncurry(getOwnPropertyDescriptor(ReadableByteStreamController.prototype, "byobRequest").get);
const respondToView = uncurry(ReadableStreamBYOBRequest.prototype.respond);

const isStream = (value) => {
  try {
    isStreamLocked(value);
    return true;
  } catch {
    return false;
  }
};

const nothing = () => undefined;
const ignoreOutcome = (promise) => { promiseThen(promise, nothing, nothing); };

const closeByteStream = (controller) => {
  closeBytes(controller);
  const waiting = requestedView(controller);
  if (waiting !== null) respondToView(waiting, 0);
};

const PIECE_BYTES = 65536;

/** A byte stream in pieces of 64 KiB. `part(from, to)` returns them as an array of its own. */
const streamOfBytes = (length, part) => {
  let at = 0;
  return new ReadableStream({
    __proto__: null,
    type: "bytes",
    pull(controller) {
      const from = at;
      at = min(length, from + PIECE_BYTES);
      if (at > from) enqueueBytes(controller, part(from, at));
      if (at === length) closeByteStream(controller);
    },
  }, { __proto__: null, highWaterMark: 0 });
};

/** A byte stream of what an async iterable yields: texts, buffers and views. */
const streamOfIterable = (iterable) => {
  const iterator = apply(iterable[asyncIteratorSymbol], iterable, []);
  return new ReadableStream({
    __proto__: null,
    type: "bytes",
    async pull(controller) {
      for (;;) {
        const { done, value } = await iterator.next();
        if (done) return closeByteStream(controller);
        const bytes = typeof value === "string" ? encodeUtf8(value) : bytesOf(value);
        if (bytes === undefined) throw new TypeError("A body's iterable yields texts, buffers or views.");
        if (typedArrayLength(bytes) > 0) return enqueueBytes(controller, copyOf(bytes));
      }
    },
    async cancel(reason) { if (typeof iterator.return === "function") await iterator.return(reason); },
  }, { __proto__: null, highWaterMark: 0 });
};

/** Locks a stream for ever, as reading it to its end does. */
const useUp = (stream) => ignoreOutcome(cancelReading(readerOf(stream)));

/** The same bytes as another stream. The first is locked. */
const handOnStream = (stream) => pipeThrough(stream, new TransformStream());

/**
 * Reads a stream to its end: {whole, stop}, a promise of its bytes and a function that cancels the
 * stream. `whole` rejects if there are more bytes than `most`.
 */
const readWhole = (stream, most) => {
  const reader = readerOf(stream);
  const chunks = list();
  let length = 0;
  const stop = (reason) => ignoreOutcome(cancelReading(reader, reason));
  const whole = new NativePromise((resolve, reject) => {
    const take = ({ value, done }) => {
      if (done) return resolve(joined(chunks, length));
      if (!isUint8Array(value)) throw new TypeError("A body's stream has a chunk that is no Uint8Array.");
      length += typedArrayLength(value);
      if (length > most) throw new TypeError(join(["The stream has more than ", most, " bytes."], ""));
      append(chunks, copyOf(value));
      step();
    };
    const giveUp = (error) => {
      stop(error);
      reject(error);
    };
    const step = () => promiseThen(promiseThen(readChunk(reader), take), nothing, giveUp);
    step();
  });
  return { __proto__: null, whole, stop };
};
