/** Polling of the node's health. */

const INTERVAL_MS = 30_000;
const TIMEOUT_MS = 10_000;

/**
 * State of the node as last read. `health` is null when it could not be had, and `error` says why.
 * @typedef {{health: Record<string, any> | null, error: string | null, readAt: number}} HealthState
 */

/** Reads `/health` every thirty seconds; dispatches `change` after each read. */
export class HealthWatch extends EventTarget {
  /** @type {HealthState | null} null before the first read is over */
  state = null;

  /** @type {ReturnType<typeof setInterval> | undefined} */
  #timer;

  /** Reads at once and then at intervals. */
  start() {
    if (this.#timer !== undefined) return;
    void this.read();
    this.#timer = setInterval(() => void this.read(), INTERVAL_MS);
  }

  /** Reads once. */
  async read() {
    this.state = await readHealth();
    this.dispatchEvent(new Event("change"));
  }
}

/** @returns {Promise<HealthState>} */
async function readHealth() {
  const readAt = Date.now();
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
      return { health: null, error: "The node's answer about its health cannot be read.", readAt };
    }
    return { health, error: null, readAt };
  } catch {
    return { health: null, error: "The node does not answer, or this computer is offline.", readAt };
  }
}
