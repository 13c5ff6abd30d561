// expect: NeverSettled
function main() { return { then() {} }; }
