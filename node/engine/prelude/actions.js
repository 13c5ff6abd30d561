// Svc.Actions: each function asks the node, which decides again for the wallet it names (spec 5).
const pending = new NativeMap();
let callIds = 0;

/** Sends a call. `writeArgument` appends its argument's JSON to a list, or throws to reject. */
const ask = (name, writeArgument) => {
  // Made here, so that its stack is where the action asked.
  const error = new Error("");
  return new NativePromise((resolve, reject) => {
    const argument = list();
    writeArgument(argument);
    callIds += 1;
    mapSet(pending, callIds, { __proto__: null, resolve, reject, error });
    deliver("C", join(["[", callIds, ",", stringify(name), ",[", join(argument, ""), "]]"], ""));
  });
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
for (const name of keys(REQUESTS)) actions[name] = freeze((request) => ask(name, (out) => writeRequest(out, request, REQUESTS[name])));

let olderResponse;
actions.setResponse = freeze((request) => { olderResponse = asJson(request === undefined ? undefined : request.response); });
setPrototypeOf(actions, Object.prototype);
freeze(actions);

const fix = (name, value) => {
  defineProperty(globalThis, name, { __proto__: null, value, writable: false, configurable: false, enumerable: false });
};
fix("Svc", freeze({ Actions: actions }));
fix("SvcActions", actions);
