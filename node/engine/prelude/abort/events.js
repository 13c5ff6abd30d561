// Event and EventTarget (DOM Standard, section 2), for what has no tree around it. An event's path
// is its target alone, so that both passes over the listeners are in the phase AT_TARGET.
const PHASES = { __proto__: null, NONE: 0, CAPTURING_PHASE: 1, AT_TARGET: 2, BUBBLING_PHASE: 3 };

/** The record behind an event. Throws TypeError for any other value. */
let stateOf;
let trustedProperty;

class Event {
  #state;

  static {
    stateOf = (event) => event.#state;
    const { get } = getOwnPropertyDescriptor({ get isTrusted() { return stateOf(this).trusted; } }, "isTrusted");
    trustedProperty = { __proto__: null, get, set: undefined, enumerable: true, configurable: false };
  }

  constructor(type, options = undefined) {
    needArguments(arguments.length, 1);
    const name = textOf(type);
    const given = dictionaryOf(options);
    this.#state = {
      __proto__: null, type: name, bubbles: !!given.bubbles, cancelable: !!given.cancelable, composed: !!given.composed,
      timeStamp: precise() - clockStart, target: null, currentTarget: null, phase: PHASES.NONE, trusted: false,
      dispatching: false, stopped: false, stoppedAtOnce: false, prevented: false, passive: false,
    };
    defineProperty(this, "isTrusted", trustedProperty);
  }

  get type() { return this.#state.type; }

  get target() { return this.#state.target; }

  get srcElement() { return this.#state.target; }

  get currentTarget() { return this.#state.currentTarget; }

  get eventPhase() { return this.#state.phase; }

  get bubbles() { return this.#state.bubbles; }

  get cancelable() { return this.#state.cancelable; }

  get defaultPrevented() { return this.#state.prevented; }

  get composed() { return this.#state.composed; }

  get timeStamp() { return this.#state.timeStamp; }

  get returnValue() { return !this.#state.prevented; }

  set returnValue(value) { if (!value) this.#prevent(); }

  get cancelBubble() { return this.#state.stopped; }

  set cancelBubble(value) { if (value) this.#state.stopped = true; }

  composedPath() { return this.#state.currentTarget === null ? [] : [this.#state.currentTarget]; }

  stopPropagation() { this.#state.stopped = true; }

  stopImmediatePropagation() {
    this.#state.stopped = true;
    this.#state.stoppedAtOnce = true;
  }

  preventDefault() { this.#prevent(); }

  initEvent(type, bubbles = false, cancelable = false) {
    needArguments(arguments.length, 1);
    initialize(this.#state, textOf(type), !!bubbles, !!cancelable);
  }

  #prevent() { if (this.#state.cancelable && !this.#state.passive) this.#state.prevented = true; }
}
const phases = keys(PHASES);
for (let i = 0; i < phases.length; i += 1) {
  const constant = { __proto__: null, value: PHASES[phases[i]], writable: false, enumerable: true, configurable: false };
  defineProperty(Event, phases[i], constant);
  defineProperty(Event.prototype, phases[i], constant);
}

/** Makes an event anew, unless it is being dispatched. Returns whether it did. */
const initialize = (state, type, bubbles, cancelable) => {
  if (state.dispatching) return false;
  state.stopped = state.stoppedAtOnce = state.prevented = state.trusted = false;
  state.target = null;
  state.type = type;
  state.bubbles = bubbles;
  state.cancelable = cancelable;
  return true;
};

class CustomEvent extends Event {
  #detail;

  constructor(type, options = undefined) {
    needArguments(arguments.length, 1);
    super(type, options);
    const { detail } = dictionaryOf(options);
    this.#detail = detail === undefined ? null : detail;
  }

  get detail() { return this.#detail; }

  initCustomEvent(type, bubbles = false, cancelable = false, detail = null) {
    needArguments(arguments.length, 1);
    if (initialize(stateOf(this), textOf(type), !!bubbles, !!cancelable)) this.#detail = detail;
  }
}

const callbackOf = (value) => {
  if (value === undefined || value === null) return null;
  if (!isObject(value)) throw new TypeError("An event listener is a function or an object.");
  return value;
};

/** `capture` of options, which may also be the boolean itself. */
const captureOf = (options) => !!(isObject(options) ? options.capture : options);

/** Calls a listener. An exception ends the action. */
const notify = (callback, target, event) => {
  try {
    if (typeof callback === "function") apply(callback, target, [event]);
    else {
      const handler = callback.handleEvent;
      if (typeof handler !== "function") throw new TypeError("handleEvent of an event listener is no function.");
      apply(handler, callback, [event]);
    }
  } catch (thrown) {
    fail(thrown);
  }
};

/** Dispatches an event that an action did not make. */
let fire;

class EventTarget {
  /** Replaced when one is removed, so that a dispatch goes on over those that it began with. */
  #listeners = list();

  static {
    fire = (target, type) => {
      const event = new Event(type);
      stateOf(event).trusted = true;
      target.#dispatch(event, stateOf(event));
    };
  }

  addEventListener(type, callback, options = undefined) {
    needArguments(arguments.length, 2);
    const name = textOf(type);
    const listener = { __proto__: null, name, callback: callbackOf(callback), capture: captureOf(options), once: false, passive: false, removed: false };
    let signal;
    if (isObject(options)) {
      listener.once = !!options.once;
      listener.passive = !!options.passive;
      signal = options.signal;
      if (signal !== undefined && !isSignal(signal)) throw new TypeError("signal must be an AbortSignal.");
    }
    if (this.#find(name, listener.callback, listener.capture) !== undefined) return;
    if (listener.callback === null || (signal !== undefined && isAborted(signal))) return;
    append(this.#listeners, listener);
    if (signal !== undefined) whenAborted(signal, () => { this.#remove(listener); });
  }

  removeEventListener(type, callback, options = undefined) {
    needArguments(arguments.length, 2);
    const listener = this.#find(textOf(type), callbackOf(callback), captureOf(options));
    if (listener !== undefined) this.#remove(listener);
  }

  dispatchEvent(event) {
    needArguments(arguments.length, 1);
    const state = stateOf(event);
    if (state.dispatching) throw new NativeDOMException("The event is already being dispatched.", "InvalidStateError");
    state.trusted = false;
    return this.#dispatch(event, state);
  }

  #find(name, callback, capture) {
    for (let i = 0; i < this.#listeners.length; i += 1) {
      const listener = this.#listeners[i];
      if (listener.name === name && listener.callback === callback && listener.capture === capture) return listener;
    }
    return undefined;
  }

  #remove(listener) {
    listener.removed = true;
    const kept = list();
    for (let i = 0; i < this.#listeners.length; i += 1) if (this.#listeners[i] !== listener) append(kept, this.#listeners[i]);
    this.#listeners = kept;
  }

  #dispatch(event, state) {
    state.dispatching = true;
    state.target = state.currentTarget = this;
    state.phase = PHASES.AT_TARGET;
    this.#invoke(event, state, true);
    this.#invoke(event, state, false);
    state.phase = PHASES.NONE;
    state.currentTarget = null;
    state.dispatching = state.stopped = state.stoppedAtOnce = false;
    return !state.prevented;
  }

  /** Calls the listeners of one pass. Those added meanwhile wait for the next. */
  #invoke(event, state, capture) {
    if (state.stopped) return;
    const listeners = this.#listeners;
    for (let i = 0, { length } = listeners; i < length && !state.stoppedAtOnce; i += 1) {
      const listener = listeners[i];
      if (listener.removed || listener.name !== state.type || listener.capture !== capture) continue;
      if (listener.once) this.#remove(listener);
      state.passive = listener.passive;
      notify(listener.callback, this, event);
      state.passive = false;
    }
  }
}
const listen = uncurry(EventTarget.prototype.addEventListener);
const unlisten = uncurry(EventTarget.prototype.removeEventListener);
tagged(Event, "Event");
tagged(CustomEvent, "CustomEvent");
tagged(EventTarget, "EventTarget");
