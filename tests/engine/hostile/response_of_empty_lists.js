// expect: ActionResponseLimit
function main() { return new Array(340000).fill([]); }
