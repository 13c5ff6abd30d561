// expect: Uncaught
function main() { throw Symbol('odd'); }
