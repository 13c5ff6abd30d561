import { createOpenAI } from "@ai-sdk/openai";
import { generateText, streamText } from "ai";

export async function main({ url }) {
  const model = createOpenAI({ apiKey: "key", baseURL: `${url}/v1` }).chat("m");
  const { text, usage } = await generateText({ model, prompt: "say hi", maxRetries: 0 });
  const pieces = [];
  const streamed = streamText({ model, prompt: "say hi", maxRetries: 0 });
  for await (const piece of streamed.textStream) pieces.push(piece);
  return [text, usage.totalTokens, pieces, await streamed.finishReason];
}
