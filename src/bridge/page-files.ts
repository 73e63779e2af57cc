import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { plainText, SECURITY_HEADERS } from "./plain-pages.ts";

const Manifest = z.object({
  pages: z.record(z.string(), z.string()),
  assets: z.record(z.string(), z.object({ file: z.string(), type: z.string() })),
});

/** The built page: HTML by name, assets by their hashed file name, the pre-compressed copy where the browser takes it. */
export class PageFiles {
  readonly #dir: string;
  readonly #pages: Readonly<Record<string, string>>;
  readonly #types: ReadonlyMap<string, string>;

  constructor(dir: string) {
    this.#dir = dir;
    const manifestPath = join(dir, "manifest.json");
    if (!existsSync(manifestPath))
      throw new Error(`The page is not built. Run "npm run build" first (${manifestPath} is missing).`);
    const manifest = Manifest.parse(JSON.parse(readFileSync(manifestPath, "utf8")));
    this.#pages = manifest.pages;
    this.#types = new Map(Object.values(manifest.assets).map(({ file, type }) => [file, type]));
  }

  page(name: "shell" | "portlet", headers: Readonly<Record<string, string>> = {}): Response {
    const file = this.#pages[name];
    if (file === undefined) return plainText(404, "Not found.");
    return new Response(Bun.file(join(this.#dir, file)), {
      headers: {
        ...SECURITY_HEADERS,
        "Content-Type": "text/html; charset=utf-8",
        "Cache-Control": "no-cache",
        ...headers,
      },
    });
  }

  /** Only names of the manifest are files; nothing a client sends ever becomes a path. */
  asset(name: string, acceptEncoding: string): Response {
    const type = this.#types.get(name);
    if (type === undefined) return plainText(404, "Not found.");
    const path = join(this.#dir, name);
    const encoding = ENCODINGS.find(({ token, suffix }) => acceptEncoding.includes(token) && existsSync(path + suffix));
    return new Response(Bun.file(path + (encoding?.suffix ?? "")), {
      headers: {
        ...SECURITY_HEADERS,
        "Content-Type": type,
        "Cache-Control": "public, max-age=31536000, immutable",
        Vary: "Accept-Encoding",
        ...(encoding && { "Content-Encoding": encoding.token }),
      },
    });
  }
}

const ENCODINGS = [
  { token: "br", suffix: ".br" },
  { token: "gzip", suffix: ".gz" },
] as const;
