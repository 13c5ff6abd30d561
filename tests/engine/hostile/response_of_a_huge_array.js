// expect: ActionResponseLimit
function main() { return new Array(1e6).fill(0); }
