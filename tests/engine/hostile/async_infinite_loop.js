// expect: ActionTimeout
async function main() { while (true) await null; }
