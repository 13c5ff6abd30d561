// expect: Uncaught
function main() { throw { toString() { for (;;); } }; }
