// expect: Uncaught
function main() { throw Object.assign(() => 1, { toString() { for (;;); } }); }
