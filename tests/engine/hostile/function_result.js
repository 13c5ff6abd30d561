// expect: NotJson
function main() { return () => 1; }
