/** A file that the page asks for by name; the name stands in templates and in the manifest, the hash comes with the build. */
export type PageEntry = { readonly name: string; readonly source: string };

/** Modules and styles may share chunks within their bundle; a standalone script is one file that needs no other. */
export type PageBundle = { readonly kind: "modules" | "standalone" | "styles"; readonly entries: readonly PageEntry[] };

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
];

/** The documents the server answers with; see `fill-template.ts` for what may stand in them. */
export const PAGE_TEMPLATES: readonly PageEntry[] = [
  { name: "shell", source: "src/page/shell.html" },
  { name: "portlet", source: "src/frame/portlet.html" },
];
