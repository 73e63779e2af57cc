import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { gzipSync } from "node:zlib";
import { z } from "zod";
import type { Bench } from "../measure/bench.ts";
import { ROOT } from "../scene/start-server.ts";

const DIST = join(ROOT, "dist");
const KB = 1_000;
const FIRST_LOAD_SCRIPT_KB_TARGET = 90;
const FIRST_LOAD_KB_TARGET = 110;
const FIRST_SESSION_KB_TARGET = 210;
const ADDRESS = /\b(?:src|href)="\/(assets\/[^"]+)"/g;
const GZIP_LEVEL = 9;

const Manifest = z.object({ pages: z.record(z.string(), z.string()) });

interface Size {
  readonly bytes: number;
  readonly gzipBytes: number;
}

/** What a browser fetches to show the page, and what until a session can be used: documents and all they name, at once or by import. */
export const bundle: Bench = {
  name: "bundle",
  asks: "bytes of the first load, gzipped, against the same uncompressed",
  async run({ report }) {
    const { pages } = Manifest.parse(JSON.parse(readFileSync(join(DIST, "manifest.json"), "utf8")));
    const files = firstLoad([pages["shell"] ?? ""]);
    const kinds = {
      HTML: files.filter((file) => file.endsWith(".html")),
      JS: files.filter((file) => file.endsWith(".js")),
      CSS: files.filter((file) => file.endsWith(".css")),
    };
    for (const [kind, ofKind] of Object.entries(kinds)) {
      const target = kind === "JS" ? { target: FIRST_LOAD_SCRIPT_KB_TARGET } : {};
      report({ metric: `first load, ${kind}`, ...sizesOf(ofKind), ...target });
    }
    report({ metric: "first load", ...sizesOf(files), target: FIRST_LOAD_KB_TARGET });
    const withSession = sizesOf(firstLoad(Object.values(pages)));
    report({ metric: "first load and a session", ...withSession, target: FIRST_SESSION_KB_TARGET });
  },
};

function sizesOf(files: readonly string[]) {
  const sizes = files.map(sizeOf);
  const total = (of: keyof Size) => sizes.reduce((sum, size) => sum + size[of], 0) / KB;
  return { unit: "kB", value: total("gzipBytes"), baseline: total("bytes"), n: files.length } as const;
}

function sizeOf(file: string): Size {
  const content = readFileSync(join(DIST, file));
  return { bytes: content.byteLength, gzipBytes: gzipSync(content, { level: GZIP_LEVEL }).byteLength };
}

/** The documents, the files they name, and what those import statically. */
function firstLoad(documents: readonly string[]): readonly string[] {
  const found = new Set(documents);
  for (const file of found) for (const next of namedBy(file)) found.add(next);
  return [...found];
}

function namedBy(file: string): readonly string[] {
  const text = () => readFileSync(join(DIST, file), "utf8");
  if (file.endsWith(".html")) return [...text().matchAll(ADDRESS)].map(([, address = ""]) => address);
  if (!file.endsWith(".js")) return [];
  const imports = new Bun.Transpiler({ loader: "js" }).scanImports(text());
  return imports.filter(({ kind }) => kind === "import-statement").map(({ path }) => `assets/${basename(path)}`);
}
