// expect: RangeError
function main() { return main() + 1; }
