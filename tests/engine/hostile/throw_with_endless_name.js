// expect: ActionTimeout
function main() { throw Object.assign(new Error('x'), { name: { toString() { for (;;); } } }); }
