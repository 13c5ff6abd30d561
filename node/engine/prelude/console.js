// console: each call is one line of the action's logs.
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
  deliver("L", stringify(join(shown, " ")));
};

expose("console", freeze({
  log: (...values) => line(values),
  info: (...values) => line(values),
  warn: (...values) => line(values),
  error: (...values) => line(values),
  debug: (...values) => line(values),
}));
