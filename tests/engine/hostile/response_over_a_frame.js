// expect: ActionResponseLimit
function main() { return 'é'.repeat(5 << 20); }
