// Values of headers with parameters: Content-Type (MIME Sniffing Standard, section 4.4) and
// Content-Disposition.
const isBlank = (character) => character === " " || character === "\t" || character === "\r" || character === "\n";

const trimmed = (text) => {
  let from = 0;
  let to = text.length;
  while (from < to && isBlank(text[from])) from += 1;
  while (to > from && isBlank(text[to - 1])) to -= 1;
  return substring(text, from, to);
};

/** Where `character` is next in the text, or the text's end. */
const nextOf = (text, character, from) => {
  const at = indexOf(text, character, from);
  return at < 0 ? text.length : at;
};

/** {text, end} of a quoted value that begins at a quote. `escapes`: a backslash quotes. */
const quoted = (text, from, escapes) => {
  const pieces = list();
  let at = from + 1;
  for (;;) {
    const quote = nextOf(text, '"', at);
    const slash = escapes ? nextOf(text, "\\", at) : text.length;
    const stop = min(quote, slash);
    append(pieces, substring(text, at, stop));
    if (stop === quote) return { __proto__: null, text: join(pieces, ""), end: min(quote + 1, text.length) };
    append(pieces, substring(text, stop + 1, stop + 2));
    at = stop + 2;
  }
};

/**
 * {essence, parameters} of a value: its first part in lower case, and a Map of the parameters, the
 * first of each name.
 */
const withParameters = (text, escapes) => {
  let at = nextOf(text, ";", 0);
  const essence = toLowerCase(trimmed(substring(text, 0, at)));
  const parameters = new NativeMap();
  while (at < text.length) {
    at += 1;
    const semicolon = nextOf(text, ";", at);
    const equals = nextOf(text, "=", at);
    if (equals > semicolon || equals === text.length) {
      at = semicolon;
      continue;
    }
    const name = toLowerCase(trimmed(substring(text, at, equals)));
    let value;
    if (text[equals + 1] === '"') {
      const found = quoted(text, equals + 1, escapes);
      value = found.text;
      at = nextOf(text, ";", found.end);
    } else {
      at = nextOf(text, ";", equals);
      value = trimmed(substring(text, equals + 1, at));
    }
    if (!mapHas(parameters, name)) mapSet(parameters, name, value);
  }
  return { __proto__: null, essence, parameters };
};
