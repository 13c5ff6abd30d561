// expect: ok 1
function main() { Promise.reject(new Error('nobody listens')); return 1; }
