// Wallet for tests, as a browser extension injects one: an EIP-1193 provider with a real key before a real chain.
// Importers name the folder of the packages: its modules are outside of the folder of the page.

export async function walletOf(packages, key, chainUrl) {
  const { Wallet } = await import(`${packages}/ethers6/lib.esm/index.js`);
  return new TestWallet(new Wallet(key), chainUrl);
}

export async function rpc(url, method, ...params) {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const answer = await (await fetch(url, { method: "POST", headers: { "Content-Type": "application/json" }, body })).json();
  if (answer.error) throw answer.error;
  return answer.result;
}

class TestWallet {
  // What the owner does and what the wallet shows, for tests to change; `asked` names every method in order.
  accounts;
  chainId = null;
  declines = new Set();
  knowsChain = true;
  asked = [];
  beforeSending = async () => {};
  lie = null;
  raw = null;
  #signer;
  #url;
  #listeners = {};

  constructor(signer, url) {
    this.#signer = signer;
    this.#url = url;
    this.accounts = [signer.address.toLowerCase()];
  }

  announced() {
    return { id: "test", name: "Test wallet", icon: "", provider: this };
  }

  on(event, listener) {
    (this.#listeners[event] ??= new Set()).add(listener);
  }

  removeListener(event, listener) {
    this.#listeners[event]?.delete(listener);
  }

  emit(event, value) {
    for (const listener of this.#listeners[event] ?? []) listener(value);
  }

  listening() {
    return Object.values(this.#listeners).reduce((sum, each) => sum + each.size, 0);
  }

  async request({ method, params = [] }) {
    this.asked.push(method);
    if (this.declines.has(method)) throw { code: 4001, message: "User rejected the request." };
    const lie = this.lie?.(method, params);
    if (lie !== undefined && lie !== null) return lie;
    switch (method) {
      case "eth_requestAccounts":
      case "eth_accounts":
        return this.accounts;
      case "eth_chainId":
        return this.chainId ?? rpc(this.#url, "eth_chainId");
      case "wallet_switchEthereumChain":
        if (!this.knowsChain) throw { code: 4902, message: "Unrecognized chain" };
        this.chainId = params[0].chainId;
        this.emit("chainChanged", this.chainId);
        return null;
      case "eth_signTypedData_v4":
        return this.#sign(...params);
      case "eth_sendTransaction":
        return this.#send(params[0]);
    }
    try {
      return await rpc(this.#url, method, ...params);
    } catch (error) {
      // As a well-known extension hands on what its provider said.
      throw { code: -32603, message: "Internal JSON-RPC error.", data: error };
    }
  }

  #sign(address, text) {
    if (address !== this.#signer.address) throw { code: 4100, message: "Unauthorized" };
    const { types, domain, message } = JSON.parse(text);
    const { EIP712Domain: _, ...own } = types;
    return this.#signer.signTypedData(domain, own, message);
  }

  async #send({ from, to, data, value }) {
    if (from !== this.#signer.address) throw { code: 4100, message: "Unauthorized" };
    await this.beforeSending();
    return this.sign({ to, data, value });
  }

  // Signs and sends whatever its owner likes; `raw` is the last that was sent.
  async sign({ to, data, value, ...more }) {
    const from = this.#signer.address;
    const ask = (method, ...params) => rpc(this.#url, method, ...params);
    const gas = await ask("eth_estimateGas", { from, to, data, value }).catch(() => "0x7a1200");
    const transaction = {
      type: 2, chainId: Number(await ask("eth_chainId")), nonce: Number(await ask("eth_getTransactionCount", from, "pending")),
      gasLimit: (BigInt(gas) * 12n) / 10n, maxFeePerGas: 10n ** 11n, maxPriorityFeePerGas: 10n ** 9n, to, data, value, ...more,
    };
    this.raw = await this.#signer.signTransaction(transaction);
    return ask("eth_sendRawTransaction", this.raw);
  }
}
