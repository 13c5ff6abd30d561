// expect: ok [1,2]
const after = (delay) => new Promise((resolve) => setTimeout(resolve, delay));
async function main() {
  await after(Infinity);
  await after(2 ** 31);
  return [1, 2];
}
