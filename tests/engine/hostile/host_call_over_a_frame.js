// expect: ActionCrashed
async function main() { return Svc.Actions.Encrypt({ pkpId: 0, message: 'x'.repeat(6 << 20) }); }
