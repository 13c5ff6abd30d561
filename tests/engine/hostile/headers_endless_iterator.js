// expect: ActionOutOfMemory ActionTimeout
function main() { new Headers((function* () { for (;;) yield ['a', 'b']; })()); }
