// expect: MissingMain
const main = 1;
