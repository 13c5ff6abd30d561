// expect: SyntaxError RangeError InternalError
function main() { return JSON.parse('['.repeat(1e6)); }
