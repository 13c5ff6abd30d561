// expect: ActionLogLimit ActionTimeout
function main() { setInterval(() => { for (let i = 0; i < 1000; i += 1) console.error(''); }, 0); return new Promise(() => {}); }
