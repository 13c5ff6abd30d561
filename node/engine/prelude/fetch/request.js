// Request (Fetch Standard, section 5.4). Browser options (mode, cache …) are ignored.
const METHODS = { __proto__: null, DELETE: true, GET: true, HEAD: true, OPTIONS: true, POST: true, PUT: true };
const REDIRECTS = { __proto__: null, follow: true, error: true, manual: true };

const methodOf = (value) => {
  const text = textOf(value);
  const upper = toUpperCase(text);
  if (!match(TOKEN, text)) throw new TypeError("Invalid method of a request.");
  if (upper === "CONNECT" || upper === "TRACE" || upper === "TRACK") throw new TypeError(join([upper, " is a forbidden method."], ""));
  return METHODS[upper] === true ? upper : text;
};

const redirectOf = (value) => {
  const text = textOf(value);
  if (REDIRECTS[text] !== true) throw new TypeError("redirect is follow, error or manual.");
  return text;
};

const signalOf = (value) => {
  if (value !== null && !abortPart.isSignal(value)) throw new TypeError("signal must be an AbortSignal.");
  return abortPart.following(value);
};

const requestUrl = (input) => {
  const record = urlPart.parseUrl(toWellFormed(textOf(input)), null);
  if (record.username !== "" || record.password !== "") throw new TypeError("A request's URL holds no credentials: send a header.");
  return record;
};

/** The content of a request for another that is made of it, after which the first is used. */
const handedOn = (from) => {
  const { base64, stream } = contentOf(from);
  if (base64 !== null || stream === undefined) {
    useBody(from);
    return content(base64, null, undefined);
  }
  const handed = streamsPart.handOnStream(stream);
  useBody(from);
  return content(null, null, handed);
};

const duplexOf = (options) => {
  if (options.duplex === undefined) return undefined;
  const text = textOf(options.duplex);
  if (text !== "half") throw new TypeError("duplex is half.");
  return text;
};

let partsOfRequest;
let isRequest;

class Request extends Body {
  #url;

  #method;

  #redirect;

  #signal;

  static {
    /** {url, method, redirect, signal}, of which the URL is a record. */
    partsOfRequest = (request) => ({ __proto__: null, url: request.#url, method: request.#method, redirect: request.#redirect, signal: request.#signal });
    isRequest = (value) => typeof value === "object" && value !== null && #url in value;
  }

  constructor(input, init = undefined) {
    needArguments(arguments.length, 1);
    const options = dictionaryOf(init);
    const from = isRequest(input) ? input : null;
    const given = extractBody(options.body);
    const inherits = from !== null && !isContent(given);
    if (inherits && isUnusable(from)) throw new TypeError("Cannot construct a Request with a Request object that has already been used.");
    const duplex = duplexOf(options);
    if (given.stream !== undefined && duplex === undefined) throw new TypeError('A stream as the body of a request needs duplex: "half".');
    const url = from === null ? requestUrl(input) : from.#url;
    const method = options.method === undefined ? (from === null ? "GET" : from.#method) : methodOf(options.method);
    const redirect = options.redirect === undefined ? (from === null ? "follow" : from.#redirect) : redirectOf(options.redirect);
    const signal = signalOf(options.signal === undefined ? (from === null ? null : from.#signal) : options.signal);
    const headers = new Headers(options.headers === undefined ? (from === null ? undefined : headersOfBody(from)) : options.headers);
    if (isContent(inherits ? contentOf(from) : given) && (method === "GET" || method === "HEAD")) {
      throw new TypeError("Request with GET/HEAD method cannot have body.");
    }
    if (given.type !== null) defaultHeader(headers, "content-type", given.type);
    super(inherits ? handedOn(from) : given, headers);
    this.#url = url;
    this.#method = method;
    this.#redirect = redirect;
    this.#signal = signal;
  }

  get url() { return urlPart.urlText(this.#url, true); }

  get method() { return this.#method; }

  get headers() { return headersOfBody(this); }

  get redirect() { return this.#redirect; }

  get signal() { return this.#signal; }

  get duplex() { return "half"; }

  clone() {
    if (isUnusable(this)) throw new TypeError("Request.clone: the body has been read, or is locked to a reader.");
    const copy = new Request(urlPart.urlText(this.#url, true), { __proto__: null, method: this.#method, redirect: this.#redirect, signal: this.#signal });
    fillBody(copy, sharedContent(this), new Headers(headersOfBody(this)));
    return copy;
  }
}
mixedIn(Request);
tagged(Request, "Request");
