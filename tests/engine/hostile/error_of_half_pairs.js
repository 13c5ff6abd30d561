// expect: Error
function main() { throw new Error('\ud800'.repeat(4000000)); }
