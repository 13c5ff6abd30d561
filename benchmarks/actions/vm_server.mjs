// Baseline: node's own http and vm, a fresh context for each request, which isolates nothing.
// With a library's path as argument, that library is loaded into each context, as one action after another would.
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createContext, Script } from "node:vm";

const KEY = "0x" + "11".repeat(32);
const library = process.argv[2] && new Script(readFileSync(process.argv[2], "utf8"), { filename: "library.js" });
const actions = { getPrivateKey: async () => KEY };
const globals = { console, setTimeout, clearTimeout, atob, btoa, crypto, TextEncoder, TextDecoder, URL };

async function run({ code, js_params }) {
  const context = createContext({ ...globals, Svc: { Actions: actions }, params: js_params });
  if (library) library.runInContext(context);
  return new Script(`${code}\nmain(params)`, { filename: "action.js" }).runInContext(context);
}

const server = createServer((request, response) => {
  const chunks = [];
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("end", async () => {
    let answer;
    try {
      answer = { response: await run(JSON.parse(Buffer.concat(chunks))), has_error: false };
    } catch (error) {
      answer = { response: String(error), has_error: true };
    }
    const body = JSON.stringify(answer);
    response.writeHead(200, { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(body) });
    response.end(body);
  });
});
server.keepAliveTimeout = 0; // or a connection that waits for its turn is closed
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
