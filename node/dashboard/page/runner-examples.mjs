/** Examples to start from: actions of `examples/actions`, with parameters for the account that looks at them. Pure. */

/**
 * Values that parameters are made of: an address of the account's wallets, the chain's id, and the response of the last run.
 * @typedef {{ wallet: string, chainId: number, response: unknown }} Values
 */

/**
 * @typedef {object} Example
 * @property {string} name
 * @property {string} code
 * @property {(values: Values) => object} parameters
 */

/** @type {readonly Example[]} */
export const EXAMPLES = [
  {
    name: "Sign a message",
    code: `// Signs a message with a wallet whose key never enters the script: the node signs.
// js_params: { pkpId, message }
const main = async ({ pkpId, message }) => {
  const signature = await Svc.Actions.signMessage({ pkpId, message });
  return { message, signer: ethers.utils.verifyMessage(message, signature), signature };
};
`,
    parameters: ({ wallet }) => ({ pkpId: wallet, message: "hello" }),
  },
  {
    name: "Fetch a price and sign it",
    code: `// Fetches a price and signs it as a contract would check it: keccak256 of the ABI coding, as an Ethereum message.
// js_params: { pkpId, url, pair }; the server answers {"price": "3123.45"}
const DECIMALS = 8;

async function main({ pkpId, url, pair }) {
  const response = await fetch(url, { headers: { Accept: "application/json" }, signal: AbortSignal.timeout(10_000) });
  if (!response.ok) return { error: \`the server answered \${response.status}\` };
  const { price } = await response.json();

  const at = Math.floor(Date.now() / 1000);
  const value = ethers.utils.parseUnits(String(price), DECIMALS);
  const payload = ethers.utils.defaultAbiCoder.encode(["string", "uint256", "uint256"], [pair, value, at]);
  const wallet = new ethers.Wallet(await Svc.Actions.getPrivateKey({ pkpId }));
  const signature = await wallet.signMessage(ethers.utils.arrayify(ethers.utils.keccak256(payload)));
  return { pair, price, at, payload, signature };
}
`,
    parameters: ({ wallet }) => ({
      pkpId: wallet,
      url: "https://api.binance.com/api/v3/ticker/price?symbol=ETHUSDT",
      pair: "ETH/USD",
    }),
  },
  {
    name: "Encrypt a text",
    code: `// Encrypts a text that only actions which may use the wallet can read again.
// js_params: { pkpId, secret }
async function main({ pkpId, secret }) {
  return { ciphertext: await Svc.Actions.Encrypt({ pkpId, message: secret }) };
}
`,
    parameters: ({ wallet }) => ({ pkpId: wallet, secret: "only for actions" }),
  },
  {
    name: "Decrypt it",
    code: `// Decrypts what encrypt.js made with the same wallet.
// js_params: { pkpId, ciphertext }
async function main({ pkpId, ciphertext }) {
  return { secret: await Svc.Actions.Decrypt({ pkpId, ciphertext }) };
}
`,
    parameters: ({ wallet, response }) => ({ pkpId: wallet, ciphertext: ciphertextIn(response) }),
  },
  {
    name: "Sign a transaction with ethers",
    code: `// Signs a transaction that sends ether, and does not send it: whoever has it can, with eth_sendRawTransaction.
// js_params: { pkpId, to, amount, nonce, chainId }; amount is in ether, a string
async function main({ pkpId, to, amount, nonce, chainId }) {
  const fees = { maxFeePerGas: ethers.utils.parseUnits("30", "gwei"), maxPriorityFeePerGas: ethers.utils.parseUnits("1", "gwei") };
  const transaction = { type: 2, chainId, nonce, to, value: ethers.utils.parseEther(amount), gasLimit: 21_000, ...fees };
  const raw = await Svc.Actions.signTransaction({ pkpId, transaction });
  const { from, hash } = ethers.utils.parseTransaction(raw);
  return { raw, from, hash };
}
`,
    parameters: ({ wallet, chainId }) => ({ pkpId: wallet, to: wallet, amount: "0.01", nonce: 0, chainId }),
  },
];

/**
 * Returns what the example before it encrypted, or a text that says where to get it.
 * @param {unknown} response
 */
function ciphertextIn(response) {
  const found = typeof response === "object" && response !== null && "ciphertext" in response ? response.ciphertext : null;
  return typeof found === "string" ? found : "run the example that encrypts first";
}
