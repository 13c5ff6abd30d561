/** Wallet that is connected in this tab, with the account contract and its transactions. */

import { AccountContract, attestedContract } from "./account-contract.mjs";
import { billingAuth, ChainAccount, masterOf } from "./account-chain.mjs";
import { chooseWallet, confirmTransaction } from "./chain-dialogs.mjs";
import { baseUnits, payTokens } from "./token-payment.mjs";
import { Transactions } from "./transactions.mjs";
import { Wallet, WalletError } from "./wallet.mjs";

/** @typedef {import("./app.mjs").App} App */
/**
 * `config`: the node's attested configuration.
 * @typedef {{wallet: Wallet, contract: AccountContract, transactions: Transactions, config: Record<string, any> | null}} ChainSession
 */

/** @type {WeakMap<App, ChainSession>} */
const sessions = new WeakMap();

/**
 * Returns the session of the wallet that is connected, null without one.
 * @param {App} app
 * @returns {ChainSession | null}
 */
export function currentSession(app) {
  return sessions.get(app) ?? null;
}

/**
 * Returns the session of the connected wallet; without one, lets the reader choose a wallet and connects it, on the node's
 * chain. It ends when the wallet shows another account or disconnects, and when the reader signs in or out.
 * @param {App} app
 * @returns {Promise<ChainSession>}
 * @throws {WalletError}
 */
export async function connectedSession(app) {
  const present = currentSession(app);
  if (present !== null) return present;
  const config = await attestedConfig(app);
  const attested = attestedContract(config);
  const announced = await chooseWallet();
  if (announced === null) throw new WalletError("declined", "No wallet was chosen.");
  const wallet = await Wallet.connect(announced);
  try {
    await wallet.switchTo(attested.chain_id);
    const contract = new AccountContract(wallet, attested);
    await contract.verify();
    const confirm = (/** @type {import("./transactions.mjs").Transaction} */ preview) => confirmTransaction(preview, wallet);
    const transactions = new Transactions(wallet, { chainId: attested.chain_id, confirm });
    const session = { wallet, contract, transactions, config };
    sessions.set(app, session);
    watchEnd(app, wallet);
    return session;
  } catch (error) {
    wallet.close();
    throw error;
  }
}

/**
 * @param {App} app
 * @param {Wallet} wallet
 */
function watchEnd(app, wallet) {
  const left = () => {
    if (app.wallet !== wallet) wallet.close();
  };
  app.addEventListener("session", left);
  wallet.addEventListener("end", () => {
    app.removeEventListener("session", left);
    sessions.delete(app);
    if (app.wallet !== wallet) return;
    app.signOut();
    app.notify("The wallet shows another account, or disconnected. You were signed out.", { error: true });
  });
}

/**
 * Signs in with a wallet: with the account that it administers, or without one, so that it can open one.
 * @param {App} app
 * @throws {WalletError}
 */
export async function signInWithWallet(app) {
  const session = await connectedSession(app);
  const master = await masterOf(session);
  const client = app.newClient({ walletAuth: billingAuth(session.wallet, session.contract.chainId) });
  const account = master === null ? null : new ChainAccount(session, client, master);
  app.signInWithWallet(session.wallet, account, client);
  if (account === null) app.navigate("#/chain");
}

/**
 * Pays tokens of the reader's wallet for the account that is signed in; connects a wallet first if none is. The node
 * credits the deposit after its confirmations, as `client.billing.tokenPayments()` shows.
 * @param {App} app
 * @param {import("./svc-client.mjs").TokenConfig} tokenConfig
 * @param {string} token its address
 * @param {string} amount in whole tokens, as typed: `12.5`
 * @returns {Promise<import("./wallet.mjs").Receipt>} of the deposit
 * @throws {WalletError}
 */
export async function payWithTokens(app, tokenConfig, token, amount) {
  const chosen = tokenConfig.tokens.find((each) => each.address === token);
  if (chosen === undefined) throw new WalletError("refused", "The node takes no such token.");
  const units = baseUnits(amount, chosen.decimals);
  if (units === null) throw new WalletError("refused", `Type an amount in ${chosen.symbol}, for instance 12.5, with at most ${chosen.decimals} decimals.`);
  const session = await connectedSession(app);
  const account = BigInt(tokenConfig.how_to_pay.account_hash);
  if (app.account instanceof ChainAccount && app.account.master !== account) {
    throw new WalletError("refused", "The node names another account than the wallet's. Nothing was sent.");
  }
  if (tokenConfig.chain_id !== session.contract.chainId) throw new WalletError("chain", "The node takes tokens on another chain than its account contract's.");
  const order = { account, token: chosen, amount: units, deposit: tokenConfig.deposit_contract, confirmations: tokenConfig.confirmations };
  return payTokens(session, order, session.config);
}

/** @param {App} app */
async function attestedConfig(app) {
  if (app.verification === null) await new Promise((resolve) => app.addEventListener("verification", resolve, { once: true }));
  return app.verification?.config ?? null;
}
