// Calls with the types that openapi-typescript generates, as a developer writes them. Prints what was answered.
import createClient from "openapi-fetch";
import type { components, paths } from "./api.js";

declare const process: { argv: string[] };

const baseUrl = process.argv[2] ?? "";

async function main(): Promise<void> {
  const anonymous = createClient<paths>({ baseUrl });
  const account = await anonymous.POST("/new_account", { body: { account_name: "generated" } });
  if (!account.data) throw new Error(account.error.message);
  const client = createClient<paths>({ baseUrl, headers: { "X-Api-Key": account.data.api_key } });
  const nameless = await client.POST("/create_wallet");
  const named = await client.POST("/create_wallet", { body: { name: "Treasury" } });
  if (!nameless.data || !named.data) throw new Error("no wallet");
  const wallets = await client.GET("/list_wallets");
  const run: components["schemas"]["SvcActionRequest"] = { code: "function main() { return 6 * 7; }" };
  const ran = await client.POST("/svc_action", { body: run });
  const actions = await client.GET("/list_actions", { params: { query: { group_id: 0 } } });
  const missing = await client.POST("/add_pkp_to_group", { body: { group_id: 7, pkp_id: "0" } });
  const error: components["schemas"]["ErrorAnswer"] | undefined = missing.error;
  const block: number | undefined = named.data.block_number;
  if (block === undefined) throw new Error("no block");
  const names = wallets.data?.map((wallet) => wallet.name);
  console.log(JSON.stringify({ names, response: ran.data?.response, actions: actions.data, error: error?.error }));
}

await main();
