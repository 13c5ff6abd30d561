// expect: ok [40,"a","a\";"]
// What a server answers must not take an action's time: each form below was read in quadratic time.
async function main() {
  const read = async (body, type) => [...await new Response(body, { headers: { 'content-type': type } }).formData()];
  const part = `--B\r\nContent-Disposition: form-data; name="a"${';'.repeat(16000)}\r\n\r\n\r\n`;
  const many = await read(part.repeat(40) + '--B--', 'multipart/form-data; boundary=B');
  const [[name]] = await read(part + '--B--', `multipart/form-data${';a'.repeat(30000)}; boundary=B`);
  const typed = await new Response('', { headers: { 'content-type': `a/b;x="${'\\"'.repeat(30000)}a\\";"` } }).blob();
  return [many.length, name, JSON.parse(typed.type.slice(6)).slice(-3)];
}
