// Writes the action's calls to the node. JSON.stringify silently drops and changes values, so that
// another request would be signed. This code refuses such a value by its place and writes all text,
// since the engine's own writes objects through prototypes that an action can replace.
const INTEGER_BOUND = 9007199254740991;
const WORD_BOUND = 1n << 256n;
/** Nesting of a request: more than typed data may have. */
const LEVELS_MAX = 64;
const LONGEST_PLACE = 200;

const refused = (place, why) => {
  const shown = place === "" ? "The request" : place.length > LONGEST_PLACE ? substring(place, 0, LONGEST_PLACE) : place;
  return namedError("BadRequest", join([shown, why], " "));
};
const member = (place, name) => place === "" ? name : join([place, name], ".");

/** Appends a text as JSON. */
const writeText = (out, value, place) => {
  if (typeof value !== "string") throw refused(place, "must be a string.");
  if (!isWellFormed(value)) throw refused(place, "holds half a surrogate pair, which has no UTF-8 form.");
  append(out, stringify(value));
};

/** Writes an exact number. Above the bound numbers are inexact, and JSON has no NaN. */
const writeNumber = (out, value, place) => {
  if (isSafeInteger(value)) return append(out, numberToString(value));
  if (value !== value || value === Infinity || value === -Infinity) throw refused(place, join(["is ", value, ", which is no number to JSON."], ""));
  if (floor(value) !== value) throw refused(place, join(["is ", value, ", a fraction: pass a BigInt or a text."], ""));
  const exactly = bigintToString(NativeBigInt(value));
  throw refused(place, join(["is ", exactly, "; numbers are exact within ±", INTEGER_BOUND, " alone: pass a BigInt or a text."], ""));
};

/** A BigInt as a JSON number, so that the node tells it from a text. */
const writeWord = (out, value, place) => {
  if (value >= WORD_BOUND || value <= -WORD_BOUND) throw refused(place, "has more than 256 bits.");
  append(out, bigintToString(value));
};

const BIG_NUMBER = /^(-?)(0x[0-9a-f]+)$/i;

/** The BigInt of an ethers v5 BigNumber, or of its JSON {type, hex: "-0x…"}; else undefined. */
const bigNumber = (value) => {
  const isMade = value._isBigNumber === true;
  if (!isMade && (value.type !== "BigNumber" || keys(value).length !== 2)) return undefined;
  const hex = isMade ? value._hex : value.hex;
  const parts = typeof hex === "string" ? match(BIG_NUMBER, hex) : null;
  if (parts === null) return undefined;
  return parts[1] === "" ? NativeBigInt(parts[2]) : -NativeBigInt(parts[2]);
};

const isUint8Array = (value) => typeof value === "object" && value !== null && typedArrayTag(value) === "Uint8Array";
/** Bytes as a JSON text of hex, which needs no escapes. */
const bytesText = (bytes) => join(['"0x', toHex(bytes), '"'], "");
/** Bytes among other values. No other object has an empty name, so text and bytes differ. */
const writeBytes = (out, bytes) => append(out, join(['{"":', bytesText(bytes), "}"], ""));

const isOfClass = (value) => {
  const prototype = getPrototypeOf(value);
  return prototype !== objectPrototype && prototype !== null;
};

/** Whether JSON shows an object's content, unlike that of a Map, a promise or a String object. */
const isPlain = (value) => {
  if (!isOfClass(value)) return true;
  for (let i = 0; i < BOXES.length; i += 1) if (BOXES[i].is(value)) return false;
  return !(isLiving(value) || isMap(value) || isSet(value) || isDate(value) || isRegExp(value));
};

const writeArray = (out, items, place, level) => {
  append(out, "[");
  for (let i = 0; i < items.length; i += 1) {
    if (i > 0) append(out, ",");
    writeValue(out, items[i], join([place, "[", i, "]"], ""), level);
  }
  append(out, "]");
};

/**
 * Writes an object's members: its own, getters of its class, which JSON would omit, and all
 * that it has of `fields`.
 */
const writeMembers = (out, value, place, level, fields) => {
  const seen = { __proto__: null };
  const put = (name) => {
    if (name === "") throw refused(place, "has a member without a name.");
    append(out, out[out.length - 1] === "{" ? "" : ",");
    seen[name] = true;
    writeText(out, name, place);
    append(out, ":");
    const writeMember = fields[name] === undefined ? writeValue : fields[name];
    writeMember(out, value[name], member(place, name), level);
  };
  append(out, "{");
  for (let above = value; above !== null && above !== objectPrototype; above = getPrototypeOf(above)) {
    const names = ownKeys(above);
    for (let i = 0; i < names.length; i += 1) {
      const name = names[i];
      if (typeof name !== "string" || name in seen) continue;
      const property = getOwnPropertyDescriptor(above, name);
      const isOwn = above === value && property !== undefined && property.enumerable;
      const isMethod = property === undefined || typeof property.value === "function";
      if (isOwn || !isMethod) put(name);
    }
  }
  // Methods and Object.prototype's members count as given, or another request would be sent.
  const known = keys(fields);
  for (let i = 0; i < known.length; i += 1) if (!(known[i] in seen) && known[i] in value) put(known[i]);
  append(out, "}");
};

const writeObject = (out, value, place, level) => {
  if (level > LEVELS_MAX) throw refused(place, "is nested deeper than any request may be.");
  if (isUint8Array(value)) return writeBytes(out, value);
  if (isView(value) || isBuffer(value)) throw refused(place, "is no Uint8Array: pass bytes as one.");
  const number = bigNumber(value);
  if (number !== undefined) return writeWord(out, number, place);
  if (typeof value.toJSON === "function") throw refused(place, "has a method toJSON: pass the value that you mean.");
  if (isArray(value)) return writeArray(out, value, place, level + 1);
  if (!isPlain(value)) throw refused(place, "is neither a plain object nor an array nor a Uint8Array; a promise is to be awaited.");
  const begun = out.length;
  writeMembers(out, value, place, level + 1, OPTIONAL);
  const isEmpty = out.length === begun + 2;
  if (isEmpty && isOfClass(value)) throw refused(place, "shows nothing of what it holds: pass its values as a plain object.");
};

/** Appends the JSON text of a value of the request. */
const writeValue = (out, value, place, level) => {
  if (value === null) append(out, "null");
  else if (typeof value === "boolean") append(out, value ? "true" : "false");
  else if (typeof value === "string") writeText(out, value, place);
  else if (typeof value === "number") writeNumber(out, value, place);
  else if (typeof value === "bigint") writeWord(out, value, place);
  else if (value === undefined) throw refused(place, "is undefined: leave it out, or give it a value.");
  else if (typeof value !== "object") throw refused(place, join(["is a ", typeof value, "."], ""));
  else writeObject(out, value, place, level);
};

/** A message, with what it is: a text that looks like bytes signs as a text. */
const writeMessage = (out, value, place) => {
  const isBytes = isUint8Array(value);
  if (!isBytes && typeof value !== "string") throw refused(place, "must be a string or a Uint8Array.");
  append(out, isBytes ? '{"bytes":' : '{"text":');
  if (isBytes) append(out, bytesText(value));
  else writeText(out, value, place);
  append(out, "}");
};

const NO_FIELDS = { __proto__: null };
/** Members that a transaction or a domain may lack: without one of them another would be signed. */
const OPTIONAL = { __proto__: null };
for (const name of [
  "to", "value", "data", "input", "type", "from", "accessList", "gasPrice", "maxFeePerGas", "maxPriorityFeePerGas",
  "name", "version", "chainId", "verifyingContract", "salt",
]) OPTIONAL[name] = writeValue;
/** The functions of Svc.Actions, and how the members of their requests are written. */
const REQUESTS = {
  __proto__: null,
  getPrivateKey: { __proto__: null, pkpId: writeValue },
  getSvcActionPrivateKey: NO_FIELDS,
  getSvcActionPublicKey: { __proto__: null, ipfsId: writeText },
  getSvcActionWalletAddress: { __proto__: null, ipfsId: writeText },
  Encrypt: { __proto__: null, pkpId: writeValue, message: writeText },
  Decrypt: { __proto__: null, pkpId: writeValue, ciphertext: writeText },
  signMessage: { __proto__: null, pkpId: writeValue, message: writeMessage },
  signTypedData: { __proto__: null, pkpId: writeValue, domain: writeValue, types: writeValue, value: writeValue },
  signTransaction: { __proto__: null, pkpId: writeValue, transaction: writeValue },
};

/** Appends the request of a function of Svc.Actions, whose members are `fields`. */
const writeRequest = (out, request, fields) => {
  if (request === undefined) return append(out, "{}");
  if (typeof request !== "object" || request === null || isArray(request) || isView(request) || isBuffer(request) || !isPlain(request)) {
    throw namedError("BadRequest", "Svc.Actions functions take one object.");
  }
  if (typeof request.toJSON === "function") throw refused("", "has a method toJSON: pass a plain object.");
  writeMembers(out, request, "", 1, fields);
};
