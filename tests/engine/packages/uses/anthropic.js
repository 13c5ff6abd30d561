import Anthropic from "@anthropic-ai/sdk";

export async function main({ url }) {
  const client = new Anthropic({ apiKey: "key", baseURL: url, maxRetries: 0, dangerouslyAllowBrowser: true });
  const question = { model: "m", max_tokens: 9, messages: [{ role: "user", content: "say hi" }] };
  const whole = await client.messages.create(question);
  const heard = [];
  const stream = client.messages.stream(question).on("text", (text) => heard.push(text));
  const final = await stream.finalMessage();
  const events = [];
  for await (const event of await client.messages.create({ ...question, stream: true })) events.push(event.type);
  return [whole.content, heard, final.content, final.stop_reason, events];
}
