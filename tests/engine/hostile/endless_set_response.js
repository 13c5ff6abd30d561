// expect: ActionTimeout
function main() { Svc.Actions.setResponse({ get response() { for (;;); } }); }
