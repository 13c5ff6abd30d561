// Global names that packages look for, and those that are no class.
expose("self", globalThis);
expose("global", globalThis);

const fetch = (input, init = undefined) => {
  // Made here, so that its stack is where the action asked.
  const failure = new TypeError("");
  return new NativePromise((resolve, reject) => fetchPart.fetchNow(input, init, failure, resolve, reject));
};
expose("fetch", fetch);

const crypto = { getRandomValues, randomUUID };
defineProperty(crypto, "subtle", { get() { return cryptoPart.subtle; }, enumerable: true, configurable: false });
tagged({ prototype: crypto }, "Crypto");
expose("crypto", freeze(crypto));

let clockStart = 0;
let timeOrigin = 0;
/** performance counts from the start of the action, whatever ran in the process before. */
const startClock = () => {
  clockStart = precise();
  timeOrigin = now();
};
const performance = { now: () => precise() - clockStart, toJSON: () => ({ timeOrigin }) };
defineProperty(performance, "timeOrigin", { get: () => timeOrigin, enumerable: true, configurable: false });
tagged({ prototype: performance }, "Performance");
expose("performance", freeze(performance));
