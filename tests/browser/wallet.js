// The page's side of the test wallet: an EIP-1193 provider that asks the test, announced by EIP-6963.
(() => {
  const ask = globalThis.testWalletRequest;
  delete globalThis.testWalletRequest;
  const waiting = new Map();
  const listeners = new Map();
  let requests = 0;
  const provider = {
    request({ method, params }) {
      return new Promise((resolve, reject) => {
        requests += 1;
        waiting.set(requests, { resolve, reject });
        ask(JSON.stringify({ id: requests, method, params }));
      });
    },
    on(event, listener) {
      listeners.set(event, [...(listeners.get(event) ?? []), listener]);
      return this;
    },
    removeListener(event, listener) {
      listeners.set(event, (listeners.get(event) ?? []).filter((each) => each !== listener));
      return this;
    },
  };
  globalThis.testWallet = {
    answer(id, { result, error }) {
      const { resolve, reject } = waiting.get(id);
      waiting.delete(id);
      if (error === undefined) resolve(result ?? null);
      else reject(Object.assign(new Error(error.message), { code: error.code, data: error.data }));
    },
    emit(event, value) {
      for (const listener of listeners.get(event) ?? []) listener(value);
    },
  };
  const detail = Object.freeze({ info: Object.freeze(ANNOUNCEMENT), provider });
  const announce = () => dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail }));
  addEventListener("eip6963:requestProvider", announce);
  announce();
})();
