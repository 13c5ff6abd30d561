// URL (URL Standard, section 6.1). Every setter ignores what the standard's parser refuses.
const cannotHavePort = (record) => record.host === null || record.host === "" || record.scheme === "file:";

const setScheme = (record, value) => {
  const found = match(/^[a-zA-Z][a-zA-Z0-9+\-.]*(?=:|$)/, withoutTabsAndLines(value));
  if (!found) return;
  const scheme = join([toLowerCase(found[0]), ":"], "");
  if ((DEFAULT_PORTS[scheme] !== undefined) !== isSpecial(record)) return;
  if (scheme === "file:" && (hasCredentials(record) || record.port !== null)) return;
  if (record.scheme === "file:" && record.host === "") return;
  record.scheme = scheme;
  if (record.port === DEFAULT_PORTS[scheme]) record.port = null;
};

/** The part of a text a host may be read from: up to what would end an authority. */
const placeOf = (record, value) => {
  let end = 0;
  const text = withoutTabsAndLines(value);
  while (end < text.length && text[end] !== "?" && text[end] !== "#" && !isSlash(text[end], record)) end += 1;
  return substring(text, 0, end);
};

const setHost = (record, value, withPort) => {
  if (typeof record.path === "string") return;
  const place = placeOf(record, value);
  if (record.scheme === "file:") {
    if (place === "") record.host = "";
    else setFileHost(record, place);
    return;
  }
  const colon = portColon(place);
  if (colon >= 0 && !withPort) return;
  const host = colon < 0 ? place : substring(place, 0, colon);
  if (host === "" && (colon >= 0 || isSpecial(record) || hasCredentials(record) || record.port !== null)) return;
  record.host = parseHost(host, isSpecial(record));
  if (colon >= 0) setPort(record, substring(place, colon + 1));
};

const setPort = (record, value) => {
  const digits = match(/^[0-9]+/, withoutTabsAndLines(value));
  if (digits) parsePort(record, digits[0]);
};

const setPath = (record, value) => {
  if (typeof record.path === "string") return;
  const text = withoutTabsAndLines(value);
  record.path = list();
  if (isSlash(text[0], record)) parsePath(record, substring(text, 1));
  else if (isSpecial(record) || text !== "") parsePath(record, text);
  else if (record.host === null) append(record.path, "");
};

/** Runs a setter; a value the parser refuses leaves the URL as it was. */
const attempt = (set) => {
  try {
    set();
  } catch (thrown) {
    if (!(isTypeError(thrown))) throw thrown;
  }
};

const originOf = (record) => {
  if (record.scheme === "blob:") {
    try {
      const inner = parseUrl(pathText(record), null);
      return inner.scheme === "http:" || inner.scheme === "https:" ? originOf(inner) : "null";
    } catch {
      return "null";
    }
  }
  const named = isSpecial(record) && record.scheme !== "file:";
  return named ? join([record.scheme, "//", hostText(record)], "") : "null";
};

const parsedUrl = (url, base) => parseUrl(wellFormed(url), base === undefined ? null : parseUrl(wellFormed(base), null));

class URL {
  #record;

  #params;

  constructor(url, base = undefined) {
    needArguments(arguments.length, 1);
    this.#record = parsedUrl(url, base);
  }

  static canParse(url, base = undefined) {
    needArguments(arguments.length, 1);
    return URL.parse(url, base) !== null;
  }

  static parse(url, base = undefined) {
    needArguments(arguments.length, 1);
    try {
      return new URL(url, base);
    } catch (thrown) {
      if (isTypeError(thrown)) return null;
      throw thrown;
    }
  }

  #freshParams() { if (this.#params !== undefined) replacePairs(this.#params, this.#record.query === null ? "" : this.#record.query); }

  get href() { return urlText(this.#record, true); }

  set href(value) {
    this.#record = parseUrl(wellFormed(value), null);
    this.#freshParams();
  }

  get origin() { return originOf(this.#record); }

  get protocol() { return this.#record.scheme; }

  set protocol(value) { setScheme(this.#record, wellFormed(value)); }

  get username() { return this.#record.username; }

  set username(value) {
    const text = wellFormed(value);
    if (!cannotHavePort(this.#record)) this.#record.username = percentEncode(text, USERINFO_SET);
  }

  get password() { return this.#record.password; }

  set password(value) {
    const text = wellFormed(value);
    if (!cannotHavePort(this.#record)) this.#record.password = percentEncode(text, USERINFO_SET);
  }

  get host() { return hostText(this.#record); }

  set host(value) {
    const text = wellFormed(value);
    attempt(() => setHost(this.#record, text, true));
  }

  get hostname() { return this.#record.host === null ? "" : this.#record.host; }

  set hostname(value) {
    const text = wellFormed(value);
    attempt(() => setHost(this.#record, text, false));
  }

  get port() { return this.#record.port === null ? "" : textOf(this.#record.port); }

  set port(value) {
    const text = wellFormed(value);
    if (cannotHavePort(this.#record)) return;
    if (text === "") this.#record.port = null;
    else attempt(() => setPort(this.#record, text));
  }

  get pathname() { return pathText(this.#record); }

  set pathname(value) { setPath(this.#record, wellFormed(value)); }

  get search() { return this.#record.query === null || this.#record.query === "" ? "" : join(["?", this.#record.query], ""); }

  set search(value) {
    const text = wellFormed(value);
    if (text === "") this.#record.query = null;
    else parseQuery(this.#record, withoutTabsAndLines(text[0] === "?" ? substring(text, 1) : text));
    this.#freshParams();
  }

  get searchParams() {
    if (this.#params === undefined) {
      const changed = (query) => { this.#record.query = query === "" ? null : query; };
      this.#params = paramsOfUrl(this.#record.query === null ? "" : this.#record.query, changed);
    }
    return this.#params;
  }

  get hash() { return this.#record.fragment === null || this.#record.fragment === "" ? "" : join(["#", this.#record.fragment], ""); }

  set hash(value) {
    const text = wellFormed(value);
    const after = withoutTabsAndLines(text[0] === "#" ? substring(text, 1) : text);
    this.#record.fragment = text === "" ? null : percentEncode(after, FRAGMENT_SET);
  }

  toString() { return urlText(this.#record, true); }

  toJSON() { return urlText(this.#record, true); }
}
tagged(URL, "URL");
