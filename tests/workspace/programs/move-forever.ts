import { readCheckpoint } from "../../../src/workspace/vault/checkpoint.ts";
import { move } from "../../../src/workspace/vault/move.ts";
import { scan } from "../../../src/workspace/vault/scan.ts";
import { Vault } from "../../../src/workspace/vault/vault.ts";

/** Moves a directory between the checkpoints `a` and `b` until it is killed; writes a line before each move. */
const [vaults = "", root = "", label = ""] = process.argv.slice(2);
const vault = await Vault.open(vaults, root);
for (let count = 0; ; count++) {
  const target = await readCheckpoint(vault, count % 2 === 0 ? "b" : "a");
  if (target === null) throw new Error("both checkpoints are stored");
  const seen = await scan(vault);
  console.log("moving");
  await move(vault, `${label}-${count}`, seen, target);
}
