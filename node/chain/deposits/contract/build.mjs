// Compiles CreditDeposit.sol with the pinned solc of node_modules and writes the committed artifact.
//   node build.mjs            writes CreditDeposit.json
//   node build.mjs --check    exit 1 when the committed artifact is not what the sources give
import path from "node:path";
import { fileURLToPath } from "node:url";

import { compile, compiler, requireSizes, writeOrCheck } from "../../contract/solidity.mjs";

const here = path.dirname(fileURLToPath(import.meta.url));
const MAIN = "CreditDeposit";

const [main] = compile(here, [MAIN]);
requireSizes(MAIN, main);
const artifact = {
  contractName: MAIN,
  abi: main.abi,
  bytecode: `0x${main.evm.bytecode.object}`,
  deployedBytecode: `0x${main.evm.deployedBytecode.object}`,
  immutableReferences: main.evm.deployedBytecode.immutableReferences,
  compiler: compiler(),
};
writeOrCheck(here, { [`${MAIN}.json`]: artifact });
