// setTimeout and friends. The process around the script asks `nextTimer` how long it may sleep.
const timers = new NativeMap();
let timerIds = 0;

/** Calls back after a number of milliseconds, or the maximum delay. */
const addTimer = (callback, milliseconds, values, repeats) => {
  if (typeof callback !== "function") throw new TypeError("A timer needs a function.");
  const wait = min(milliseconds, 2147483647);
  timerIds += 1;
  mapSet(timers, timerIds, { __proto__: null, callback, values, due: now() + wait, every: repeats ? max(wait, 1) : 0 });
  return timerIds;
};

/** A delay in 32 bits, as on the web, so that 2 ** 31 and Infinity are at once. */
const delayOf = (delay) => max(delay | 0, 0);

const removeTimer = (id) => { if (typeof id === "number" || typeof id === "string") mapDelete(timers, id | 0); };

const earliestTimer = () => {
  let found;
  mapForEach(timers, (timer, id) => {
    if (found === undefined || timer.due < found.due) found = { __proto__: null, id, due: timer.due };
  });
  return found;
};

const fireTimer = () => {
  const next = earliestTimer();
  if (next === undefined || next.due > now()) return;
  const timer = mapGet(timers, next.id);
  if (timer.every > 0) timer.due = now() + timer.every;
  else mapDelete(timers, next.id);
  try {
    apply(timer.callback, undefined, timer.values);
  } catch (thrown) {
    fail(thrown);
  }
};

expose("setTimeout", (callback, delay, ...values) => addTimer(callback, delayOf(delay), values, false));
expose("setInterval", (callback, delay, ...values) => addTimer(callback, delayOf(delay), values, true));
expose("setImmediate", (callback, ...values) => addTimer(callback, 0, values, false));
for (const name of ["clearTimeout", "clearInterval", "clearImmediate"]) expose(name, (id) => removeTimer(id));

const nativeQueueMicrotask = globalThis.queueMicrotask;
expose("queueMicrotask", (callback) => {
  if (typeof callback !== "function") throw new TypeError("queueMicrotask needs a function.");
  nativeQueueMicrotask(() => {
    try {
      callback();
    } catch (thrown) {
      fail(thrown);
    }
  });
});
