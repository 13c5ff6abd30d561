// expect: ok "taken over"
Object.prototype.then = function then(resolve) { resolve('taken over'); };
async function main() { return { own: 1 }; }
