// expect: ok "a�b"
function main() { console.log('\ud800'); return 'a\udc00b'; }
