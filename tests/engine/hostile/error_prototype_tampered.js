// expect: ActionTimeout
Error.prototype.toString = () => { for (;;); };
function main() { for (;;); }
