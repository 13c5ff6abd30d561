// expect: ok "a\u0000b"
function main() { console.log('x\0y'); return 'a\0b'; }
