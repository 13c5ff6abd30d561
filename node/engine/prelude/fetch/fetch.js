// fetch is one call to the node, which checks the address and returns the whole response.
let fetchCalls = 0;

/** Characters of a frame beside the body, for names and twice the rest of the request (UTF-8). */
const FRAME_SHARE = 65536;

const requestFrame = (parts, body, call) => {
  const pairs = list();
  const headers = headerList(parts.headers);
  let length = FRAME_SHARE;
  for (let i = 0; i < headers.length; i += 1) {
    append(pairs, setPrototypeOf([headers[i].name, headers[i].value], null));
    length += 8 + 2 * (headers[i].name.length + headers[i].value.length);
  }
  const url = urlPart().urlText(parts.url, false);
  length += 2 * url.length + (body === null ? 0 : body.length);
  if (length > longestFrame) throw new TypeError("fetch: the request is too large: a body may have about 3 MB here.");
  return { __proto__: null, url, method: parts.method, headers: pairs, body, redirect: parts.redirect, call };
};

const answered = (answer) => responseOf({
  __proto__: null, status: answer.status, statusText: answer.statusText, headers: headersOf(answer.headers), url: answer.url,
  redirected: answer.redirected, type: "basic", body: isNullBodyStatus(answer.status) ? null : answer.body,
});

const ignored = () => undefined;

const send = (request, failure, resolve, reject) => {
  const parts = partsOfRequest(request);
  const { scheme } = parts.url;
  let done = false;
  let call = 0;
  abortPart().whenAborted(parts.signal, (reason) => {
    if (done) return;
    done = true;
    if (call > 0) promiseThen(ask("fetchAbort", (out) => writeValue(out, { __proto__: null, call }, "", 0)), ignored, ignored);
    reject(reason);
  });
  if (done) return;
  if (scheme !== "http:" && scheme !== "https:") throw renamed(failure, "TypeError", "fetch: only http and https are there.");
  const frame = requestFrame(parts, bodyOf(request), fetchCalls + 1);
  fetchCalls += 1;
  call = fetchCalls;
  const asked = ask("fetch", (out) => writeValue(out, frame, "", 0));
  useBody(request);
  promiseThen(promiseThen(asked, answered), (response) => {
    done = true;
    resolve(response);
  }, (error) => {
    done = true;
    reject(renamed(failure, "TypeError", join(["fetch failed: ", error.message], "")));
  });
};

const fetchNow = (input, init, failure, resolve, reject) => send(new Request(input, init), failure, resolve, reject);
