// expect: ActionTimeout
async function main() {
  await fetch('http://h/', { method: 'POST', body: { [Symbol.asyncIterator]: () => ({ next: async () => ({ done: false, value: '' }) }) }, duplex: 'half' });
}
