// expect: TypeError
function main() { setTimeout(() => null.x, 1); return new Promise(() => {}); }
