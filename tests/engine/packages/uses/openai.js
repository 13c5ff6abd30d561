import OpenAI, { toFile } from "openai";

export async function main({ url }) {
  const client = new OpenAI({ apiKey: "key", baseURL: `${url}/v1`, maxRetries: 0, dangerouslyAllowBrowser: true });
  const messages = [{ role: "user", content: "say hi" }];
  const whole = await client.chat.completions.create({ model: "m", messages });
  const pieces = [];
  for await (const event of await client.chat.completions.create({ model: "m", messages, stream: true })) {
    pieces.push(event.choices[0].delta.content);
  }
  const file = await client.files.create({ file: await toFile(new TextEncoder().encode('{"a":1}\n'), "lines.jsonl"), purpose: "batch" });
  const content = await (await client.files.content("file-1")).text();
  const refused = await client.models.list().then(() => "listed", (error) => [error.status, error.constructor.name, error.message]);
  return [whole.choices[0].message.content, pieces, file.id, content, refused];
}
