// AbortController and AbortSignal (DOM Standard, section 3).
const CREATE = {};
// Doors to the private fields, which ask nothing of a prototype an action can change.
let abortSignal;
let whenAborted;
let isSignal;
let isAborted;
let following;

const milliseconds = (value) => {
  const number = NativeNumber(value);
  const wait = number < 0 ? ceil(number) : floor(number);
  if (!(wait >= 0 && wait <= 9007199254740991)) throw new TypeError("AbortSignal.timeout needs milliseconds.");
  return wait;
};

class AbortSignal extends EventTarget {
  #aborted = false;

  #reason = undefined;

  #algorithms = list();

  /** Signals that follow this one. */
  #dependents = list();

  /** Of one that follows others, those that follow none themselves. */
  #sources = null;

  #handler = null;

  /** The listener that calls `onabort`, while there is one. */
  #handling = null;

  static {
    abortSignal = (signal, reason) => signal.#abort(reason);
    isSignal = (value) => typeof value === "object" && value !== null && #aborted in value;
    isAborted = (signal) => signal.#aborted;
    whenAborted = (signal, algorithm) => {
      if (signal.#aborted) algorithm(signal.#reason);
      else append(signal.#algorithms, algorithm);
    };
    /** A signal of its own that is aborted with another, if there is one. */
    following = (source) => {
      const signal = new AbortSignal(CREATE);
      signal.#follow(source === null ? [] : [source]);
      return signal;
    };
  }

  constructor(token = undefined) {
    if (token !== CREATE) throw new TypeError("Illegal constructor");
    super();
  }

  static abort(reason = undefined) {
    const signal = new AbortSignal(CREATE);
    signal.#mark(reason);
    return signal;
  }

  static timeout(delay) {
    needArguments(arguments.length, 1);
    const wait = milliseconds(delay);
    const signal = new AbortSignal(CREATE);
    addTimer(() => signal.#abort(new NativeDOMException("The operation was aborted due to timeout", "TimeoutError")), wait, [], false);
    return signal;
  }

  static any(signals) {
    needArguments(arguments.length, 1);
    if (!isObject(signals)) throw new TypeError("AbortSignal.any needs a list of signals.");
    const sources = listOf(signals);
    for (let i = 0; i < sources.length; i += 1) {
      if (!isSignal(sources[i])) throw new TypeError("AbortSignal.any needs AbortSignals.");
    }
    const signal = new AbortSignal(CREATE);
    signal.#follow(sources);
    return signal;
  }

  get aborted() { return this.#aborted; }

  get reason() { return this.#reason; }

  get onabort() { return this.#handler; }

  set onabort(value) {
    this.#handler = isObject(value) ? value : null;
    if (this.#handler === null && this.#handling !== null) {
      unlisten(this, "abort", this.#handling);
      this.#handling = null;
    } else if (this.#handler !== null && this.#handling === null) {
      this.#handling = (event) => { if (typeof this.#handler === "function") apply(this.#handler, this, [event]); };
      listen(this, "abort", this.#handling);
    }
  }

  throwIfAborted() { if (this.#aborted) throw this.#reason; }

  /** Follows the sources of signals that follow others, so that events come in one order. */
  #follow(signals) {
    for (let i = 0; i < signals.length; i += 1) if (signals[i].#aborted) return this.#mark(signals[i].#reason);
    this.#sources = new NativeSet();
    for (let i = 0; i < signals.length; i += 1) {
      if (signals[i].#sources === null) this.#join(signals[i]);
      else setForEach(signals[i].#sources, (source) => { this.#join(source); });
    }
  }

  #join(source) {
    if (setHas(this.#sources, source)) return;
    setAdd(this.#sources, source);
    append(source.#dependents, this);
  }

  #mark(reason) {
    this.#aborted = true;
    this.#reason = reason === undefined ? new NativeDOMException("This operation was aborted", "AbortError") : reason;
  }

  /** Aborts this one and all that follow it, before any of their listeners hears of it. */
  #abort(reason) {
    if (this.#aborted) return;
    this.#mark(reason);
    const marked = list();
    append(marked, this);
    for (let i = 0; i < this.#dependents.length; i += 1) {
      const dependent = this.#dependents[i];
      if (dependent.#aborted) continue;
      dependent.#mark(this.#reason);
      append(marked, dependent);
    }
    this.#dependents = list();
    for (let i = 0; i < marked.length; i += 1) marked[i].#tell();
  }

  #tell() {
    const algorithms = this.#algorithms;
    this.#algorithms = list();
    for (let i = 0; i < algorithms.length; i += 1) algorithms[i](this.#reason);
    fire(this, "abort");
  }
}

class AbortController {
  #signal = new AbortSignal(CREATE);

  get signal() { return this.#signal; }

  abort(reason = undefined) { abortSignal(this.#signal, reason); }
}
tagged(AbortSignal, "AbortSignal");
tagged(AbortController, "AbortController");
