import ky from "ky";

export async function main({ url }) {
  const form = new FormData();
  form.append("text", "é");
  form.append("file", new Blob(["content"], { type: "text/plain" }), "a.txt");
  const progress = [];
  const answers = [
    await ky.post(`${url}/echo`, { json: { a: [1, "é"] } }).json(),
    await ky.post(`${url}/echo`, { body: form }).text(),
    await ky.post(`${url}/echo`, { body: new URLSearchParams({ q: "a b" }) }).text(),
    await ky.get("text", { prefix: url, searchParams: { q: 1 }, onDownloadProgress: ({ transferredBytes, totalBytes }) => progress.push([transferredBytes, totalBytes]) }).text(),
    await ky.get(`${url}/flaky`, { retry: { limit: 2, delay: () => 1 } }).text(),
    await ky.get(`${url}/gone`, { retry: 0 }).text().catch((error) => [error.name, error.response.status]),
  ];
  return [answers, progress];
}
