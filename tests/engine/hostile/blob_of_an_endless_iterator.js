// expect: ActionOutOfMemory RangeError
function main() { return new Blob({ * [Symbol.iterator]() { for (;;) yield new Uint8Array(1 << 20); } }).size; }
