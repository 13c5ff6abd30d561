/**
 * Watch for the end of the `svc dashboard` that serves a page on loopback: whoever listens at its address afterwards must get no
 * key. Its answer `/dashboard/alive` ends with it.
 *
 * A browser opens six connections to a server at most, so not every tab holds one: two tabs do, and tell the others. With two, one of
 * them still watches when the tab of the other is closed. A tab that is closed or killed loses its lock, and the next one takes it.
 */

const LOCKS = ["svc-dashboard-alive-1", "svc-dashboard-alive-2"];
const CHANNEL = "svc-dashboard-alive";
const LOOPBACK = /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/;

/** @param {string} hostname */
export function isLoopback(hostname) {
  return LOOPBACK.test(hostname);
}

/**
 * Watches the server of this page. Resolves when it is known whether there is an end to watch for: to true with the first byte of the
 * answer that ends with `svc dashboard`, or when the server is another one; to false after the end. Until then nobody may enter a key.
 * @param {{protocol: string, hostname: string}} address of the page
 * @param {() => void} onEnd runs once, when `svc dashboard` has ended or cannot be reached
 * @returns {Promise<boolean>}
 */
export function watchServer({ protocol, hostname }, onEnd) {
  // `svc dashboard` serves plain HTTP on loopback and nothing else.
  if (protocol !== "http:" || !isLoopback(hostname)) return Promise.resolve(true);
  return new Promise((resolve) => {
    let isAlive = false;
    let hasEnded = false;
    const channel = new BroadcastChannel(CHANNEL);
    const alive = () => {
      isAlive = true;
      resolve(true);
    };
    const end = () => {
      if (hasEnded) return;
      hasEnded = true;
      channel.close();
      onEnd();
      resolve(false);
    };
    const hold = async () => {
      // It waited for its turn, and was told of the end meanwhile: nothing is asked of whoever listens there now.
      if (hasEnded) return;
      const isServed = await followed(() => {
        alive();
        if (!hasEnded) channel.postMessage("alive");
      });
      // Another server, such as a node on this machine: each tab asks it once.
      if (!isServed) return resolve(true);
      if (!hasEnded) channel.postMessage("ended");
      end();
    };
    channel.addEventListener("message", ({ data }) => {
      if (data === "ask" && isAlive) channel.postMessage("alive");
      if (data === "alive") alive();
      if (data === "ended") end();
    });
    channel.postMessage("ask");
    void withOneOf(LOCKS, hold);
  });
}

/**
 * Runs this while one of the locks is held, by this tab alone. A browser that has no locks for this address runs it at once.
 * @param {readonly string[]} names
 * @param {() => Promise<void>} hold
 */
async function withOneOf(names, hold) {
  if (navigator.locks === undefined) return hold();
  const chosen = new AbortController();
  await Promise.allSettled(names.map((name) =>
    navigator.locks.request(name, { signal: chosen.signal }, () => {
      if (chosen.signal.aborted) return undefined;
      chosen.abort();
      return hold();
    })));
}

/**
 * Follows the answer that ends with `svc dashboard`. Returns whether there was one: 204 alone says that there is none. Without a
 * deadline: a tab that has no connection yet may wait for one.
 * @param {() => void} onFirstByte
 */
async function followed(onFirstByte) {
  try {
    const response = await fetch("./alive", { cache: "no-store", credentials: "omit", redirect: "error" });
    if (response.status === 204) return false;
    const reader = response.ok ? response.body?.getReader() : undefined;
    for (let part = await reader?.read(); part !== undefined && !part.done; part = await reader?.read()) onFirstByte();
  } catch {
    // A connection that breaks off is the usual end.
  }
  return true;
}
