import { basename, join, parse, resolve } from "node:path";
import type { PageBundle, PageEntry } from "./page-entries.ts";

/** One file under /assets/, as it will be served. */
export type PageAsset = {
  readonly name: string;
  readonly file: string;
  readonly type: string;
  readonly content: Uint8Array;
  /** Files that this one imports at once: worth asking for together with it. */
  readonly preload: readonly string[];
  /** The source files that it contains. */
  readonly inputs: readonly string[];
};

/** Bundles a group of entries; every file name carries a hash of its content. */
export async function bundlePage(root: string, { kind, entries }: PageBundle): Promise<PageAsset[]> {
  if (kind === "files") return Promise.all(entries.map((entry) => copyOf(root, entry)));
  const built = await Bun.build({
    entrypoints: entries.map((entry) => join(root, entry.source)),
    root,
    target: "browser",
    minify: true,
    format: kind === "standalone" ? "iife" : "esm",
    splitting: kind === "modules",
    metafile: true,
    // Files ask for each other by these names, a lazy one for its entry too: nothing may be renamed afterwards.
    publicPath: "/assets/",
    naming: { entry: "[name]-[hash].[ext]", chunk: "chunk-[hash].[ext]", asset: "[name]-[hash].[ext]" },
    define: { "process.env.NODE_ENV": '"production"' },
  });
  const nameOf = new Map(entries.map((entry) => [join(root, entry.source), entry.name]));
  return Promise.all(
    built.outputs.map(async (output) => {
      const made = built.metafile?.outputs[output.path];
      const name = nameOf.get(resolve(made?.entryPoint ?? ""));
      return {
        inputs: Object.keys(made?.inputs ?? {}),
        name: name ?? basename(output.path),
        file: basename(output.path),
        type: output.type,
        content: new Uint8Array(await output.arrayBuffer()),
        preload: (made?.imports ?? []).flatMap(({ kind, path }) => (kind === "import-statement" ? basename(path) : [])),
      };
    }),
  );
}

async function copyOf(root: string, { name, source }: PageEntry): Promise<PageAsset> {
  const file = Bun.file(join(root, source));
  const content = await file.bytes();
  const { name: base, ext } = parse(name);
  const hashed = `${base}-${Bun.hash(content).toString(36)}${ext}`;
  return { name, file: hashed, type: file.type, content, preload: [], inputs: [source] };
}
