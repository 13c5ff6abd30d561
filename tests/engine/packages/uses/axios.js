import axios from "axios";

export async function main({ url }) {
  const client = axios.create({ baseURL: url, adapter: "fetch" });
  const form = new FormData();
  form.append("file", new File([new Uint8Array([0, 255])], "a.bin", { type: "application/x-own" }));
  const answers = [
    (await client.post("/echo", { a: 1 })).data,
    (await client.postForm("/echo", { a: 1, list: [1, 2], "file[]": new Blob(["x"], { type: "text/plain" }) })).data,
    (await client.post("/echo", form)).data,
    (await client.post("/echo", new URLSearchParams({ q: "a b" }))).data,
    (await client.get("/text", { responseType: "arraybuffer" })).data.byteLength,
    await new Response((await client.get("/text", { responseType: "stream" })).data).text(),
    (await client.get("/text", { responseType: "blob" })).data.size,
    await client.get("/gone").catch((error) => [error.name, error.code, error.response.status]),
  ];
  return answers;
}
