// expect: ActionTimeout ActionOutOfMemory
async function main() { for (;;) { AbortSignal.timeout(0); await null; } }
