import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import type { BunPlugin } from "bun";
import { reportLine, reportOutput, seconds } from "./report.ts";
import { ONE_FAILED, ONE_PASSED, type Tally } from "./tally.ts";

/** The variable that tells tests where the built program is; without it they start the source. */
export const PROGRAM_VARIABLE = "LIMINAL_TEST_PROGRAM";
const ENTRY = "src/cli/main.ts";

/** Where the program finds its files is decided by where its sources are, not by where the bundle is. */
const SOURCE_PLACES: BunPlugin = {
  name: "source-places",
  setup(build) {
    build.onLoad({ filter: /[/\\]src[/\\].*\.ts$/ }, async ({ path }) => {
      const places = { dirname: dirname(path), dir: dirname(path), url: pathToFileURL(path).href };
      const source = await Bun.file(path).text();
      const contents = source.replaceAll(/\bimport\.meta\.(dirname|dir|url)\b/g, (_, name: keyof typeof places) =>
        JSON.stringify(places[name]),
      );
      return { contents, loader: "ts" };
    });
  },
};

/** Loaded from where they are installed, on first use: their modules depend on the order in which they run. */
const NOT_BUNDLED: BunPlugin = {
  name: "not-bundled",
  setup(build) {
    build.onResolve({ filter: /^(reflect-metadata|@peculiar\/x509)$/ }, ({ path, importer }) => ({
      path: Bun.resolveSync(path, dirname(importer)),
      external: true,
    }));
  },
};

/** Compiles the program once for all tests that start it: from bytecode a start takes half the CPU time. */
export async function buildProgram(root: string, folder: string): Promise<Tally> {
  const startedAt = performance.now();
  try {
    await Bun.build({
      entrypoints: [join(root, ENTRY)],
      outdir: folder,
      target: "bun",
      format: "cjs",
      bytecode: true,
      plugins: [SOURCE_PLACES, NOT_BUNDLED],
    });
    reportLine("ok", "program for tests", seconds(startedAt));
    return ONE_PASSED;
  } catch (error) {
    reportLine("FAIL", "program for tests", seconds(startedAt));
    reportOutput((error instanceof AggregateError ? error.errors : [error]).map(String).join("\n"));
    return ONE_FAILED;
  }
}
