// Svc.Actions: each function asks the node, which decides again for the wallet it names (decisions.md section 5).
const pending = new NativeMap();
let callIds = 0;

/** Functions whose types tell bytes from text: elsewhere a text means its own characters. */
const BYTES_AS_TEXT = { __proto__: null, signTypedData: true, signTransaction: true };

const ask = (name, request) => {
  // Made here, so that its stack is where the action asked.
  const error = new Error("");
  return new NativePromise((resolve, reject) => {
    const argument = stringify(request === undefined ? {} : request, BYTES_AS_TEXT[name] === true ? carried : carriedBesideText);
    callIds += 1;
    mapSet(pending, callIds, { __proto__: null, resolve, reject, error });
    deliver("C", join(["[", callIds, ",", stringify(name), ",[", argument === undefined ? "null" : argument, "]]"], ""));
  });
};

const BIG_NUMBER = /^(-?)(0x[0-9a-f]+)$/i;

/** The decimal text of what a BigNumber of ethers v5 is in JSON, {type: "BigNumber", hex: "-0x…"}; undefined for anything else. */
const bigNumberText = (value) => {
  if (value.type !== "BigNumber" || typeof value.hex !== "string" || keys(value).length !== 2) return undefined;
  const parts = match(BIG_NUMBER, value.hex);
  return parts ? join([parts[1], bigintToString(NativeBigInt(parts[2]))], "") : undefined;
};

/** BigInt and BigNumber travel as decimal text, bytes as 0x text; everything else as JSON has it, in text that has a UTF-8 form. */
const carried = (key, value) => {
  if (!isWellFormed(key) || (typeof value === "string" && !isWellFormed(value))) {
    throw namedError("BadRequest", "A text with half a surrogate pair has no UTF-8 form.");
  }
  if (typeof value === "bigint") return bigintToString(value);
  if (typeof value !== "object" || value === null) return value;
  if (isView(value)) return join(["0x", toHex(bytesOf(value))], "");
  const number = bigNumberText(value);
  return number === undefined ? value : number;
};

/** The same where a text means its own characters: bytes travel as {bytes: "0x…"}. */
const carriedBesideText = (key, value) => {
  const item = carried(key, value);
  return isView(value) ? { __proto__: null, bytes: item } : item;
};

const settleCall = (id, succeeded, value) => {
  const call = mapGet(pending, id);
  if (call === undefined) return;
  mapDelete(pending, id);
  if (succeeded) call.resolve(value);
  else call.reject(renamed(call.error, value.name, value.message));
};

/** Gives an error its name and message late, so that its stack is where the action asked. */
const renamed = (error, name, message) => {
  const hidden = (value) => ({ __proto__: null, value, writable: true, configurable: true, enumerable: false });
  defineProperty(error, "name", hidden(name));
  defineProperty(error, "message", hidden(message));
  return error;
};
const namedError = (name, message) => renamed(new Error(""), name, message);

const actions = { __proto__: null };
for (const name of [
  "getPrivateKey", "getSvcActionPrivateKey", "getSvcActionPublicKey", "getSvcActionWalletAddress",
  "Encrypt", "Decrypt", "signMessage", "signTypedData", "signTransaction",
]) actions[name] = freeze((request) => ask(name, request));

let olderResponse;
actions.setResponse = freeze((request) => { olderResponse = asJson(request === undefined ? undefined : request.response); });
setPrototypeOf(actions, Object.prototype);
freeze(actions);

const fix = (name, value) => {
  defineProperty(globalThis, name, { __proto__: null, value, writable: false, configurable: false, enumerable: false });
};
fix("Svc", freeze({ Actions: actions }));
fix("SvcActions", actions);
