// expect: ActionResponseLimit
function main() { return 'x'.repeat(2 << 20); }
