import type { PageAsset } from "./bundle-page.ts";

const PLACEHOLDER = /\{\{(.*?)\}\}/g;
const ASSET = /^asset:([\w.-]+)$/;

/**
 * Puts hashed addresses into a document: `{{asset:shell.js}}` becomes `/assets/shell-0a1b2c3d.js`. What such a script
 * imports at once is announced in the head, so that the browser asks for everything in one go.
 */
export function fillTemplate(template: string, source: string, assets: readonly PageAsset[]): string {
  const byName = new Map(assets.map((asset) => [asset.name, asset]));
  const preload = new Set<string>();
  const filled = template.replace(PLACEHOLDER, (placeholder, words: string) => {
    const asset = byName.get(ASSET.exec(words)?.[1] ?? "");
    if (asset === undefined) {
      throw new Error(`${source}: ${placeholder} names no asset; there are ${[...byName.keys()].join(", ")}`);
    }
    for (const file of asset.preload) preload.add(file);
    return address(asset.file);
  });
  const links = [...preload].map((file) => `<link rel="modulepreload" href="${address(file)}">`).join("");
  return filled.replace("</head>", `${links}</head>`);
}

function address(file: string): string {
  return `/assets/${file}`;
}
