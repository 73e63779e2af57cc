/**
 * A file that the page requests by name; the name is used in templates and in the manifest, the hash comes with the
 * build.
 */
export type PageEntry = { readonly name: string; readonly source: string };

/** Files are copied as they are. Modules and styles may share chunks within their bundle; a standalone script is one file that needs no other. */
export type PageBundle = {
  readonly kind: "modules" | "standalone" | "styles" | "files";
  readonly entries: readonly PageEntry[];
};

/** All that is bundled. Workers stand alone, and so does what has to run in the head before the first paint. */
export const PAGE_BUNDLES: readonly PageBundle[] = [
  {
    kind: "modules",
    entries: [
      { name: "shell.js", source: "src/page/main.tsx" },
      { name: "portlet.js", source: "src/frame/main.ts" },
    ],
  },
  {
    kind: "standalone",
    entries: [
      { name: "theme.js", source: "src/ui/theme/main.ts" },
      { name: "highlight-worker.js", source: "src/ui/highlight/highlight-worker.ts" },
      { name: "service-worker.js", source: "src/page/install/service-worker.ts" },
    ],
  },
  {
    kind: "styles",
    entries: [
      { name: "foundation.css", source: "src/ui/styles/foundation.css" },
      { name: "shell.css", source: "src/page/styles/shell.css" },
      { name: "portlet.css", source: "src/frame/styles/portlet.css" },
    ],
  },
  {
    kind: "files",
    entries: [
      { name: "icon-192.png", source: "src/page/install/icons/icon-192.png" },
      { name: "icon-512.png", source: "src/page/install/icons/icon-512.png" },
      { name: "icon-maskable-512.png", source: "src/page/install/icons/icon-maskable-512.png" },
      { name: "apple-touch-180.png", source: "src/page/install/icons/apple-touch-180.png" },
    ],
  },
];

/** The documents that the server sends; see `fill-template.ts` for their placeholders. */
export const PAGE_TEMPLATES: readonly PageEntry[] = [
  { name: "shell", source: "src/page/shell.html" },
  { name: "portlet", source: "src/frame/portlet.html" },
  { name: "manifest", source: "src/page/install/manifest.webmanifest" },
];
