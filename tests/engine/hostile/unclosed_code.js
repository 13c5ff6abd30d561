// expect: SyntaxError
function main() { return 1;
