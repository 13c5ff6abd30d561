// expect: ActionTimeout
function main() { console.log({ get a() { for (;;); } }); }
