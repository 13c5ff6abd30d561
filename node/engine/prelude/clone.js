// structuredClone (HTML Standard, section 2.7) without transfer, for values of actions. Kinds are
// read from the engine's internal slots, never from a prototype, which an action can change.
const inside = (read) => (value) => {
  try {
    read(value);
    return true;
  } catch {
    return false;
  }
};
const isDate = inside(dateTime);
const isRegExp = inside(regExpSource);
const isMap = inside(mapSize);
const isSet = inside(setSize);
const isBuffer = inside(bufferByteLength);

/** Objects of the web that can be copied: how to tell one, and how to copy it. */
const COPYABLE = list();
const copyableAs = (is, copy) => { append(COPYABLE, { __proto__: null, is, copy }); };

const cannotClone = (what) => new NativeDOMException(join([what, " could not be cloned."], ""), "DataCloneError");

const cloned = (value, seen) => {
  if (typeof value === "function" || typeof value === "symbol") throw cannotClone(join(["A ", typeof value], ""));
  if (typeof value !== "object" || value === null) return value;
  if (mapHas(seen, value)) return mapGet(seen, value);
  const copy = emptyCopy(value, seen);
  mapSet(seen, value, copy);
  fillCopy(value, copy, seen);
  return copy;
};

const emptyCopy = (value, seen) => {
  if (isArray(value)) return new NativeArray(value.length);
  if (isDate(value)) return new NativeDate(dateTime(value));
  if (isRegExp(value)) return new NativeRegExp(regExpSource(value), flagsOf(value));
  if (isMap(value)) return new NativeMap();
  if (isSet(value)) return new NativeSet();
  if (errorIs(value)) return errorCopy(value);
  if (isBuffer(value)) return bufferCopy(value);
  if (isView(value)) return viewCopy(value, seen);
  for (let i = 0; i < BOXES.length; i += 1) if (BOXES[i].is(value)) return NativeObject(BOXES[i].open(value));
  for (let i = 0; i < COPYABLE.length; i += 1) if (COPYABLE[i].is(value)) return COPYABLE[i].copy(value);
  if (isLiving(value)) throw cannotClone(objectToString(value));
  return {};
};

/** Whether an object has internal state that cannot be copied, such as a promise or weak map. */
const isLiving = (value) => {
  for (let above = value; above !== null; above = getPrototypeOf(above)) if (setHas(LIVING, above)) return true;
  return false;
};

const errorCopy = (error) => {
  if (!nativeErrorIs(error)) return new NativeDOMException(domExceptionMessage(error), domExceptionName(error));
  const prototype = ERROR_PROTOTYPES[textOf(error.name)];
  const made = setPrototypeOf(new Error(""), prototype === undefined ? ERROR_PROTOTYPES.Error : prototype);
  const message = getOwnPropertyDescriptor(error, "message");
  if (message !== undefined && message.value !== undefined) hiddenProperty(made, "message", textOf(message.value));
  else delete made.message;
  const stack = getOwnPropertyDescriptor(error, "stack");
  hiddenProperty(made, "stack", stack !== undefined && typeof stack.value === "string" ? stack.value : "");
  return made;
};

const flagsOf = (expression) => {
  const flags = list();
  for (let i = 0; i < REGEXP_FLAGS.length; i += 1) if (REGEXP_FLAGS[i].isSet(expression)) append(flags, REGEXP_FLAGS[i].flag);
  return join(flags, "");
};

const bufferCopy = (buffer) => {
  if (isDetached(buffer)) throw cannotClone("A detached ArrayBuffer");
  const resizing = isResizable(buffer) ? { __proto__: null, maxByteLength: bufferMaxByteLength(buffer) } : undefined;
  const copy = new NativeArrayBuffer(bufferByteLength(buffer), resizing);
  typedArraySet(new NativeUint8Array(copy), new NativeUint8Array(buffer));
  return copy;
};

/** Whether a view is within its buffer, which may have shrunk or be detached. */
const isWithin = inside((view) => (typedArrayTag(view) === undefined ? dataViewByteLength(view) : typedArrayAt(view, 0)));

/** Whether a view's length follows its buffer's. The language tells it by another length alone. */
const followsBuffer = (view, buffer, byteOffset, byteLength) => {
  if (!isResizable(buffer)) return false;
  const length = bufferByteLength(buffer);
  const kept = new NativeUint8Array(bufferCopy(buffer));
  // A view with elements is to lose them all, an empty one to get some.
  resizeBuffer(buffer, byteLength > 0 ? byteOffset : min(byteOffset + 8, bufferMaxByteLength(buffer)));
  const follows = byteLength > 0 ? isWithin(view) : isWithin(view) && typedArrayLength(bytesOf(view)) > 0;
  resizeBuffer(buffer, length);
  typedArraySet(new NativeUint8Array(buffer), kept);
  return follows;
};

/** A view over the copy of its whole buffer, so that views which share one still do. */
const viewCopy = (view, seen) => {
  if (!isWithin(view)) throw cannotClone("A view outside of its ArrayBuffer");
  const kind = typedArrayTag(view);
  const bytes = bytesOf(view);
  const buffer = typedArrayBuffer(bytes);
  const byteOffset = typedArrayByteOffset(bytes);
  const byteLength = typedArrayLength(bytes);
  const copy = cloned(buffer, seen);
  const Made = kind === undefined ? NativeDataView : VIEWS[kind];
  if (followsBuffer(view, buffer, byteOffset, byteLength)) return new Made(copy, byteOffset);
  return new Made(copy, byteOffset, kind === undefined ? byteLength : typedArrayLength(view));
};

const fillCopy = (value, copy, seen) => {
  if (isMap(copy)) {
    const pairs = list();
    mapForEach(value, (item, key) => { append(pairs, { __proto__: null, key, item }); });
    for (let i = 0; i < pairs.length; i += 1) mapSet(copy, cloned(pairs[i].key, seen), cloned(pairs[i].item, seen));
  } else if (isSet(copy)) {
    const items = list();
    setForEach(value, (item) => { append(items, item); });
    for (let i = 0; i < items.length; i += 1) setAdd(copy, cloned(items[i], seen));
  } else if (isArray(copy) || (getPrototypeOf(copy) === objectPrototype && !isBuffer(copy))) {
    const names = keys(value);
    for (let i = 0; i < names.length; i += 1) {
      const item = cloned(value[names[i]], seen);
      defineProperty(copy, names[i], { __proto__: null, value: item, writable: true, configurable: true, enumerable: true });
    }
  }
};

const structuredClone = function (value, options = undefined) {
  needArguments(arguments.length, 1);
  const { transfer } = dictionaryOf(options);
  if (transfer !== undefined) {
    if (!isObject(transfer)) throw new TypeError("transfer is a list of objects.");
    if (listOf(transfer).length > 0) throw cannotClone("A transferred object");
  }
  return cloned(value, new NativeMap());
};
expose("structuredClone", structuredClone);
