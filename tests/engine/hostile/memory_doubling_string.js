// expect: InternalError ActionOutOfMemory RangeError
function main() { let s = 'xy'; for (;;) s = [s, s].join(''); }
