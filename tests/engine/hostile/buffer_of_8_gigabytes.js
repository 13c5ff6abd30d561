// expect: RangeError ActionOutOfMemory
function main() { return new ArrayBuffer(8 * 2 ** 30).byteLength; }
