// Response (WHATWG Fetch Standard, section 5.5).
const isNullBodyStatus = (status) => status === 101 || status === 103 || status === 204 || status === 205 || status === 304;

const statusOf = (value) => {
  const number = NativeNumber(value);
  const status = number < 0 ? -1 : floor(number) % 65536;
  if (!(status >= 200 && status <= 599)) throw new RangeError("A response's status is from 200 to 599.");
  return status;
};

const statusTextOf = (value) => {
  const text = textOf(value);
  if (!match(/^[\t\x20-\x7e\x80-\xff]*$/, text)) throw new TypeError("Invalid statusText.");
  return text;
};

let responseOf;
const ANSWERED = {};

class Response extends Body {
  #status = 200;

  #statusText = "";

  #url = "";

  #redirected = false;

  #type = "default";

  static {
    /** What the node answered to a request, or another response of the same kind. */
    responseOf = (answer) => {
      const response = new Response(ANSWERED, answer);
      response.#status = answer.status;
      response.#statusText = answer.statusText;
      response.#url = answer.url;
      response.#redirected = answer.redirected;
      response.#type = answer.type;
      return response;
    };
  }

  constructor(value = null, init = undefined) {
    if (value === ANSWERED) {
      super(init.content, init.headers);
      return;
    }
    const options = dictionaryOf(init);
    const status = options.status === undefined ? 200 : statusOf(options.status);
    const statusText = options.statusText === undefined ? "" : statusTextOf(options.statusText);
    const headers = new Headers(options.headers);
    const given = extractBody(value);
    if (isContent(given) && isNullBodyStatus(status)) throw new TypeError("A response of this status has no body.");
    if (given.type !== null) defaultHeader(headers, "content-type", given.type);
    super(given, headers);
    this.#status = status;
    this.#statusText = statusText;
  }

  static error() {
    return responseOf({ __proto__: null, status: 0, statusText: "", headers: headersOf([]), url: "", redirected: false, type: "error",
      content: NO_CONTENT });
  }

  static json(data, init = undefined) {
    needArguments(arguments.length, 1);
    const text = stringify(data);
    if (text === undefined) throw new TypeError("The data is not JSON serializable");
    const options = dictionaryOf(init);
    const headers = new Headers(options.headers);
    defaultHeader(headers, "content-type", "application/json");
    return new Response(text, { __proto__: null, status: options.status, statusText: options.statusText, headers });
  }

  static redirect(url, status = 302) {
    needArguments(arguments.length, 1);
    const location = urlPart.urlText(urlPart.parseUrl(toWellFormed(textOf(url)), null), true);
    const code = NativeNumber(status);
    if (code !== 301 && code !== 302 && code !== 303 && code !== 307 && code !== 308) throw new RangeError("Invalid status of a redirect.");
    return responseOf({ __proto__: null, status: code, statusText: "", headers: headersOf([["location", location]]), url: "", redirected: false,
      type: "default", content: NO_CONTENT });
  }

  get status() { return this.#status; }

  get ok() { return this.#status >= 200 && this.#status <= 299; }

  get statusText() { return this.#statusText; }

  get headers() { return headersOfBody(this); }

  get url() { return this.#url; }

  get redirected() { return this.#redirected; }

  get type() { return this.#type; }

  clone() {
    if (isUnusable(this)) throw new TypeError("Response.clone: the body has been read, or is locked to a reader.");
    return responseOf({ __proto__: null, status: this.#status, statusText: this.#statusText, headers: new Headers(headersOfBody(this)),
      url: this.#url, redirected: this.#redirected, type: this.#type, content: sharedContent(this) });
  }
}
mixedIn(Response);
tagged(Response, "Response");
