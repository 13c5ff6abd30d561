// expect: ActionResponseLimit
function main() { return '\ud800'.repeat(200000); }
