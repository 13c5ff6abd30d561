// expect: ActionOutOfMemory ActionTimeout
function main() { new URLSearchParams((function* () { for (;;) yield ['a', 'b']; })()); }
