// The only function that the worker calls. It takes an operation and JSON, and returns a text.
let ended = false;
/** Maximum characters of a frame and of a log line, given with the job. */
let longestFrame = 0;
let longestLine = 0;

/** Sends a frame. A longer one is cut above the limit, and the node reports the limit. */
const deliver = (kind, text) => {
  if (!ended) emit(kind, text.length > longestFrame ? substring(text, 0, longestFrame + 1) : text);
};

const end = (kind, text) => {
  deliver(kind, text);
  ended = true;
};

/** Recognises the engine's lack of memory, a SyntaxError if a regular expression lacks it. */
const saysOutOfMemory = (name, message) => message === "out of memory"
  ? name === "InternalError" || name === "SyntaxError"
  : name === "InternalError" && message === "out of memory in regexp execution";

/** Without memory for an error the engine throws null, or an error that does not name memory. */
const isOutOfMemory = (thrown) => {
  const name = errorIs(thrown) ? textOr("", () => thrown.name) : "";
  if (name !== "" && saysOutOfMemory(name, textOr("", () => thrown.message))) return true;
  return (thrown === null || name === "InternalError") && memoryStayedBelow() !== "below";
};

/**
 * Ends the action with an error. Only its texts go through the engine's JSON, which breaks for an
 * object if the action made an index of Object.prototype read-only.
 */
const endWithError = ({ name, message, stack }) => {
  const parts = ['{"name":', stringify(name), ',"message":', stringify(message), ',"stack":', stringify(stack), "}"];
  end("E", join(parts, ""));
};

/** Tries to end the action with a thrown value. Out of memory has no text, which may not fit. */
const attemptToFail = (thrown, otherwise) => {
  try {
    if (isOutOfMemory(thrown)) end("M", "");
    else endWithError(describe(thrown));
  } catch (again) {
    if (isOutOfMemory(again)) end("M", "");
    else otherwise();
  }
};

/** Ends the action with a thrown value. */
const fail = (thrown) => {
  if (ended) return;
  attemptToFail(thrown, () => {
    // A listener far down the stack left no room to describe its error. A job of its own has it.
    nativeQueueMicrotask(() => {
      ended = false;
      attemptToFail(thrown, () => end("X", ""));
    });
    ended = true;
  });
};

const failNamed = (name, message) => {
  endWithError({ __proto__: null, name, message, stack: join([name, message], ": ") });
};

const asJson = (value) => {
  let json;
  try {
    json = stringify(value);
  } catch (thrown) {
    if (errorIs(thrown) && thrown.name === "InternalError") throw thrown;
    throw namedError("NotJson", join(["The action's response is not JSON: ", describe(thrown).message], ""));
  }
  if (json === undefined && value !== undefined) {
    throw namedError("NotJson", join(["The action's response is not JSON: it is a ", typeof value], ""));
  }
  return json;
};

const runMain = async (main, params) => {
  try {
    const json = asJson(await main(params));
    end("D", json !== undefined ? json : olderResponse !== undefined ? olderResponse : "null");
  } catch (thrown) {
    fail(thrown);
  }
};

const start = (job) => {
  fix("SvcHeaders", freeze(job.headers));
  longestFrame = job.longestFrame;
  longestLine = job.longestLine;
  startClock();
  let main;
  try {
    main = evaluate(join([job.code, "\n;typeof main === 'undefined' ? undefined : main"], ""));
  } catch (thrown) {
    fail(thrown);
    return;
  }
  if (typeof main !== "function") failNamed("MissingMain", "The code defines no function called `main`.");
  else runMain(main, job.params);
};

/** "" when the action has ended, else the milliseconds until a timer is due, "-1" for none. */
const next = () => {
  if (ended) return "";
  const timer = earliestTimer();
  if (timer !== undefined) return NativeString(ceil(max(timer.due - now(), 0)));
  let waiting = false;
  mapForEach(pending, () => { waiting = true; });
  if (waiting) return "-1";
  // Without room the engine cannot even reject the promise of an async function.
  if (memoryStayedBelow() !== "below") end("M", "");
  else failNamed("NeverSettled", "`main` returned a promise that nothing can settle: no call and no timer is pending.");
  return "";
};

const bridge = (operation, text) => {
  if (operation === "start") start(parse(text));
  else if (operation === "settle") {
    const answer = parse(text);
    settleCall(answer[0], answer[1], answer[2]);
  } else if (operation === "tick") fireTimer();
  else if (operation === "next") return next();
  return "";
};
