/**
 * Hands a payment's client secret from the dashboard to the payment page, and the payment's state back.
 *
 * Both pages have one origin but no reference to each other: the payment page runs the card processor's script, which must not
 * reach the page that holds a key. A channel with a random name connects them. The name is in the fragment of the payment page's
 * address, the secret in no address. Pages of other origins cannot open the channel.
 */

/** @typedef {{kind: "ready"} | {kind: "payment", clientSecret: string} | {kind: "state", status: string}} Message */

const NAME = /^svc-payment-[0-9a-f]{32}$/;
const ANSWER_MS = 5_000;

/** Client secret of a payment, as the card processor makes it: the payment's id and a secret part. */
export const CLIENT_SECRET = /^pi_[A-Za-z0-9]{4,128}_secret_[A-Za-z0-9]{4,128}$/;

/**
 * Offers a client secret to the payment page until `close` is called. A page that is reloaded gets it again.
 * @param {string} clientSecret
 * @param {(status: string) => void} onState gets the state that the processor's script saw, of any text
 * @returns {{fragment: string, close: () => void}} the fragment with which to open the payment page
 */
export function offerPayment(clientSecret, onState) {
  const random = crypto.getRandomValues(new Uint8Array(16));
  const name = `svc-payment-${Array.from(random, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
  const channel = new BroadcastChannel(name);
  channel.addEventListener("message", ({ data }) => {
    if (data?.kind === "ready") channel.postMessage({ kind: "payment", clientSecret });
    if (data?.kind === "state") onState(String(data.status));
  });
  return { fragment: `#${name}`, close: () => channel.close() };
}

/**
 * Takes the client secret on the payment page.
 * @param {string} fragment of the page's address
 * @returns {Promise<{clientSecret: string, tell: (status: string) => void} | null>} null when nobody offers one
 */
export async function takePayment(fragment) {
  const name = fragment.replace(/^#/, "");
  if (!NAME.test(name)) return null;
  const channel = new BroadcastChannel(name);
  const clientSecret = await new Promise((resolve) => {
    channel.addEventListener("message", ({ data }) => {
      if (data?.kind === "payment") resolve(String(data.clientSecret));
    });
    setTimeout(resolve, ANSWER_MS, null);
    channel.postMessage({ kind: "ready" });
  });
  if (clientSecret === null || !CLIENT_SECRET.test(clientSecret)) {
    channel.close();
    return null;
  }
  return { clientSecret, tell: (status) => channel.postMessage({ kind: "state", status }) };
}
