// expect: NeverSettled
function main() { return new Promise(() => {}); }
