/** Polling of the node's health. */

/** Seconds behind the chain from which a reader is warned. */
export const LAG_MAX_S = 30;

const INTERVAL_S = 30;
const TROUBLED_INTERVAL_S = 10;
const TIMEOUT_MS = 10_000;

/**
 * State of the node as last read. `health` is null when it could not be had, and `error` says why.
 * @typedef {{health: Record<string, any> | null, error: string | null}} HealthState
 */

/** Reads `/health` at least every thirty seconds; dispatches `change` after each read. */
export class HealthWatch extends EventTarget {
  /** @type {HealthState | null} null before the first read is over */
  state = null;

  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;

  #isStopped = false;

  /** Reads at once, then at intervals, and when the browser notices that the network came or went. */
  start() {
    for (const event of ["online", "offline"]) addEventListener(event, () => void this.#read());
    void this.#read();
  }

  /** Reads no more. */
  stop() {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  async #read() {
    clearTimeout(this.#timer);
    if (this.#isStopped) return;
    const state = await readHealth();
    clearTimeout(this.#timer);
    if (this.#isStopped) return;
    this.state = state;
    this.#timer = setTimeout(() => void this.#read(), nextReadInS(state) * 1000);
    this.dispatchEvent(new Event("change"));
  }
}

/**
 * Returns the seconds to wait before the next read. A listener that has just stopped is a lag that grows by a second each
 * second: the next read is made when it would be too large.
 * @param {HealthState} state
 */
export function nextReadInS({ health }) {
  const lag = health?.["account_event_listener_lag_seconds"];
  if (typeof lag !== "number" || lag > LAG_MAX_S) return TROUBLED_INTERVAL_S;
  return Math.min(INTERVAL_S, LAG_MAX_S - lag + 1);
}

/** @returns {Promise<HealthState>} */
async function readHealth() {
  try {
    const response = await fetch("/health", {
      cache: "no-store",
      credentials: "omit",
      redirect: "error",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    // A node that is down answers 503 with the same document.
    const health = await response.json();
    if (typeof health !== "object" || health === null || typeof health.status !== "string") {
      return { health: null, error: "The node's answer about its health cannot be read." };
    }
    return { health, error: null };
  } catch {
    return { health: null, error: "The node does not answer, or this computer is offline." };
  }
}
