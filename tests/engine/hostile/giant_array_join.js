// expect: ActionTimeout ActionOutOfMemory InternalError RangeError
function main() { return new Array(2 ** 32 - 1).join('x'); }
