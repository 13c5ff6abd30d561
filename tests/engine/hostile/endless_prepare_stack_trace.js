// expect: ActionTimeout
Error.prepareStackTrace = () => { for (;;); };
function main() { null.x; }
