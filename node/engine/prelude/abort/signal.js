// AbortController and AbortSignal (DOM Standard, section 3).
const CREATE = {};
let abortSignal;
let whenAborted;
let isSignal;
let following;

class AbortSignal extends EventTarget {
  #aborted = false;

  #reason = undefined;

  #algorithms = list();

  onabort = null;

  static {
    abortSignal = (signal, reason) => signal.#abort(reason);
    isSignal = (value) => typeof value === "object" && value !== null && #aborted in value;
    /** A signal of its own that is aborted with another, if there is one. */
    following = (source) => {
      const signal = new AbortSignal(CREATE);
      if (source !== null) whenAborted(source, (reason) => { signal.#abort(reason); });
      return signal;
    };
    whenAborted = (signal, algorithm) => {
      if (signal.#aborted) algorithm(signal.#reason);
      else append(signal.#algorithms, algorithm);
    };
  }

  constructor(token) {
    if (token !== CREATE) throw new TypeError("Illegal constructor");
    super();
  }

  static abort(reason) {
    const signal = new AbortSignal(CREATE);
    signal.#abort(reason);
    return signal;
  }

  static timeout(milliseconds) {
    needArguments(arguments.length, 1);
    const wait = NativeNumber(milliseconds);
    if (!(wait >= 0 && wait <= 9007199254740991)) throw new TypeError("AbortSignal.timeout needs milliseconds.");
    const signal = new AbortSignal(CREATE);
    addTimer(() => signal.#abort(new NativeDOMException("The operation was aborted due to timeout", "TimeoutError")), wait, [], false);
    return signal;
  }

  static any(signals) {
    needArguments(arguments.length, 1);
    const sources = listOf(signals);
    for (let i = 0; i < sources.length; i += 1) {
      if (!isSignal(sources[i])) throw new TypeError("AbortSignal.any needs AbortSignals.");
    }
    const signal = new AbortSignal(CREATE);
    for (let i = 0; i < sources.length; i += 1) whenAborted(sources[i], (reason) => { signal.#abort(reason); });
    return signal;
  }

  #abort(reason) {
    if (this.#aborted) return;
    this.#aborted = true;
    this.#reason = reason === undefined ? new NativeDOMException("This operation was aborted", "AbortError") : reason;
    const algorithms = this.#algorithms;
    this.#algorithms = list();
    for (let i = 0; i < algorithms.length; i += 1) algorithms[i](this.#reason);
    this.#tell();
  }

  #tell() {
    const event = new Event("abort");
    markDispatched(event, this);
    if (typeof this.onabort === "function") {
      try {
        apply(this.onabort, this, [event]);
      } catch (thrown) {
        fail(thrown);
      }
    }
    dispatch(this, event);
  }

  get aborted() { return this.#aborted; }

  get reason() { return this.#reason; }

  throwIfAborted() { if (this.#aborted) throw this.#reason; }
}
const dispatch = uncurry(EventTarget.prototype.dispatchEvent);

class AbortController {
  #signal = new AbortSignal(CREATE);

  get signal() { return this.#signal; }

  abort(reason = undefined) { abortSignal(this.#signal, reason); }
}
tagged(AbortSignal, "AbortSignal");
tagged(AbortController, "AbortController");
