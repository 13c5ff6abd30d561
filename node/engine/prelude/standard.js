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

const hiddenProperty = (target, key, value) => {
  defineProperty(target, key, { __proto__: null, value, writable: true, configurable: true, enumerable: false });
};

/** What Object.prototype.toString says of a class of the web, whose objects cannot be cloned. */
const tagged = (made, name) => {
  setAdd(LIVING, made.prototype);
  defineProperty(made.prototype, toStringTag, { __proto__: null, value: name, writable: false, configurable: true, enumerable: false });
};

/** Makes a method of a class the way to iterate over it. */
const iterableAs = (made, method) => {
  hiddenProperty(made.prototype, iteratorSymbol, made.prototype[method]);
  tagged(made, made.name);
};

const eachOf = (iterable, visit) => { for (const item of iterable) visit(item); };

const listOf = (iterable) => {
  const items = list();
  eachOf(iterable, (item) => { append(items, item); });
  return items;
};
