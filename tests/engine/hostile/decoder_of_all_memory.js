// expect: ActionOutOfMemory ok 31457280
function main() { return new TextDecoder().decode(new Uint8Array(30 << 20)).length; }
