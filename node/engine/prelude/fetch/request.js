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
  if (value !== null && !abortPart().isSignal(value)) throw new TypeError("signal must be an AbortSignal.");
  return abortPart().following(value);
};

const requestUrl = (input) => {
  const record = urlPart().parseUrl(toWellFormed(textOf(input)), null);
  if (record.username !== "" || record.password !== "") throw new TypeError("A request's URL holds no credentials: send a header.");
  return record;
};

let partsOfRequest;
let isRequest;

class Request extends Body {
  #url;

  #method;

  #headers;

  #redirect;

  #signal;

  static {
    /** {url, method, headers, redirect, signal}, of which the URL is a record. */
    partsOfRequest = (request) => ({ __proto__: null, url: request.#url, method: request.#method, headers: request.#headers,
      redirect: request.#redirect, signal: request.#signal });
    isRequest = (value) => typeof value === "object" && value !== null && #url in value;
  }

  constructor(input, init = undefined) {
    needArguments(arguments.length, 1);
    const options = dictionaryOf(init);
    const from = isRequest(input) ? input : null;
    const given = options.body === undefined ? null : options.body;
    const body = extractBody(given);
    const inherited = from !== null && given === null;
    if (inherited && isUnusable(from)) throw new TypeError("Cannot construct a Request with a Request object that has already been used.");
    super(inherited ? bodyOf(from) : body.base64);
    this.#url = from === null ? requestUrl(input) : from.#url;
    this.#method = options.method === undefined ? (from === null ? "GET" : from.#method) : methodOf(options.method);
    this.#redirect = options.redirect === undefined ? (from === null ? "follow" : from.#redirect) : redirectOf(options.redirect);
    this.#signal = signalOf(options.signal === undefined ? (from === null ? null : from.#signal) : options.signal);
    this.#headers = new Headers(options.headers === undefined ? (from === null ? undefined : from.#headers) : options.headers);
    if (bodyOf(this) !== null && (this.#method === "GET" || this.#method === "HEAD")) {
      throw new TypeError("Request with GET/HEAD method cannot have body.");
    }
    if (body.type !== null) defaultHeader(this.#headers, "content-type", body.type);
    if (inherited) useBody(from);
  }

  get url() { return urlPart().urlText(this.#url, true); }

  get method() { return this.#method; }

  get headers() { return this.#headers; }

  get redirect() { return this.#redirect; }

  get signal() { return this.#signal; }

  clone() {
    if (isUnusable(this)) throw new TypeError("Request.clone: the body has been read, or is locked to a reader.");
    const body = bodyOf(this);
    const copy = new Request(this.url, { __proto__: null, method: this.#method, headers: this.#headers, redirect: this.#redirect,
      signal: this.#signal, body: body === null ? null : fromBase64(body) });
    return copy;
  }
}
mixedIn(Request);
tagged(Request, "Request");
