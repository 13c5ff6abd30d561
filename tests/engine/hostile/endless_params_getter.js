// expect: ActionTimeout
Object.defineProperty(Object.prototype, 'pkpId', { get() { for (;;); } });
async function main() { return ({}).pkpId; }
