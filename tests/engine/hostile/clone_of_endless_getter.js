// expect: ActionTimeout
function main() { structuredClone({ get a() { for (;;); } }); }
