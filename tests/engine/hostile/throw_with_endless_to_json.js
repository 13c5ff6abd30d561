// expect: ActionTimeout
function main() { throw { toJSON() { for (;;); } }; }
