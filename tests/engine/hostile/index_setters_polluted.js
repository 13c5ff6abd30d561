// expect: NotJson
for (const key of ['0', '1']) Object.defineProperty(Object.prototype, key, { configurable: true, set() { throw new Error('polluted'); }, get() { return 'polluted'; } });
function main() { console.log('a', 'b'); return [1]; }
