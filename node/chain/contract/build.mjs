// Compiles AccountConfig.sol with the pinned solc of node_modules and writes the committed artifact.
//   node build.mjs                   writes AccountConfig.json
//   node build.mjs --check [FILE…]   exit 1 when the committed artifact, or a FILE, is not what the sources give
import path from "node:path";
import { fileURLToPath } from "node:url";

import { compile, compiler, fail, requireSizes, writeOrCheck } from "./solidity.mjs";

const here = path.dirname(fileURLToPath(import.meta.url));

const MAIN = "AccountConfig";
const VIEWS = "AccountViews";

// The views run on the main contract's storage: each variable they know must stand in the same slot there.
function requireSameLayout(main, views) {
  const shape = ({ label, slot, offset, type }) => `${label} slot ${slot} offset ${offset} ${type.replace(/\)\d+_storage/g, ")_storage")}`;
  const known = new Set(main.storageLayout.storage.map(shape));
  const strange = views.storageLayout.storage.map(shape).filter((variable) => !known.has(variable));
  if (strange.length > 0) fail(`${VIEWS} reads storage that ${MAIN} lays out otherwise:\n${strange.join("\n")}`);
}

function mergedAbi(main, views) {
  const known = new Set(main.abi.map((entry) => JSON.stringify(entry)));
  return [...main.abi, ...views.abi.filter((entry) => !known.has(JSON.stringify(entry)))];
}

function artifact() {
  const [main, views] = compile(here, [MAIN, VIEWS]);
  requireSameLayout(main, views);
  requireSizes(MAIN, main);
  requireSizes(VIEWS, views);
  return {
    contractName: MAIN,
    abi: mergedAbi(main, views),
    bytecode: `0x${main.evm.bytecode.object}`,
    deployedBytecode: `0x${main.evm.deployedBytecode.object}`,
    immutableReferences: main.evm.deployedBytecode.immutableReferences,
    viewsDeployedBytecode: `0x${views.evm.deployedBytecode.object}`,
    compiler: compiler(),
  };
}

writeOrCheck(here, { [`${MAIN}.json`]: artifact() });
