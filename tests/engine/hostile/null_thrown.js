// expect: Uncaught
function main() { throw null; }
