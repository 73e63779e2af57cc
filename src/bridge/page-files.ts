import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { plainText, SECURITY_HEADERS } from "./plain-pages.ts";

const Manifest = z.object({
  pages: z.record(z.string(), z.string()),
  assets: z.record(z.string(), z.object({ file: z.string(), type: z.string() })),
});

/** The built page: HTML by name, assets by hashed file name, pre-compressed if the browser accepts it. */
export class PageFiles {
  readonly #dir: string;
  readonly #pages: Readonly<Record<string, string>>;
  readonly #types: ReadonlyMap<string, string>;
  readonly #serviceWorker: string;

  constructor(dir: string) {
    this.#dir = dir;
    const manifestPath = join(dir, "manifest.json");
    if (!existsSync(manifestPath))
      throw new Error(`The page is not built. Run "npm run build" first (${manifestPath} is missing).`);
    const manifest = Manifest.parse(JSON.parse(readFileSync(manifestPath, "utf8")));
    this.#pages = manifest.pages;
    this.#serviceWorker = manifest.assets["service-worker.js"]?.file ?? "";
    this.#types = new Map(Object.values(manifest.assets).map(({ file, type }) => [file, type]));
  }

  page(name: "shell" | "portlet" | "manifest", headers: Readonly<Record<string, string>> = {}): Response {
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

  /** Makes the page an installable app: the same for everyone, without user data. */
  appManifest(): Response {
    return this.page("manifest", { "Content-Type": "application/manifest+json; charset=utf-8" });
  }

  /** At an address of its own, because a worker controls the pages below its address; requested again at each start. */
  serviceWorker(acceptEncoding: string): Response {
    const response = this.asset(this.#serviceWorker, acceptEncoding);
    response.headers.set("Cache-Control", "no-cache");
    return response;
  }

  /** Only names in the manifest are files; client input never becomes a path. */
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
