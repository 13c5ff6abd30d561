// fetch is one call to the node, which checks the address and returns the whole response.
let fetchCalls = 0;

/** Characters of a frame beside the body, for names and twice the rest of the request (UTF-8). */
const FRAME_SHARE = 65536;

const requestFrame = (parts, fields, body, call) => {
  const pairs = list();
  let length = FRAME_SHARE;
  for (let i = 0; i < fields.length; i += 1) {
    append(pairs, setPrototypeOf([fields[i].name, fields[i].value], null));
    length += 8 + 2 * (fields[i].name.length + fields[i].value.length);
  }
  const url = urlPart.urlText(parts.url, false);
  length += 2 * url.length + (body === null ? 0 : body.length);
  if (length > longestFrame) throw new TypeError("fetch: the request is too large: a body may have about 3 MB here.");
  return { __proto__: null, url, method: parts.method, headers: pairs, body, redirect: parts.redirect, call };
};

const answered = (method, answer) => responseOf({
  __proto__: null, status: answer.status, statusText: answer.statusText, headers: headersOf(answer.headers), url: answer.url,
  redirected: answer.redirected, type: "basic",
  content: method === "HEAD" || isNullBodyStatus(answer.status) ? NO_CONTENT : content(answer.body, null),
});

const ignored = () => undefined;
const tellNode = (name, value) => ask(name, (out) => writeValue(out, value, "", 0));

const send = (request, failure, resolve, reject) => {
  const parts = partsOfRequest(request);
  let settled = false;
  let call = 0;
  let reading;
  abortPart.whenAborted(parts.signal, (reason) => {
    if (settled) return;
    settled = true;
    if (reading !== undefined) reading.stop(reason);
    if (call > 0) promiseThen(tellNode("fetchAbort", { __proto__: null, call }), ignored, ignored);
    reject(reason);
  });
  if (settled) return;
  if (parts.url.scheme !== "http:" && parts.url.scheme !== "https:") throw renamed(failure, "TypeError", "fetch: only http and https are there.");
  const fields = headerList(headersOfBody(request));
  const finish = (finished) => (value) => {
    settled = true;
    finished(value);
  };
  const failed = finish((error) => reject(renamed(failure, "TypeError", join(["fetch failed: ", describe(error).message], ""))));
  const submit = (body) => {
    const frame = requestFrame(parts, fields, body, fetchCalls + 1);
    fetchCalls += 1;
    call = fetchCalls;
    promiseThen(promiseThen(tellNode("fetch", frame), (answer) => answered(parts.method, answer)), finish(resolve), failed);
  };
  if (!isContent(contentOf(request))) return submit(null);
  const taken = takeBody(request, floor(longestFrame / 4) * 3);
  if (typeof taken === "string") return submit(taken);
  reading = taken;
  promiseThen(promiseThen(taken.whole, (bytes) => { if (!settled) submit(toBase64(bytes)); }), ignored, failed);
};

const fetchNow = (input, init, failure, resolve, reject) => send(new Request(input, init), failure, resolve, reject);
