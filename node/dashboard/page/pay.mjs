/**
 * Payment page: the one page that runs the card processor's script. It gets the client secret of one payment and no key, and asks
 * the node only for the publishable key. The card is entered into the processor's own frame.
 *
 * A link can name any payment, also one that buys credit for somebody else. So the page says whose account it is, and of a payment
 * in its own address it shows the end alone, and only if this tab began it.
 */

import { SvcClient } from "./svc-client.mjs";
import { button, failure, h, load, notice, replace, terms } from "./dom.mjs";
import { form, textField } from "./form.mjs";
import { dollars } from "./format.mjs";
import { CLIENT_SECRET, takePayment } from "./handover.mjs";

/**
 * What the page uses of the processor's script (https://docs.stripe.com/js).
 * `description` is the node's: it names the account whose credit is bought.
 * @typedef {{id: string, status: string, amount: number, currency: string, description?: string | null}} Payment
 * @typedef {{error?: {message?: string}, paymentIntent?: Payment}} Result
 * @typedef {{mount: (target: Element) => void, on: (event: string, handler: (event: any) => void) => void}} PaymentElement
 * @typedef {{create: (kind: "payment") => PaymentElement}} Elements
 * @typedef {object} Processor
 * @property {(options: {clientSecret: string, appearance?: {theme: string}}) => Elements} elements
 * @property {(options: {elements: Elements, confirmParams: {return_url: string}, redirect: "if_required"}) => Promise<Result>} confirmPayment
 * @property {(clientSecret: string) => Promise<Result>} retrievePaymentIntent
 */

/**
 * Payment that was handed over. `isReturn`: the processor's own page has led back here.
 * @typedef {{clientSecret: string, tell: (status: string) => void, isReturn?: boolean}} Handed
 */

/** Fragment with which `svc billing add` opens this page: its own server hands the secret over. */
const FROM_COMMAND = "#command";
const RETURNED = "payment_intent_client_secret";
/** Id of the payment for which this tab may have gone to the processor's own page. It is no secret. */
const BEGUN = "svc.payment.begun";
const FOREIGN = "This address names a payment that was not begun in this tab, so nothing of it is shown. Begin a payment in the dashboard or with `svc billing add`.";
const NOT_HANDED = "No payment was handed over at this address. Begin one with `svc billing add`.";
const UNFINISHED = "The payment was not completed, and nothing was charged. Begin another one in the dashboard or with `svc billing add`.";

/** @type {Record<string, string>} */
const ENDED = {
  succeeded: "The payment succeeded. The node credits it to the account within a minute; the dashboard shows the new balance.",
  processing: "The payment is being processed. The node credits it once it has succeeded, also when every page is closed.",
  requires_capture: "The payment is authorised. The node credits it once it has succeeded.",
  canceled: "The payment was cancelled. Nothing was charged. Begin another one.",
};

const root = /** @type {HTMLElement} */ (document.getElementById("pay"));

/** Removes the client secret that the processor puts into the address after a step on a page of its own, and returns it. */
function returnedSecret() {
  const secret = new URLSearchParams(location.search).get(RETURNED);
  if (location.search !== "") history.replaceState(null, "", location.pathname + location.hash);
  return secret;
}

/**
 * Returns the payment whose secret the address held. Throws unless this tab began it.
 * @param {string} secret
 * @returns {Handed}
 */
function returnedPayment(secret) {
  const begun = sessionStorage.getItem(BEGUN);
  sessionStorage.removeItem(BEGUN);
  if (begun === null || !CLIENT_SECRET.test(secret) || idOf(secret) !== begun) throw new Error(FOREIGN);
  return { clientSecret: secret, tell: () => undefined, isReturn: true };
}

/** @param {string} clientSecret */
function idOf(clientSecret) {
  return clientSecret.split("_secret_")[0] ?? "";
}

/** @returns {Promise<Handed | null>} */
async function handedPayment() {
  const returned = returnedSecret();
  if (returned !== null) return returnedPayment(returned);
  if (location.hash !== FROM_COMMAND) return takePayment(location.hash);
  const response = await fetch("./payment.json", { cache: "no-store", credentials: "omit", redirect: "error" });
  const { client_secret: clientSecret } = await response.json();
  if (typeof clientSecret !== "string" || !CLIENT_SECRET.test(clientSecret)) throw new Error(NOT_HANDED);
  return { clientSecret, tell: () => void fetch("./paid", { method: "POST" }).catch(() => undefined) };
}

/** @param {...import("./dom.mjs").Child} children */
function panel(...children) {
  return h("section", { class: "panel" }, h("h1", {}, "Card payment"), ...children);
}

/** @returns {Promise<Processor>} */
async function openProcessor() {
  const start = /** @type {{Stripe?: (key: string) => Processor}} */ (globalThis).Stripe;
  if (start === undefined) {
    throw new Error("The card processor's script did not load. Allow it in this browser for this page, and reload.");
  }
  return start(await new SvcClient(location.origin).billing.publishableKey());
}

/**
 * @param {Processor} processor
 * @param {Handed} handed
 */
async function showPayment(processor, { clientSecret, tell, isReturn }) {
  const { paymentIntent: payment, error } = await processor.retrievePaymentIntent(clientSecret);
  if (payment === undefined) throw new Error(error?.message ?? "The card processor does not know this payment.");
  const amount = terms([
    ["Amount", `${dollars(payment.amount)} ${payment.currency.toUpperCase()}`],
    ["For", payment.description || "An account that the node does not name. Pay only what you have begun yourself."],
  ]);
  const ended = ENDED[payment.status];
  if (ended !== undefined) {
    tell(payment.status);
    return panel(amount, notice(payment.status === "canceled" ? "warn" : "info", ended));
  }
  return isReturn ? panel(amount, notice("warn", UNFINISHED)) : payable(processor, { clientSecret, tell }, amount);
}

/**
 * @param {Processor} processor
 * @param {Handed} handed
 * @param {HTMLElement} amount
 */
function payable(processor, handed, amount) {
  const theme = matchMedia("(prefers-color-scheme: dark)").matches ? "night" : "stripe";
  const elements = processor.elements({ clientSecret: handed.clientSecret, appearance: { theme } });
  const card = h("div", { id: "card" });
  const message = h("div", { "aria-live": "polite" });
  const element = elements.create("payment");
  element.on("loaderror", (event) => replace(message, notice("error", String(event.error?.message ?? "The card form did not load."))));
  element.mount(card);
  const pay = async () => {
    replace(message);
    // Some ways to pay lead over a page of the processor, which then returns here.
    const confirmParams = { return_url: `${location.origin}${location.pathname}` };
    sessionStorage.setItem(BEGUN, idOf(handed.clientSecret));
    const { error } = await processor.confirmPayment({ elements, confirmParams, redirect: "if_required" });
    sessionStorage.removeItem(BEGUN);
    if (error !== undefined) throw new Error(error.message ?? "The card was not accepted. Nothing was charged.");
    await load(root, () => showPayment(processor, handed));
  };
  const onError = (/** @type {unknown} */ error) => replace(message, failure(error));
  return panel(amount, card, message, button("Pay", pay, { variant: "primary", onError }));
}

/** Asks for the client secret where no page hands one over. */
function askSecret() {
  const secret = textField({
    label: "Payment code",
    help: "The client secret that the dashboard or `svc billing add` shows. It pays this one payment and opens nothing else.",
    required: true,
    code: true,
    check: (value) => (CLIENT_SECRET.test(value.trim()) ? null : "A payment code begins with pi_ and holds _secret_."),
  });
  const submit = async () => start({ clientSecret: secret.value().trim(), tell: () => undefined });
  return panel(form({ fields: [secret], label: "Go on", submit }));
}

/** @param {Handed | null} handed */
async function start(handed) {
  await load(root, async () => {
    const payment = handed ?? (await handedPayment());
    return payment === null ? askSecret() : showPayment(await openProcessor(), payment);
  });
}

void start(null);
