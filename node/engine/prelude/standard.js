// Common parts of the web's interfaces.
/** A value as text; a symbol throws, as in WebIDL. (A template would call `concat`.) */
const textOf = (value) => {
  if (typeof value === "symbol") throw new TypeError("A symbol is no text.");
  return typeof value === "string" ? value : NativeString(value);
};

const FORMS = { __proto__: null, NFC: true, NFD: true, NFKC: true, NFKD: true };
defineProperty(String.prototype, "normalize", {
  __proto__: null, writable: true, configurable: true, enumerable: false,
  value: {
    normalize(form = undefined) {
      if (this === undefined || this === null) throw new TypeError("null or undefined are forbidden");
      const text = textOf(this);
      const name = form === undefined ? "NFC" : textOf(form);
      if (FORMS[name] !== true) throw new RangeError("bad normalization form");
      return normalize(text, name);
    },
  }.normalize,
});

const isTypeError = (thrown) => errorIs(thrown) && getPrototypeOf(thrown) === typeErrorPrototype;

const needArguments = (given, needed) => {
  if (given < needed) throw new TypeError(join(["This needs ", needed, " argument", needed === 1 ? "" : "s", ", not ", given, "."], ""));
};

const isObject = (value) => (typeof value === "object" && value !== null) || typeof value === "function";

const NO_MEMBERS = freeze({ __proto__: null });
/** What a caller gives as a dictionary: undefined and null have no members. Throws TypeError. */
const dictionaryOf = (value) => {
  if (value === undefined || value === null) return NO_MEMBERS;
  if (!isObject(value)) throw new TypeError("Options are an object.");
  return value;
};

const hiddenProperty = (target, key, value) => {
  defineProperty(target, key, { __proto__: null, value, writable: true, configurable: true, enumerable: false });
};

/** What every class and every prototype has besides. */
const HIDDEN = { __proto__: null, function: { __proto__: null, prototype: true, length: true, name: true }, object: { __proto__: null, constructor: true } };

/** Makes the members of a class or prototype enumerable, as those of WebIDL's interfaces are. */
const showMembers = (holder) => {
  const names = ownKeys(holder);
  for (let i = 0; i < names.length; i += 1) {
    if (typeof names[i] === "symbol" || HIDDEN[typeof holder][names[i]]) continue;
    defineProperty(holder, names[i], { __proto__: null, enumerable: true });
  }
};

/**
 * Makes a class an interface of the web: its members are enumerable, its objects cannot be cloned, and
 * Object.prototype.toString calls them by its name.
 */
const tagged = (made, name) => {
  setAdd(LIVING, made.prototype);
  showMembers(made.prototype);
  if (typeof made === "function") showMembers(made);
  defineProperty(made.prototype, toStringTag, { __proto__: null, value: name, writable: false, configurable: true, enumerable: false });
};

/** Gives a class the members of the one above it as its own, as those of WebIDL's mixins are. */
const mixedIn = (made) => {
  const mixin = getPrototypeOf(made.prototype);
  const names = ownKeys(mixin);
  for (let i = 0; i < names.length; i += 1) {
    if (names[i] === "constructor") continue;
    defineProperty(made.prototype, names[i], setPrototypeOf(getOwnPropertyDescriptor(mixin, names[i]), null));
  }
  setPrototypeOf(made.prototype, objectPrototype);
};

/**
 * Makes a class an interface that is iterable over pairs. `pairsOf(object)` is the present list of
 * {name, value}, and throws TypeError for objects of another class.
 */
const iterableAs = (made, pairsOf) => {
  class PairIterator {
    #owner;

    #itemOf;

    #at = 0;

    constructor(owner, itemOf) {
      pairsOf(owner);
      this.#owner = owner;
      this.#itemOf = itemOf;
    }

    next() {
      const pairs = pairsOf(this.#owner);
      if (this.#at >= pairs.length) return { value: undefined, done: true };
      this.#at += 1;
      return { value: this.#itemOf(pairs[this.#at - 1]), done: false };
    }
  }
  delete PairIterator.prototype.constructor;
  setPrototypeOf(PairIterator.prototype, iteratorPrototype);
  tagged(PairIterator, join([made.name, "Iterator"], " "));
  const members = {
    entries() { return new PairIterator(this, ({ name, value }) => [name, value]); },
    keys() { return new PairIterator(this, ({ name }) => name); },
    values() { return new PairIterator(this, ({ value }) => value); },
    forEach(callback, receiver = undefined) {
      pairsOf(this);
      if (typeof callback !== "function") throw new TypeError("forEach needs a function.");
      for (let i = 0; i < pairsOf(this).length; i += 1) {
        const { name, value } = pairsOf(this)[i];
        apply(callback, receiver, [value, name, this]);
      }
    },
  };
  const names = keys(members);
  for (let i = 0; i < names.length; i += 1) hiddenProperty(made.prototype, names[i], members[names[i]]);
  hiddenProperty(made.prototype, iteratorSymbol, members.entries);
  tagged(made, made.name);
};

showMembers(NativeDOMException);
showMembers(NativeDOMException.prototype);

const isBlank = (character) => character === " " || character === "\t" || character === "\r" || character === "\n";

/**
 * A text without white space around it, HTTP's unless `isSpace` tells it. (An expression takes
 * quadratic time for white space within.)
 */
const trimmed = (text, isSpace = isBlank) => {
  let from = 0;
  let to = text.length;
  while (from < to && isSpace(text[from])) from += 1;
  while (to > from && isSpace(text[to - 1])) to -= 1;
  return substring(text, from, to);
};

const eachOf = (iterable, visit) => { for (const item of iterable) visit(item); };

const listOf = (iterable) => {
  const items = list();
  eachOf(iterable, (item) => { append(items, item); });
  return items;
};
