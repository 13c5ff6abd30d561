// Signs an order only when it has the form that zod describes; what is wrong with another one is the answer.
// js_params: { pkpId, order: { id, amount, currency, to } }
import { z } from "zod";

const Order = z.object({
  id: z.string().uuid(),
  amount: z.number().int().positive().max(1_000_000),
  currency: z.enum(["EUR", "USD"]),
  to: z.string().regex(/^0x[0-9a-fA-F]{40}$/, "no address"),
}).strict();

export async function main({ pkpId, order }) {
  const read = Order.safeParse(order);
  if (!read.success) {
    return { refused: read.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`) };
  }
  const message = JSON.stringify(read.data);
  return { message, signature: await Svc.Actions.signMessage({ pkpId, message }) };
}
