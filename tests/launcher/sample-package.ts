import { cp, mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { type TempDir, tempDir } from "../support/temp-dir.ts";

const REPOSITORY = resolve(import.meta.dirname, "../..");
const OS = process.platform === "win32" ? "windows" : process.platform;
const CPU = process.arch === "arm64" ? "aarch64" : process.arch;

/** The package that carries the binary on this machine. */
export const BINARY_PACKAGE = `@oven/bun-${OS}-${CPU}`;

/** Where the binary lies after an install: in its package, in one that is a link as pnpm makes it, or nowhere. */
type BunPlace = "own-package" | "linked-package" | "nowhere";

/** A small package with the real launcher and build scripts, around a `src/cli/main.ts` of the test's. */
export async function samplePackage(main: string, bunPlace: BunPlace = "own-package"): Promise<TempDir> {
  const dir = await tempDir();
  await cp(join(REPOSITORY, "bin"), dir.join("bin"), { recursive: true });
  await cp(join(REPOSITORY, "scripts"), dir.join("scripts"), { recursive: true });
  await writeTree(dir.path, { "package.json": '{ "type": "module" }', "src/cli/main.ts": main });
  await placeBun(dir, bunPlace);
  return dir;
}

/** Writes files, with the folders they need. */
export async function writeTree(root: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
}

async function placeBun(dir: TempDir, place: BunPlace): Promise<void> {
  const linked = `node_modules/${BINARY_PACKAGE}`;
  const own = place === "linked-package" ? "node_modules/.store/bun" : linked;
  await writeTree(dir.path, { [`${own}/package.json`]: "{}" });
  await mkdir(dir.join(own, "bin"));
  if (own !== linked) {
    await mkdir(dirname(dir.join(linked)), { recursive: true });
    await symlink(dir.join(own), dir.join(linked));
  }
  if (place === "nowhere") await writeTree(dir.path, { [`${own}/bin/bun`]: "echo this is a placeholder; exit 1\n" });
  else await symlink(process.execPath, dir.join(own, "bin/bun"));
}

/** Sources of a page that touches every part of the build: a shared chunk, a lazy one, a worker, nested styles. */
export const SAMPLE_PAGE: Readonly<Record<string, string>> = {
  "src/page/main.tsx":
    'import { greet } from "../ui/greet.ts"; greet("shell"); import("../ui/lazy.ts").then((lazy) => lazy.later());',
  "src/frame/main.ts": 'import { greet } from "../ui/greet.ts"; greet("portlet");',
  "src/ui/greet.ts": 'export const greet = (who: string) => console.log("hello from", who, location.href);',
  "src/ui/lazy.ts": 'export const later = () => console.log("only when asked");',
  "src/ui/theme/main.ts": 'import { greet } from "../greet.ts"; greet("theme");',
  "src/ui/highlight/highlight-worker.ts": "self.onmessage = (event) => self.postMessage(event.data);",
  "src/page/install/service-worker.ts": "self.onfetch = () => undefined;",
  "src/page/install/icons/icon-192.png": "a picture",
  "src/page/install/icons/icon-512.png": "a picture",
  "src/page/install/icons/icon-maskable-512.png": "a picture",
  "src/page/install/icons/apple-touch-180.png": "a picture",
  "src/page/install/manifest.webmanifest": '{ "icons": [{ "src": "{{asset:icon-192.png}}" }] }',
  "src/ui/styles/base.css": ":root { --ink: #123456; }",
  "src/ui/styles/foundation.css": "body { margin: 0; }",
  "src/page/styles/shell.css": '@import "../../ui/styles/base.css"; body { color: var(--ink); }',
  "src/frame/styles/portlet.css": "body { color: red; }",
  "src/page/shell.html":
    '<head><script src="{{asset:theme.js}}"></script><link href="{{asset:shell.css}}"><script src="{{asset:shell.js}}"></script></head>',
  "src/frame/portlet.html": '<script src="{{asset:portlet.js}}" data-worker="{{asset:highlight-worker.js}}"></script>',
};
