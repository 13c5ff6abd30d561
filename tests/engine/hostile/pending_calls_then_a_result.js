// expect: ok "left"
function main() { for (let i = 0; i < 90; i += 1) Svc.Actions.signMessage({ pkpId: 'x', message: 'x'.repeat(1000) }); return 'left'; }
