// Preloaded into `bun test`: one file is read with one change, which the environment names. The file on disk stays as it is.
import { readFileSync } from "node:fs";
import { plugin } from "bun";

const path = process.env["LIMINAL_MUTANT_FILE"] ?? "";
const text = process.env["LIMINAL_MUTANT_TEXT"] ?? "";

plugin({
  name: "mutant",
  setup(build) {
    build.onLoad({ filter: new RegExp(`^${RegExp.escape(path)}$`) }, () => ({
      contents: readFileSync(text, "utf8"),
      loader: "ts",
    }));
  },
});
