// Values of headers with parameters: Content-Type (MIME Sniffing Standard, section 4.4) and
// Content-Disposition.
/** Where `character` is next in the text, or the text's end. */
const nextOf = (text, character, from) => {
  const at = indexOf(text, character, from);
  return at < 0 ? text.length : at;
};

/** `nextOf` for places that do not decrease, which reads the text once. */
const finderOf = (text, character) => {
  let found = -1;
  return (from) => {
    if (found < from) found = nextOf(text, character, from);
    return found;
  };
};

/** {text, end} of a quoted value that begins at a quote. A backslash, if any is found, quotes. */
const quoted = (text, from, nextQuote, nextSlash) => {
  const pieces = list();
  let at = from + 1;
  for (;;) {
    const quote = nextQuote(at);
    const stop = min(quote, nextSlash(at));
    append(pieces, substring(text, at, stop));
    if (stop === quote) return { __proto__: null, text: join(pieces, ""), end: min(quote + 1, text.length) };
    append(pieces, substring(text, stop + 1, stop + 2));
    at = stop + 2;
  }
};

/**
 * {essence, parameters} of a value: its first part in lower case, and a Map of the parameters, the
 * first of each name. `escapes`: a backslash quotes within quotes.
 */
const withParameters = (text, escapes) => {
  let at = nextOf(text, ";", 0);
  const essence = toLowerCase(trimmed(substring(text, 0, at)));
  const parameters = new NativeMap();
  const nextEquals = finderOf(text, "=");
  const nextQuote = finderOf(text, '"');
  const nextSlash = escapes ? finderOf(text, "\\") : () => text.length;
  while (at < text.length) {
    at += 1;
    const semicolon = nextOf(text, ";", at);
    const equals = nextEquals(at);
    if (equals > semicolon || equals === text.length) {
      at = semicolon;
      continue;
    }
    const name = toLowerCase(trimmed(substring(text, at, equals)));
    let value;
    if (text[equals + 1] === '"') {
      const found = quoted(text, equals + 1, nextQuote, nextSlash);
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
