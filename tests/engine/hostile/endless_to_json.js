// expect: ActionTimeout
function main() { return { toJSON() { for (;;); } }; }
