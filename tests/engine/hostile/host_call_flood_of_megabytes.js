// expect: ActionCrashed ActionTimeout ActionOutOfMemory
const message = 'x'.repeat(1 << 20);
function main() { for (;;) Svc.Actions.Encrypt({ pkpId: 0, message }); }
