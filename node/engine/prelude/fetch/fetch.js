// fetch is one call to the node, which checks the address and returns the whole response.
let fetchCalls = 0;

/** Characters of a frame beside the body, for names and twice the rest of the request (UTF-8). */
const FRAME_SHARE = 65536;

const requestFrame = (request, call) => {
  const pairs = list();
  const headers = headerList(request.headers);
  let length = FRAME_SHARE;
  for (let i = 0; i < headers.length; i += 1) {
    append(pairs, setPrototypeOf([headers[i].name, headers[i].value], null));
    length += 8 + 2 * (headers[i].name.length + headers[i].value.length);
  }
  const url = urlPart().urlText(recordOfRequest(request), false);
  const body = bodyOf(request);
  length += 2 * url.length + (body === null ? 0 : body.length);
  if (length > longestFrame) throw new TypeError("fetch: the request is too large: a body may have about 3 MB here.");
  return { __proto__: null, url, method: request.method, headers: pairs, body, redirect: request.redirect, call };
};

const answered = (answer) => responseOf({
  __proto__: null, status: answer.status, statusText: answer.statusText, headers: headersOf(answer.headers), url: answer.url,
  redirected: answer.redirected, type: "basic", body: isNullBodyStatus(answer.status) ? null : answer.body,
});

const ignored = () => undefined;

const send = (request, failure, resolve, reject) => {
  const { scheme } = recordOfRequest(request);
  if (request.signal.aborted) throw request.signal.reason;
  if (scheme !== "http:" && scheme !== "https:") throw renamed(failure, "TypeError", "fetch: only http and https are there.");
  fetchCalls += 1;
  const call = fetchCalls;
  let done = false;
  const frame = requestFrame(request, call);
  const asked = ask("fetch", (out) => writeValue(out, frame, "", 0));
  useBody(request);
  promiseThen(promiseThen(asked, answered), (response) => {
    done = true;
    resolve(response);
  }, (error) => {
    done = true;
    reject(renamed(failure, "TypeError", join(["fetch failed: ", error.message], "")));
  });
  abortPart().whenAborted(request.signal, (reason) => {
    if (done) return;
    promiseThen(ask("fetchAbort", (out) => writeValue(out, { __proto__: null, call }, "", 0)), ignored, ignored);
    reject(reason);
  });
};

const fetchNow = (input, init, failure, resolve, reject) => send(new Request(input, init), failure, resolve, reject);
