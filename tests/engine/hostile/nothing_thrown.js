// expect: Uncaught
function main() { throw undefined; }
