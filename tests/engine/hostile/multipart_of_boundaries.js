// expect: ok 10000
async function main() {
  const read = (body) => new Response(body, { headers: { 'content-type': 'multipart/form-data; boundary=B' } }).formData();
  const part = '--B\r\nContent-Disposition: form-data; name="a"\r\n\r\n\r\n';
  for (const bad of ['--B', '--B\r\n'.repeat(1e5), '\r\n--'.repeat(1e5), part.repeat(10001) + '--B--', '--B\r\n' + ';'.repeat(1e6)]) {
    try { await read(bad); return bad.slice(0, 60); } catch (e) { if (!(e instanceof TypeError)) throw e; }
  }
  return [...await read(part.repeat(10000) + '--B--')].length;
}
