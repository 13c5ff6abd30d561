// What the caller is shown of an error: name, message, and the frames that are its own.
const PLACE_IN_JSON = /^    at <input>:\d+(:\d+)?$/;
const FRAME = /[( ]([a-z0-9]+\.js):\d+(:\d+)?\)?$/;

/** The stack without frames of prelude, libraries and the guest's caller of the action. */
const ownFrames = (stack) => {
  const shown = list();
  const lines = split(stack, "\n");
  for (let i = 0; i < lines.length; i += 1) {
    // The engine puts the place inside a JSON text first, as if it were code.
    if (lines[i + 1] === "    at parse (native)" && match(PLACE_IN_JSON, lines[i])) continue;
    const place = match(FRAME, lines[i]);
    const ours = place ? place[1] !== "action.js" : lines[i] === "    at evaluate (native)";
    if (!ours && lines[i] !== "") append(shown, lines[i]);
  }
  return join(shown, "\n");
};

const LONGEST_TEXT = 65536;

/** The result of `read` as a bounded text; `fallback` if it throws or returns nothing. */
const textOr = (fallback, read) => {
  try {
    const value = read();
    const text = typeof value === "string" ? value : value === undefined ? fallback : NativeString(value);
    return text.length > LONGEST_TEXT ? substring(text, 0, LONGEST_TEXT) : text;
  } catch {
    return fallback;
  }
};

/** A thrown value as {name, message, stack}; one that is no error is shown as it prints. */
const describe = (thrown) => {
  if (!errorIs(thrown)) {
    const message = textOr("a value that cannot be shown", () => show(thrown));
    return { __proto__: null, name: "Uncaught", message, stack: "" };
  }
  const name = textOr("Error", () => thrown.name);
  const message = textOr("", () => thrown.message);
  const frames = textOr("", () => ownFrames(thrown.stack));
  const title = message === "" ? name : join([name, message], ": ");
  return { __proto__: null, name, message, stack: frames === "" ? title : join([title, frames], "\n") };
};

/** One argument of console.log. Strings are unchanged, errors have their stack, others JSON. */
const show = (value) => {
  if (typeof value === "string") return value;
  if (typeof value === "bigint") return join([bigintToString(value), "n"], "");
  if (errorIs(value)) return describe(value).stack;
  if (typeof value !== "object" || value === null) return typeof value === "function" ? "[function]" : NativeString(value);
  const above = list();
  const json = stringify(value, function replacer(key, item) {
    if (typeof item === "bigint") return join([bigintToString(item), "n"], "");
    if (typeof item !== "object" || item === null) return item;
    while (above.length > 0 && above[above.length - 1] !== this) above.length -= 1;
    for (let i = 0; i < above.length; i += 1) if (above[i] === item) return "[circular]";
    append(above, item);
    return errorIs(item) ? describe(item).stack : item;
  });
  return json === undefined ? NativeString(value) : json;
};
