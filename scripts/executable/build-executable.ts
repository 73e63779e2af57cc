import { mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { ROLE_MARK, ROLES } from "../../src/operations/own-program.ts";

/**
 * Compiles all our programs with Bun and the built page into one file. It is written beside its place and renamed, so
 * that a start meanwhile uses the old one or the new one.
 */
export async function buildExecutable(root: string, target: string): Promise<void> {
  await mkdir(dirname(target), { recursive: true });
  const stage = await mkdtemp(join(dirname(target), ".building-"));
  try {
    const entry = join(stage, "main.ts");
    const outfile = join(stage, "liminal");
    await writeFile(entry, entrySource(root));
    process.chdir(root); // assets are named relative to here
    await Bun.build({
      entrypoints: [entry],
      target: "bun",
      // A holder loads its own code only, as it does from the sources.
      splitting: true,
      minify: { whitespace: true, syntax: true },
      compile: {
        outfile,
        assets: ["dist"],
        autoloadBunfig: false,
        autoloadDotenv: false,
        autoloadPackageJson: false,
        autoloadTsconfig: false,
      },
    });
    await rename(outfile, target);
  } finally {
    await rm(stage, { recursive: true, force: true });
  }
}

/** Its first argument selects the program; without one it is the command line. */
function entrySource(root: string): string {
  const loads = Object.entries(ROLES).map(
    ([role, { source }]) =>
      `  ${JSON.stringify(ROLE_MARK + role)}: () => import(${JSON.stringify(join(root, source))}),`,
  );
  return [
    `const programs = {\n${loads.join("\n")}\n};`,
    'const named = Object.hasOwn(programs, process.argv[2] ?? "") ? process.argv.splice(2, 1)[0] : undefined;',
    `await programs[named ?? ${JSON.stringify(`${ROLE_MARK}liminal`)}]();`,
  ].join("\n");
}
