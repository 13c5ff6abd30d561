// expect: ActionTimeout
function main() { setInterval(() => {}, 0); return new Promise(() => {}); }
