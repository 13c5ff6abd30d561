// expect: ActionResponseLimit
function main() { return new Array(500000).fill(0); }
