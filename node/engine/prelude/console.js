// console: each call is one line of the action's logs. Levels and formats (%s) are not told apart.
const shownOr = (fallback, value) => {
  try {
    return show(value);
  } catch {
    return fallback;
  }
};

const line = (values) => {
  const shown = list();
  for (let i = 0; i < values.length; i += 1) append(shown, shownOr("[cannot be shown]", values[i]));
  const text = join(shown, " ");
  // What is longer than all logs together ends the action anyway; what fits of it is kept.
  deliver("L", stringify(text.length > longestLine ? substring(text, 0, longestLine + 1) : text));
};

const write = (...values) => line(values);
const counts = new NativeMap();
const started = new NativeMap();
const labelOf = (label) => textOr("default", () => label);

const elapsed = (label, values) => {
  const name = labelOf(label);
  if (!mapHas(started, name)) return;
  const shown = list();
  append(shown, join([name, ": ", numberToFixed(precise() - mapGet(started, name), 3), "ms"], ""));
  for (let i = 0; i < values.length; i += 1) append(shown, values[i]);
  line(shown);
};

// Not frozen: libraries put functions of their own in place of these.
expose("console", {
  log: write,
  info: write,
  warn: write,
  error: write,
  debug: write,
  clear: () => undefined,
  dir: (value) => line([value]),
  dirxml: write,
  table: (value) => line([value]),
  group: write,
  groupCollapsed: write,
  groupEnd: () => undefined,
  trace: (...values) => {
    const error = renamed(new Error(""), "Trace", join(values.length === 0 ? [] : [shownOr("[cannot be shown]", values[0])], ""));
    values[0] = error;
    line(values);
  },
  assert: (holds, ...values) => {
    if (holds) return;
    const shown = list();
    append(shown, values.length > 0 ? "Assertion failed:" : "Assertion failed");
    for (let i = 0; i < values.length; i += 1) append(shown, values[i]);
    line(shown);
  },
  count: (label) => {
    const name = labelOf(label);
    const count = (mapGet(counts, name) || 0) + 1;
    mapSet(counts, name, count);
    line([join([name, count], ": ")]);
  },
  countReset: (label) => { mapDelete(counts, labelOf(label)); },
  time: (label) => { mapSet(started, labelOf(label), precise()); },
  timeLog: (label, ...values) => { elapsed(label, values); },
  timeEnd: (label) => {
    elapsed(label, []);
    mapDelete(started, labelOf(label));
  },
});
