// expect: SyntaxError RangeError InternalError
function main() { return new RegExp('('.repeat(1e6)); }
