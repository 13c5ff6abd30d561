// What a call of the action sends to the node. JSON leaves out and changes values without a word, and another request than the
// script wrote would be signed: one walk refuses such a value by its place, and answers a copy that JSON writes as it is.
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

const text = (value, place) => {
  if (!isWellFormed(value)) throw refused(place, "holds half a surrogate pair, which has no UTF-8 form.");
  return value;
};

/** A number that is the one that was written: between two others beyond the bound there is none, and JSON has no NaN. */
const exactNumber = (value, place) => {
  if (isSafeInteger(value)) return value;
  if (value !== value || value === Infinity || value === -Infinity) throw refused(place, join(["is ", value, ", which is no number to JSON."], ""));
  if (floor(value) !== value) throw refused(place, join(["is ", value, ", a fraction: pass a BigInt or a text."], ""));
  const exactly = bigintToString(NativeBigInt(value));
  throw refused(place, join(["is ", exactly, "; numbers are exact within ±", INTEGER_BOUND, " alone: pass a BigInt or a text."], ""));
};

/** A BigInt as a JSON number, so that the node tells it from a text. */
const word = (value, place) => {
  if (value >= WORD_BOUND || value <= -WORD_BOUND) throw refused(place, "has more than 256 bits.");
  return rawJSON(bigintToString(value));
};

const BIG_NUMBER = /^(-?)(0x[0-9a-f]+)$/i;

/** The BigInt that a BigNumber of ethers v5 is, as an object or as its JSON, {type: "BigNumber", hex: "-0x…"}; else undefined. */
const bigNumber = (value) => {
  const isMade = value._isBigNumber === true;
  if (!isMade && (value.type !== "BigNumber" || keys(value).length !== 2)) return undefined;
  const hex = isMade ? value._hex : value.hex;
  const parts = typeof hex === "string" ? match(BIG_NUMBER, hex) : null;
  if (parts === null) return undefined;
  return parts[1] === "" ? NativeBigInt(parts[2]) : -NativeBigInt(parts[2]);
};

const isUint8Array = (value) => typeof value === "object" && value !== null && typedArrayTag(value) === "Uint8Array";
const hexOf = (bytes) => join(["0x", toHex(bytes)], "");

/** Whether JSON shows of an object what it holds: of a Map or a promise it shows nothing, of a String object another value. */
const isPlain = (value) => {
  const prototype = getPrototypeOf(value);
  if (prototype === objectPrototype || prototype === null) return true;
  for (let i = 0; i < BOXES.length; i += 1) if (BOXES[i].is(value)) return false;
  return !(isLiving(value) || isMap(value) || isSet(value) || isDate(value) || isRegExp(value));
};

const carriedArray = (items, place, level) => {
  const copy = list();
  for (let i = 0; i < items.length; i += 1) append(copy, carried(items[i], join([place, "[", i, "]"], ""), level + 1));
  return copy;
};

/** The members of an object: its own, and those that its class gives it beside methods. JSON would leave the latter out. */
const carriedMembers = (value, place, level, fields) => {
  const copy = { __proto__: null };
  for (let above = value; above !== null && above !== objectPrototype; above = getPrototypeOf(above)) {
    const names = ownKeys(above);
    for (let i = 0; i < names.length; i += 1) {
      const name = names[i];
      if (typeof name !== "string" || name in copy) continue;
      const property = getOwnPropertyDescriptor(above, name);
      const isOwn = above === value && property !== undefined && property.enumerable;
      if (!isOwn && (property === undefined || typeof property.value === "function")) continue;
      const read = fields[name] === undefined ? carried : fields[name];
      copy[text(name, place)] = read(value[name], member(place, name), level + 1);
    }
  }
  return copy;
};

const carriedObject = (value, place, level) => {
  if (level > LEVELS_MAX) throw refused(place, "is nested deeper than any request may be.");
  if (isUint8Array(value)) return hexOf(value);
  if (isView(value) || isBuffer(value)) throw refused(place, "is no Uint8Array: pass bytes as one.");
  const number = bigNumber(value);
  if (number !== undefined) return word(number, place);
  if (typeof value.toJSON === "function") throw refused(place, "has a method toJSON: pass the value that you mean.");
  if (isArray(value)) return carriedArray(value, place, level);
  if (!isPlain(value)) throw refused(place, "is neither a plain object nor an array nor a Uint8Array; a promise is to be awaited.");
  return carriedMembers(value, place, level, NO_FIELDS);
};

const carried = (value, place, level) => {
  if (value === null || typeof value === "boolean") return value;
  if (typeof value === "string") return text(value, place);
  if (typeof value === "number") return exactNumber(value, place);
  if (typeof value === "bigint") return word(value, place);
  if (value === undefined) throw refused(place, "is undefined: leave it out, or give it a value.");
  if (typeof value !== "object") throw refused(place, join(["is a ", typeof value, "."], ""));
  return carriedObject(value, place, level);
};

const carriedText = (value, place) => {
  if (typeof value !== "string") throw refused(place, "must be a string.");
  return text(value, place);
};

/** A message, with what it is: a text that looks like bytes signs as a text. */
const carriedMessage = (value, place) => {
  if (typeof value === "string") return { __proto__: null, text: text(value, place) };
  if (!isUint8Array(value)) throw refused(place, "must be a string or a Uint8Array.");
  return { __proto__: null, bytes: hexOf(value) };
};

const NO_FIELDS = { __proto__: null };
/** The functions of Svc.Actions, and how the members of their requests are read. */
const REQUESTS = {
  __proto__: null,
  getPrivateKey: { __proto__: null, pkpId: carried },
  getSvcActionPrivateKey: NO_FIELDS,
  getSvcActionPublicKey: { __proto__: null, ipfsId: carriedText },
  getSvcActionWalletAddress: { __proto__: null, ipfsId: carriedText },
  Encrypt: { __proto__: null, pkpId: carried, message: carriedText },
  Decrypt: { __proto__: null, pkpId: carried, ciphertext: carriedText },
  signMessage: { __proto__: null, pkpId: carried, message: carriedMessage },
  signTypedData: { __proto__: null, pkpId: carried, domain: carried, types: carried, value: carried },
  signTransaction: { __proto__: null, pkpId: carried, transaction: carried },
};

/** The request of a function of Svc.Actions. A member counts as given wherever it comes from: signing without it would be another request. */
const carriedRequest = (request, fields) => {
  if (request === undefined) return NO_FIELDS;
  if (typeof request !== "object" || request === null || isArray(request) || isView(request) || isBuffer(request) || !isPlain(request)) {
    throw namedError("BadRequest", "Svc.Actions functions take one object.");
  }
  if (typeof request.toJSON === "function") throw refused("", "has a method toJSON: pass a plain object.");
  const copy = carriedMembers(request, "", 0, fields);
  const names = keys(fields);
  for (let i = 0; i < names.length; i += 1) {
    const name = names[i];
    if (!(name in copy) && name in request) copy[name] = fields[name](request[name], name, 1);
  }
  return copy;
};
