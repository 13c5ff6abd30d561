// expect: NotJson
function main() { const a = {}; a.a = a; return a; }
