// Runs calls of svc-client.mjs against servers of this process that answer as they are told, all at once, and prints what came
// of each. `given` is {NAME: {options, call, answers, nobody}}; `call` is an expression of `svc`, `all` and `controller`.

import { once } from "node:events";
import { createServer } from "node:net";
import { inspect } from "node:util";
import * as client from "./svc-client.mjs";

const LIMIT_BYTES = 17 * 1024 * 1024; // more than the client reads
const AsyncFunction = (async () => {}).constructor;
const KEY = "A".repeat(43) + "=";

/** Reads one request, whole. */
function requestOf(socket) {
  return new Promise((resolve) => {
    let text = "";
    socket.on("data", (data) => {
      text += data.toString("latin1");
      const end = text.indexOf("\r\n\r\n");
      if (end < 0) return;
      const [first, ...lines] = text.slice(0, end).split("\r\n");
      const headers = Object.fromEntries(lines.map((line) => [line.split(":", 1)[0].toLowerCase(), line.slice(line.indexOf(":") + 2)]));
      const body = text.slice(end + 4);
      if (body.length < Number(headers["content-length"] ?? 0)) return;
      const [method, path] = first.split(" ");
      resolve({ method, path, headers, body });
    });
  });
}

/** Answers as `answer` says: {status, headers, body} or the name of a lie. "cancel": the caller gives up; `cancels`: after it was answered. */
function give(socket, answer, controller) {
  const head = (status, more) => `HTTP/1.1 ${status} Told\r\n${more}connection: close\r\n\r\n`;
  if (answer === "reset") socket.resetAndDestroy();
  else if (answer === "garbage") socket.end("\0\x01 this is no HTTP\r\n\r\n");
  else if (answer === "half") socket.end(head(200, "content-length: 100\r\n") + "[");
  else if (answer === "drip") {
    socket.write(head(200, ""));
    const timer = setInterval(() => socket.write(" "), 20);
    socket.on("close", () => clearInterval(timer));
  } else if (answer === "flood") socket.end(head(200, "") + `"${"a".repeat(LIMIT_BYTES)}"`);
  else if (answer === "cancel") controller.abort(new Error("mine"));
  else if (answer !== "silence") {
    const { status = 200, headers = {}, body = "", cancels } = answer;
    if (cancels) socket.on("close", () => setTimeout(() => controller.abort(new Error("mine")), 300));
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.end(Buffer.concat([Buffer.from(head(status, lines.join(""))), Buffer.from(body, "latin1")]));
  }
}

/** Server that answers its requests one after the other; the last answer is repeated. */
async function liar(answers, controller) {
  const requests = [];
  const sockets = new Set();
  const server = createServer(async (socket) => {
    sockets.add(socket);
    socket.on("error", () => {}); // the client may close before it has read everything
    socket.on("close", () => sockets.delete(socket));
    const request = await requestOf(socket);
    requests.push(request);
    give(socket, answers[Math.min(requests.length, answers.length) - 1], controller);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const close = () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  return { url: `http://127.0.0.1:${server.address().port}`, requests, close };
}

async function all(items) {
  const found = [];
  for await (const item of items) found.push(item);
  return found;
}

/** An error as a test can compare it. `shown` is everything that a log would show. */
function told(error) {
  if (!(error instanceof client.SvcError)) return { foreign: inspect(error) };
  const { name, message, status, code, fix, requestId, details, missing, transactionHash } = error;
  const kind = Object.entries(client).find(([, each]) => each === error.constructor)?.[0];
  const shown = inspect(error) + JSON.stringify(error) + String(error.stack);
  return { kind, name, message, status, code, fix, requestId, details, missing, transactionHash, shown };
}

async function outcome({ options = {}, call, answers, nobody = false }) {
  const controller = new AbortController();
  const server = await liar(answers, controller);
  if (nobody) server.close();
  try {
    const walletAuth = options.signed && (() => options.signed);
    const { signed, withKey, ...given } = options;
    const svc = new client.SvcClient(server.url, { ...given, ...(withKey && { apiKey: KEY }), ...(walletAuth && { walletAuth }) });
    const names = ["svc", "all", "controller"];
    const run = new AsyncFunction(...names, `return ${call}`);
    const result = await run(svc, all, controller).then((value) => ({ value }), (error) => ({ error: told(error) }));
    const shown = inspect(svc, { depth: 9, showHidden: true }) + JSON.stringify(svc);
    return { ...result, requests: server.requests, shown };
  } finally {
    if (!nobody) server.close();
  }
}

const outcomes = await Promise.all(Object.entries(given).map(async ([name, each]) => [name, await outcome(each)]));
console.log(JSON.stringify(Object.fromEntries(outcomes)));
