// Calls of svc-client.mjs with a `fetch` that answers as it is told. `given` is a list of [EXPRESSION, ANSWER]; printed is, of
// each, what was sent, and the value or the name of the error.

import { SvcClient, SvcError } from "./svc-client.mjs";

const AsyncFunction = (async () => {}).constructor;

async function all(items) {
  const found = [];
  for await (const item of items) found.push(item);
  return found;
}

async function outcome(expression, answer) {
  const requests = [];
  const fetch = async (url, { headers, body = null, ...init }) => {
    const { signal: _, ...flags } = init;
    requests.push({ url, headers, body: body === null ? null : JSON.parse(body), flags });
    return new Response(typeof answer === "string" && headers.Accept !== "application/json" ? answer : JSON.stringify(answer));
  };
  const svc = new SvcClient("https://node.example", { apiKey: "the-key", fetch });
  const call = new AsyncFunction("svc", "all", `return ${expression}`);
  try {
    const value = await call(svc, all);
    const secrets = ["api_key", "usage_api_key", "client_secret"].filter((name) => value?.[name] !== undefined);
    const shown = value instanceof Uint8Array ? new TextDecoder().decode(value) : value;
    return { requests, value: shown, secrets };
  } catch (error) {
    return { requests, error: error instanceof SvcError ? error.name : `foreign: ${error.stack}` };
  }
}

const outcomes = [];
for (const [expression, answer] of given) outcomes.push(await outcome(expression, answer));
console.log(JSON.stringify(outcomes));
