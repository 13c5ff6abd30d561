// expect: MissingMain
function man() {}
