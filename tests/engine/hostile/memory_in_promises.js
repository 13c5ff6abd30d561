// expect: ActionOutOfMemory ActionTimeout
async function main() { const all = []; for (;;) all.push(new Promise(() => {})); }
