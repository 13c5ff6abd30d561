// expect: ActionTimeout
function main() { const e = new Error('x'); Object.defineProperty(e, 'stack', { get() { for (;;); } }); throw e; }
