import { Wallet } from "ethers";
import { SiweMessage } from "siwe";

export async function main() {
  const wallet = new Wallet(`0x${"11".repeat(32)}`);
  const message = new SiweMessage({
    domain: "example.com", address: wallet.address, statement: "Sign in.", uri: "https://example.com/login", version: "1", chainId: 1, nonce: "abcdefgh12345678",
    issuedAt: "2026-01-01T00:00:00.000Z", resources: ["https://example.com/a"],
  });
  const text = message.prepareMessage();
  const signature = await wallet.signMessage(text);
  const verified = await new SiweMessage(text).verify({ signature });
  const forged = await new SiweMessage(text).verify({ signature, nonce: "another0" }, { suppressExceptions: true });
  return [text, signature, verified.success, forged.success, forged.error.type];
}
