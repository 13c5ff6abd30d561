// The language before any action ran. Nothing below may call a method through a prototype or
// global, which an action can replace. (It would harm only itself, but make errors unreadable.)
const { parse, stringify } = JSON;
const {
  defineProperty, freeze, getOwnPropertyDescriptor, getPrototypeOf, keys, setPrototypeOf,
} = Object;
const { ownKeys } = Reflect;
const uncurry = Function.prototype.bind.bind(Function.prototype.call);
const { apply } = Reflect;
const isArray = Array.isArray;
const join = uncurry(Array.prototype.join);
const split = uncurry(String.prototype.split);
const substring = uncurry(String.prototype.slice);
const [charCodeAt, indexOf, lastIndexOf, isWellFormed, toWellFormed, toLowerCase, toUpperCase] = [
  "charCodeAt", "indexOf", "lastIndexOf", "isWellFormed", "toWellFormed", "toLowerCase", "toUpperCase",
].map((name) => uncurry(String.prototype[name]));
const nativeNormalize = uncurry(String.prototype.normalize);
const NativeInternalError = InternalError;
/** Normalises a text. Without memory the engine's own throws what is no JavaScript value. */
const normalize = (text, form) => {
  try {
    return nativeNormalize(text, form);
  } catch {
    throw new NativeInternalError("out of memory");
  }
};
const numberToString = uncurry(Number.prototype.toString);
const numberToFixed = uncurry(Number.prototype.toFixed);
const arrayPrototype = Array.prototype;
const arraySort = uncurry(Array.prototype.sort);
const { asyncIterator: asyncIteratorSymbol, iterator: iteratorSymbol, toStringTag } = Symbol;
const objectPrototype = Object.prototype;
const objectToString = uncurry(Object.prototype.toString);
const typeErrorPrototype = TypeError.prototype;
const uriErrorPrototype = URIError.prototype;
const { fromCharCode, fromCodePoint } = String;
const replace = uncurry(String.prototype.replace);
const match = uncurry(RegExp.prototype.exec);
const bigintToString = uncurry(BigInt.prototype.toString);
const NativeDOMException = DOMException;
const domExceptionName = uncurry(getOwnPropertyDescriptor(DOMException.prototype, "name").get);
const isDomException = (value) => {
  try {
    return domExceptionName(value) !== undefined;
  } catch {
    return false;
  }
};
const nativeErrorIs = Error.isError;
const errorIs = (value) => nativeErrorIs(value) || (typeof value === "object" && value !== null && isDomException(value));
const now = Date.now;
const precise = globalThis.performance.now;
const { ceil, floor, max, min } = Math;
const { isSafeInteger } = Number;
const parseHex = (text) => NativeNumber(join(["0x", text], ""));
const NativeNumber = Number;
const NativeBigInt = BigInt;
const NativeString = String;
const NativeArray = Array;
const NativeDate = Date;
const NativeError = Error;
const NativeObject = Object;
const NativeRegExp = RegExp;
const dateTime = uncurry(Date.prototype.getTime);
const regExpFlag = uncurry(getOwnPropertyDescriptor(RegExp.prototype, "global").get);
const mapSize = uncurry(getOwnPropertyDescriptor(Map.prototype, "size").get);
const setSize = uncurry(getOwnPropertyDescriptor(Set.prototype, "size").get);
const ERROR_PROTOTYPES = { __proto__: null };
for (const made of [Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError]) ERROR_PROTOTYPES[made.name] = made.prototype;

/** Objects around a value of a kind: how to tell one and to open it. */
const BOXES = [Boolean, Number, String, BigInt].map((made) => {
  const open = uncurry(made.prototype.valueOf);
  return { __proto__: null, open, is: (value) => { try { open(value); return true; } catch { return false; } } };
});
const NativePromise = Promise;
const promiseThen = uncurry(Promise.prototype.then);
const NativeMap = Map;
const NativeSet = Set;
const [mapGet, mapSet, mapHas, mapDelete, mapForEach] =
  ["get", "set", "has", "delete", "forEach"].map((name) => uncurry(Map.prototype[name]));
const [setAdd, setHas, setForEach] =
  ["add", "has", "forEach"].map((name) => uncurry(Set.prototype[name]));
const NativeUint8Array = Uint8Array;
const { fromBase64, fromHex } = Uint8Array;
const toBase64 = uncurry(Uint8Array.prototype.toBase64);
const toHex = uncurry(Uint8Array.prototype.toHex);
const { atob, btoa, decodeURIComponent, encodeURIComponent, escape, unescape } = globalThis;
const TypedArray = getPrototypeOf(Uint8Array);
const typedArrayGetter = (name) => uncurry(getOwnPropertyDescriptor(TypedArray.prototype, name).get);
const typedArraySet = uncurry(TypedArray.prototype.set);
const typedArrayTag = typedArrayGetter(Symbol.toStringTag);
const typedArrayBuffer = typedArrayGetter("buffer");
const typedArrayByteOffset = typedArrayGetter("byteOffset");
const typedArrayByteLength = typedArrayGetter("byteLength");
const typedArrayLength = typedArrayGetter("length");
/** Part of a Uint8Array in the same memory. The language's own uses the species, an action's. */
const subarray = (bytes, from, to = typedArrayLength(bytes)) => new NativeUint8Array(
  typedArrayBuffer(bytes), typedArrayByteOffset(bytes) + from, max(min(to, typedArrayLength(bytes)) - from, 0),
);
/** Bytes in memory of their own. */
const copyOf = (bytes) => {
  const copy = new NativeUint8Array(typedArrayLength(bytes));
  typedArraySet(copy, bytes);
  return copy;
};
/** Chunks of `length` bytes together, one after the other. */
const joined = (chunks, length) => {
  const bytes = new NativeUint8Array(length);
  for (let i = 0, at = 0; i < chunks.length; i += 1) {
    typedArraySet(bytes, chunks[i], at);
    at += typedArrayLength(chunks[i]);
  }
  return bytes;
};
const VIEWS = { __proto__: null };
for (const made of [
  Int8Array, Uint8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array, Uint32Array,
  Float16Array, Float32Array, Float64Array, BigInt64Array, BigUint64Array,
]) VIEWS[made.name] = made;
const NativeDataView = DataView;
const [dataViewBuffer, dataViewByteOffset, dataViewByteLength] = ["buffer", "byteOffset", "byteLength"]
  .map((name) => uncurry(getOwnPropertyDescriptor(DataView.prototype, name).get));
const isView = ArrayBuffer.isView;
const bufferByteLength = uncurry(getOwnPropertyDescriptor(ArrayBuffer.prototype, "byteLength").get);
const bufferSlice = uncurry(ArrayBuffer.prototype.slice);

/** Prototypes of what has a life inside that no copy can have. Classes of the web add theirs. */
const LIVING = new NativeSet();
for (const made of [Promise, Symbol, WeakMap, WeakSet, WeakRef, FinalizationRegistry, SharedArrayBuffer]) LIVING.add(made.prototype);
for (const made of [function* () {}, async function* () {}]) LIVING.add(getPrototypeOf(getPrototypeOf(made())));

// Functions of the guest (guest.c). `emit(kind, text)` writes a frame, `randomHex(n)` is n bytes
// of the system's randomness. Their texts have no lone surrogates, which have no UTF-8 form.
// `evaluate(code)` is an indirect eval of the action's code, in a script called action.js.
// `memoryStayedBelow()` is "below" while no small block of memory was ever refused.
const { emit, randomHex, evaluate, memoryStayedBelow } = globalThis;

// Native functions (worker/natives.py): hex in, hex out, "" for a refusal. `domainToAscii` takes
// and returns names.
const { domainToAscii } = globalThis;
const { subtleDigest, subtleHmac, subtlePbkdf2, subtleEqual } = globalThis;
const { ecPublic, ecPoint, ecSign, ecVerify, ecAgree } = globalThis;
const { aesWrap, aesUnwrap, aesBegin, aesAdditional, aesUpdate, aesFinish } = globalThis;
for (const name of [
  "emit", "randomHex", "evaluate", "memoryStayedBelow", "domainToAscii", "subtleDigest", "subtleHmac", "subtlePbkdf2", "subtleEqual",
  "ecPublic", "ecPoint", "ecSign", "ecVerify", "ecAgree", "aesWrap", "aesUnwrap", "aesBegin", "aesAdditional", "aesUpdate", "aesFinish",
]) delete globalThis[name];

const list = () => setPrototypeOf([], null);
const append = (items, item) => { items[items.length] = item; };

/** Defines a global like the language's own: writable, configurable, not enumerable. */
const expose = (name, value) => {
  defineProperty(globalThis, name, { __proto__: null, value, writable: true, configurable: true, enumerable: false });
};

/** The bytes of an ArrayBuffer or view in the same memory, or undefined for other values. */
const bytesOf = (value) => {
  if (isView(value)) {
    if (typedArrayTag(value) === undefined) return new NativeUint8Array(value.buffer, value.byteOffset, value.byteLength);
    return new NativeUint8Array(typedArrayBuffer(value), typedArrayByteOffset(value), typedArrayByteLength(value));
  }
  try {
    bufferByteLength(value);
  } catch {
    return undefined;
  }
  return new NativeUint8Array(value);
};
