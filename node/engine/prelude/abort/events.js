// Event and EventTarget (DOM Standard, section 2), for what has no tree around it.
let markDispatched;
let eventStopped;

class Event {
  #type;

  #cancelable;

  #prevented = false;

  #target = null;

  #stopped = false;

  static {
    markDispatched = (event, target) => { event.#target = target; };
    eventStopped = (event) => event.#stopped;
  }

  constructor(type, options = {}) {
    needArguments(arguments.length, 1);
    this.#type = textOf(type);
    this.#cancelable = !!(options && options.cancelable);
  }

  get type() { return this.#type; }

  get target() { return this.#target; }

  get currentTarget() { return this.#target; }

  get bubbles() { return false; }

  get cancelable() { return this.#cancelable; }

  get defaultPrevented() { return this.#prevented; }

  preventDefault() { if (this.#cancelable) this.#prevented = true; }

  stopPropagation() { return undefined; }

  stopImmediatePropagation() { this.#stopped = true; }
}

class CustomEvent extends Event {
  #detail;

  constructor(type, options = {}) {
    needArguments(arguments.length, 1);
    super(type, options);
    const detail = options ? options.detail : undefined;
    this.#detail = detail === undefined ? null : detail;
  }

  get detail() { return this.#detail; }
}

class EventTarget {
  #listeners = list();

  addEventListener(type, callback, options = undefined) {
    if (callback === null || callback === undefined) return;
    const once = typeof options === "object" && options !== null && !!options.once;
    const name = textOf(type);
    for (let i = 0; i < this.#listeners.length; i += 1) {
      if (this.#listeners[i].name === name && this.#listeners[i].callback === callback) return;
    }
    append(this.#listeners, { __proto__: null, name, callback, once });
  }

  removeEventListener(type, callback) {
    const name = textOf(type);
    const kept = list();
    for (let i = 0; i < this.#listeners.length; i += 1) {
      const listener = this.#listeners[i];
      if (listener.name !== name || listener.callback !== callback) append(kept, listener);
    }
    this.#listeners = kept;
  }

  dispatchEvent(event) {
    markDispatched(event, this);
    const listeners = this.#listeners;
    for (let i = 0, { length } = listeners; i < length && !eventStopped(event); i += 1) {
      const { name, callback, once } = listeners[i];
      if (name !== event.type) continue;
      if (once) this.removeEventListener(name, callback);
      try {
        if (typeof callback === "function") apply(callback, this, [event]);
        else callback.handleEvent(event);
      } catch (thrown) {
        fail(thrown);
      }
    }
    return !event.defaultPrevented;
  }
}
tagged(Event, "Event");
tagged(CustomEvent, "CustomEvent");
tagged(EventTarget, "EventTarget");
