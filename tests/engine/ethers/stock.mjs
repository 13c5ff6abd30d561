// Answers a list of cases with the stock packages under Node: {library, cases} on stdin, answers on stdout.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);
const { library, cases } = JSON.parse(readFileSync(0, "utf8"));
const ethers = require(library).ethers;
const source = readFileSync(new URL("operations.js", import.meta.url), "utf8");
const { operate, specialOf5, specialOf6 } = new Function(`${source}; return { operate, specialOf5, specialOf6 };`)();
const special = (library === "ethers" ? specialOf5 : specialOf6)(ethers);
process.stdout.write(JSON.stringify(await operate(ethers, special, cases)));
