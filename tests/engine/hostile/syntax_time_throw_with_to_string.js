// expect: Uncaught
throw { toString() { for (;;); } };
