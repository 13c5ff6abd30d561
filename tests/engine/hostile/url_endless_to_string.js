// expect: ActionTimeout
function main() { new URL({ toString() { for (;;); } }); }
