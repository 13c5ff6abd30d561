// expect: ActionTimeout
function main() { return { then() { for (;;); } }; }
