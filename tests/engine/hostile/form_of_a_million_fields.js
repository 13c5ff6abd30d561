// expect: TypeError
async function main() {
  const body = 'a&'.repeat(1 << 20);
  return new Response(body, { headers: { 'content-type': 'application/x-www-form-urlencoded' } }).formData();
}
