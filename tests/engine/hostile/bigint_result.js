// expect: NotJson
function main() { return { n: 1n }; }
