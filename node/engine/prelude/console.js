// console: each call is one line of the action's logs.
const line = (...values) => {
  const shown = list();
  for (let i = 0; i < values.length; i += 1) append(shown, textOr("[cannot be shown]", () => show(values[i])));
  deliver("L", stringify(join(shown, " ")));
};

expose("console", freeze({
  log: (...values) => line(...values),
  info: (...values) => line(...values),
  warn: (...values) => line(...values),
  error: (...values) => line(...values),
  debug: (...values) => line(...values),
}));
