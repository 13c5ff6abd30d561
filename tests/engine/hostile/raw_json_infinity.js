// expect: NotJson
function main() { return [JSON.rawJSON('1e999')]; }
