// expect: SyntaxError
function main() {} /* 
