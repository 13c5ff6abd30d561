// The URL parser (URL Standard, section 4.4), which cuts at delimiters. A record has scheme,
// username, password, host (null or text), port (null or number), path (a list, or a text if it
// is opaque), query (null or text), and fragment (null or text).
const DEFAULT_PORTS = { __proto__: null, "http:": 80, "https:": 443, "ws:": 80, "wss:": 443, "ftp:": 21, "file:": null };
const isSpecial = (record) => DEFAULT_PORTS[record.scheme] !== undefined;

const emptyRecord = (scheme) => ({
  __proto__: null, scheme, username: "", password: "", host: null, port: null, path: list(), query: null, fragment: null,
});

const copiedPath = (path) => {
  if (typeof path === "string") return path;
  const copy = list();
  for (let i = 0; i < path.length; i += 1) append(copy, path[i]);
  return copy;
};

const withoutTabsAndLines = (text) => join(split(join(split(join(split(text, "\t"), ""), "\n"), ""), "\r"), "");

const trimmed = (text) => {
  let from = 0;
  let to = text.length;
  while (from < to && charCodeAt(text, from) <= 0x20) from += 1;
  while (to > from && charCodeAt(text, to - 1) <= 0x20) to -= 1;
  return substring(text, from, to);
};

/** What stands before `mark`, and what after it (null where there is none). */
const cutAt = (text, mark) => {
  const at = indexOf(text, mark);
  return at < 0
    ? { __proto__: null, before: text, after: null }
    : { __proto__: null, before: substring(text, 0, at), after: substring(text, at + 1) };
};

const isSlash = (character, record) => character === "/" || (character === "\\" && isSpecial(record));
const isDriveLetter = (text) => match(/^[a-zA-Z][:|]$/, text) !== null;
const isNormalDriveLetter = (text) => match(/^[a-zA-Z]:$/, text) !== null;
const startsWithDriveLetter = (text) => match(/^[a-zA-Z][:|](?:[/\\?]|$)/, text) !== null;

/** A record of `input` against `base` (a record or null). Throws TypeError. */
const parseUrl = (input, base) => {
  const { before: text, after: fragment } = cutAt(withoutTabsAndLines(trimmed(input)), "#");
  const scheme = match(/^[a-zA-Z][a-zA-Z0-9+\-.]*:/, text);
  const record = scheme
    ? parseAbsolute(toLowerCase(scheme[0]), substring(text, scheme[0].length), base, fragment !== null)
    : parseAgainst(text, fragment, base);
  record.fragment = fragment === null ? null : percentEncode(fragment, FRAGMENT_SET);
  return record;
};

const parseAbsolute = (scheme, rest, base, followed) => {
  const record = emptyRecord(scheme);
  if (scheme === "file:") parseFile(record, rest, base !== null && base.scheme === scheme ? base : null);
  else if (isSpecial(record)) {
    if (base !== null && base.scheme === scheme && substring(rest, 0, 2) !== "//") parseRelative(record, rest, base);
    else parseAuthority(record, afterSlashes(rest));
  } else if (substring(rest, 0, 2) === "//") parseAuthority(record, substring(rest, 2));
  else if (rest[0] === "/") parsePathAndQuery(record, substring(rest, 1));
  else parseOpaque(record, rest, followed);
  return record;
};

const afterSlashes = (text) => {
  let from = 0;
  while (text[from] === "/" || text[from] === "\\") from += 1;
  return substring(text, from);
};

const parseAgainst = (text, fragment, base) => {
  if (base === null) throw invalidUrl();
  const record = emptyRecord(base.scheme);
  if (typeof base.path === "string") {
    if (text !== "" || fragment === null) throw invalidUrl();
    record.path = base.path;
    record.query = base.query;
  } else if (base.scheme === "file:") parseFile(record, text, base);
  else parseRelative(record, text, base);
  return record;
};

/** `followed` tells whether a fragment follows, after which a trailing space is kept. */
const parseOpaque = (record, rest, followed) => {
  const { before, after } = cutAt(rest, "?");
  const kept = before[before.length - 1] === " " && (after !== null || followed);
  const path = kept ? substring(before, 0, -1) : before;
  record.path = join([percentEncode(path, CONTROL_SET), kept ? "%20" : ""], "");
  if (after !== null) record.query = percentEncode(after, QUERY_SET);
};

const takeAuthority = (record, base) => {
  record.username = base.username;
  record.password = base.password;
  record.host = base.host;
  record.port = base.port;
};

const parseRelative = (record, rest, base) => {
  if (isSlash(rest[0], record)) {
    if (isSlash(rest[1], record)) {
      parseAuthority(record, isSpecial(record) ? afterSlashes(rest) : substring(rest, 2));
      return;
    }
    takeAuthority(record, base);
    parsePathAndQuery(record, substring(rest, 1));
    return;
  }
  takeAuthority(record, base);
  continuePath(record, rest, base);
};

/** A path that goes on from the base's: the same, another query, or another last segment. */
const continuePath = (record, rest, base) => {
  record.path = copiedPath(base.path);
  if (rest === "") record.query = base.query;
  else if (rest[0] === "?") parseQuery(record, substring(rest, 1));
  else {
    shortenPath(record);
    parsePathAndQuery(record, rest);
  }
};

const parseAuthority = (record, rest) => {
  let end = 0;
  while (end < rest.length && rest[end] !== "?" && !isSlash(rest[end], record)) end += 1;
  const authority = substring(rest, 0, end);
  const at = lastIndexOf(authority, "@");
  if (at >= 0) {
    const { before, after } = cutAt(substring(authority, 0, at), ":");
    record.username = percentEncode(before, USERINFO_SET);
    record.password = percentEncode(after === null ? "" : after, USERINFO_SET);
  }
  const place = substring(authority, at + 1);
  if (at >= 0 && place === "") throw invalidUrl();
  parsePlace(record, place);
  parseAfterAuthority(record, substring(rest, end));
};

/** Where the colon before a port stands: outside the brackets of an IPv6 address; -1 for none. */
const portColon = (place) => {
  let bracketed = false;
  for (let i = 0; i < place.length; i += 1) {
    if (place[i] === "[") bracketed = true;
    else if (place[i] === "]") bracketed = false;
    else if (place[i] === ":" && !bracketed) return i;
  }
  return -1;
};

const parsePlace = (record, place) => {
  const colon = portColon(place);
  const host = colon < 0 ? place : substring(place, 0, colon);
  if (host === "" && (colon >= 0 || isSpecial(record))) throw invalidUrl();
  record.host = parseHost(host, isSpecial(record));
  if (colon >= 0) parsePort(record, substring(place, colon + 1));
};

const parsePort = (record, digits) => {
  if (!match(/^[0-9]*$/, digits) || NativeNumber(digits) > 65535) throw invalidUrl();
  const port = digits === "" ? null : NativeNumber(digits);
  record.port = port === DEFAULT_PORTS[record.scheme] ? null : port;
};

const parseAfterAuthority = (record, rest) => {
  if (isSlash(rest[0], record)) parsePathAndQuery(record, substring(rest, 1));
  else if (isSpecial(record) || (rest !== "" && rest[0] !== "?")) parsePathAndQuery(record, rest);
  else if (rest !== "") parseQuery(record, substring(rest, 1));
};

const parseFile = (record, rest, base) => {
  record.host = "";
  if (isSlash(rest[0], record) && isSlash(rest[1], record)) parseFileHost(record, substring(rest, 2));
  else if (isSlash(rest[0], record)) {
    const after = substring(rest, 1);
    if (base !== null) {
      record.host = base.host;
      if (!startsWithDriveLetter(after) && base.path.length > 0 && isNormalDriveLetter(base.path[0])) {
        append(record.path, base.path[0]);
      }
    }
    parsePathAndQuery(record, after);
  } else if (base === null) parsePathAndQuery(record, rest);
  else {
    record.host = base.host;
    if (startsWithDriveLetter(rest)) parsePathAndQuery(record, rest);
    else continuePath(record, rest, base);
  }
};

const parseFileHost = (record, rest) => {
  let end = 0;
  while (end < rest.length && rest[end] !== "?" && !isSlash(rest[end], record)) end += 1;
  const host = substring(rest, 0, end);
  if (isDriveLetter(host)) {
    parsePathAndQuery(record, rest);
    return;
  }
  if (host !== "") setFileHost(record, host);
  parseAfterAuthority(record, substring(rest, end));
};

const setFileHost = (record, text) => {
  const host = parseHost(text, true);
  record.host = host === "localhost" ? "" : host;
};

const parseQuery = (record, text) => {
  record.query = percentEncode(text, isSpecial(record) ? SPECIAL_QUERY_SET : QUERY_SET);
};

const parsePathAndQuery = (record, text) => {
  const { before, after } = cutAt(text, "?");
  parsePath(record, before);
  if (after !== null) parseQuery(record, after);
};

const shortenPath = (record) => {
  const { path } = record;
  const keep = record.scheme === "file:" && path.length === 1 && isNormalDriveLetter(path[0]);
  if (path.length > 0 && !keep) path.length -= 1;
};

const SINGLE_DOT = /^(?:\.|%2e)$/i;
const DOUBLE_DOT = /^(?:\.|%2e)(?:\.|%2e)$/i;

/** Appends the segments of a path whose leading slash is gone. */
const parsePath = (record, text) => {
  const segments = split(isSpecial(record) ? join(split(text, "\\"), "/") : text, "/");
  for (let i = 0; i < segments.length; i += 1) {
    const last = i === segments.length - 1;
    const segment = percentEncode(segments[i], PATH_SET);
    if (match(DOUBLE_DOT, segment)) {
      shortenPath(record);
      if (last) append(record.path, "");
    } else if (match(SINGLE_DOT, segment)) {
      if (last) append(record.path, "");
    } else if (record.scheme === "file:" && record.path.length === 0 && isDriveLetter(segment)) {
      append(record.path, join([segment[0], ":"], ""));
    } else append(record.path, segment);
  }
};

const pathText = (record) => {
  if (typeof record.path === "string") return record.path;
  return record.path.length === 0 ? "" : join(["/", join(record.path, "/")], "");
};

const hasCredentials = (record) => record.username !== "" || record.password !== "";

const hostText = (record) => {
  if (record.host === null) return "";
  return record.port === null ? record.host : join([record.host, record.port], ":");
};

const authorityText = (record) => {
  if (record.host === null) {
    // Without this the path would read as an authority.
    const misread = typeof record.path !== "string" && record.path.length > 1 && record.path[0] === "";
    return misread ? "/." : "";
  }
  const password = record.password === "" ? "" : join([":", record.password], "");
  return join(["//", record.username, password, hasCredentials(record) ? "@" : "", hostText(record)], "");
};

const urlText = (record, withFragment) => join([
  record.scheme, authorityText(record), pathText(record),
  record.query === null ? "" : join(["?", record.query], ""),
  record.fragment === null || !withFragment ? "" : join(["#", record.fragment], ""),
], "");
