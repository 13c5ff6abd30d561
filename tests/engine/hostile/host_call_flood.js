// expect: ActionCrashed
function main() { for (;;) Svc.Actions.getPrivateKey({ pkpId: 0 }); }
