// structuredClone of plain data (HTML Standard, without transfer): what an action's values are made of.
const clonesByCall = (value, seen) => {
  if (typeof value === "function" || typeof value === "symbol") {
    throw new TypeError(`structuredClone cannot copy a ${typeof value}.`);
  }
  if (typeof value !== "object" || value === null) return value;
  if (mapHas(seen, value)) return mapGet(seen, value);
  const copy = emptyCopy(value);
  mapSet(seen, value, copy);
  fillCopy(value, copy, seen);
  return copy;
};

const emptyCopy = (value) => {
  if (isArray(value)) return new Array(value.length);
  if (value instanceof Date) return new Date(value.getTime());
  if (value instanceof RegExp) return new RegExp(value.source, value.flags);
  if (value instanceof Map) return new NativeMap();
  if (value instanceof Set) return new NativeSet();
  if (errorIs(value)) return new Error(value.message);
  if (value instanceof ArrayBuffer) return bufferSlice(value, 0);
  if (isView(value)) return copyOfView(value);
  if (value instanceof Promise || value instanceof WeakMap || value instanceof WeakSet) {
    throw new TypeError("structuredClone cannot copy this object.");
  }
  return {};
};

const copyOfView = (view) => {
  const buffer = bufferSlice(view.buffer, view.byteOffset, view.byteOffset + view.byteLength);
  return new view.constructor(buffer);
};

const fillCopy = (value, copy, seen) => {
  if (copy instanceof NativeMap) {
    mapForEach(value, (item, key) => { mapSet(copy, clonesByCall(key, seen), clonesByCall(item, seen)); });
  } else if (copy instanceof NativeSet) {
    setForEach(value, (item) => { setAdd(copy, clonesByCall(item, seen)); });
  } else if (errorIs(copy)) {
    copy.name = NativeString(value.name);
    copy.stack = value.stack;
  } else if (isArray(copy) || getPrototypeOf(copy) === Object.prototype) {
    const names = keys(value);
    for (let i = 0; i < names.length; i += 1) {
      const item = clonesByCall(value[names[i]], seen);
      defineProperty(copy, names[i], { value: item, writable: true, configurable: true, enumerable: true });
    }
  }
};

expose("structuredClone", (value) => clonesByCall(value, new NativeMap()));
