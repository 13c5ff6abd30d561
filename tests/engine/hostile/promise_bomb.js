// expect: ActionTimeout ActionOutOfMemory
async function main() { const f = () => Promise.all([f, f].map((g) => Promise.resolve().then(g))); await f(); }
