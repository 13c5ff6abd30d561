import { GetObjectCommand, HeadObjectCommand, PutObjectCommand, S3Client } from "@aws-sdk/client-s3";

export async function main({ url }) {
  const client = new S3Client({
    region: "eu-central-1", endpoint: url, forcePathStyle: true, maxAttempts: 1,
    credentials: { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "secret" },
  });
  const place = { Bucket: "bucket", Key: "a key.txt" };
  const put = await client.send(new PutObjectCommand({ ...place, Body: "content é", ContentType: "text/plain" }));
  const blob = await client.send(new PutObjectCommand({ ...place, Body: new Uint8Array([1, 2, 3]) }));
  const head = await client.send(new HeadObjectCommand(place));
  const texts = [];
  for (const read of [(body) => body.transformToString(), async (body) => [...await body.transformToByteArray()].length, (body) => new Response(body.transformToWebStream()).text()]) {
    texts.push(await read((await client.send(new GetObjectCommand(place))).Body));
  }
  return [put.ETag, blob.ETag, head.ContentLength, head.Metadata, texts];
}
