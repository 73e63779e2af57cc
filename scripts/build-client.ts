// Builds the client of the HTTP API for Node and browsers, and its types: node scripts/bun.mjs scripts/build-client.ts
// --to <folder> writes it elsewhere than into dist; --no-types leaves the types out.

import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";

const root = resolve(import.meta.dirname, "..");
const { values } = parseArgs({
  options: { to: { type: "string", default: join(root, "dist") }, types: { type: "boolean", default: true } },
  allowNegative: true,
});
const built = await Bun.build({
  entrypoints: [join(root, "src/client/http-client.ts")],
  target: "browser",
  format: "esm",
  minify: true,
});
const [script] = built.outputs;
if (!script) throw new Error("the client could not be built");
await Bun.write(join(values.to, "client.mjs"), script);
if (values.types) await writeTypes(join(values.to, "client"));

/** The declarations of the client and of its imports: they are as long as the protocol, and need zod's own. */
async function writeTypes(to: string): Promise<void> {
  await rm(to, { recursive: true, force: true });
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  const run = Bun.spawn(["node", tsc, "-p", join(root, "tsconfig.client.json"), "--outDir", to], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const words = await new Response(run.stdout).text();
  if ((await run.exited) !== 0) throw new Error(`the types of the client could not be built:\n${words}`);
  for (const name of await readdir(to, { recursive: true })) {
    if (!name.endsWith(".d.ts")) continue;
    const text = await readFile(join(to, name), "utf8");
    // Users' compilers do not get the sources: `./a.js` resolves to `./a.d.ts` in each of them.
    await writeFile(join(to, name), text.replaceAll(/(from |import\()"(\.[^"]+)\.ts"/g, '$1"$2.js"'));
  }
}
