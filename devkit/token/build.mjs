// Compiles the local chain's token with the pinned solc of node_modules and writes the committed artifact.
//   node build.mjs            writes token.json
//   node build.mjs --check    exit 1 when the committed artifact is not what the sources give
import path from "node:path";
import { fileURLToPath } from "node:url";

import { compile, compiler, requireSizes, writeOrCheck } from "../../node/chain/contract/solidity.mjs";

const here = path.dirname(fileURLToPath(import.meta.url));
const MAIN = "LocalDollar";

const [main] = compile(here, [MAIN]);
requireSizes(MAIN, main);
writeOrCheck(here, { "token.json": { contractName: MAIN, abi: main.abi, bytecode: `0x${main.evm.bytecode.object}`, compiler: compiler() } });
