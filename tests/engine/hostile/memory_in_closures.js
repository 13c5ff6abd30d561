// expect: ActionOutOfMemory
function main() { let f = () => 1; for (;;) { const g = f; f = () => g; } }
