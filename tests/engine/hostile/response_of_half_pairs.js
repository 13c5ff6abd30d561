// expect: ok 170000
function main() { console.log('\ud800'.repeat(30000)); return ['\ud800'.repeat(170000)].map((text) => text.length)[0]; }
