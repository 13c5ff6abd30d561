// Compiles the hostile tokens of the tests with the pinned solc of node_modules and writes the committed artifact.
//   node build.mjs            writes tokens.json
//   node build.mjs --check    exit 1 when the committed artifact is not what the sources give
import path from "node:path";
import { fileURLToPath } from "node:url";

import { compile, compiler, requireSizes, writeOrCheck } from "../../../node/chain/contract/solidity.mjs";

const here = path.dirname(fileURLToPath(import.meta.url));
const CONTRACTS = ["HostileToken", "PaysTwice", "SilentToken"];

const built = compile(here, CONTRACTS);
const contracts = CONTRACTS.map((name, index) => {
  requireSizes(name, built[index]);
  return [name, { abi: built[index].abi, bytecode: `0x${built[index].evm.bytecode.object}` }];
});
writeOrCheck(here, { "tokens.json": { contracts: Object.fromEntries(contracts), compiler: compiler() } });
