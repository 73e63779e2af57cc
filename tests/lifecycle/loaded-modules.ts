import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

/** Preloaded into a server: when it ends, it writes into its data directory which modules it has loaded. */
const { cache } = createRequire(import.meta.url);
const list = join(process.env["LIMINAL_DATA_DIR"] ?? ".", "loaded-modules");
process.on("exit", () => writeFileSync(list, Object.keys(cache).join("\n")));
