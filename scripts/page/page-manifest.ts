/**
 * dist/manifest.json: the one file that says which page is the current one. Paths are relative to dist/. Each file has
 * a `.gz` and a `.br` beside it. Asset names are those of `page-entries.ts`; a shared or lazy chunk goes by its file name.
 */
export type PageManifest = {
  /** The fingerprint of the sources, see `bin/page-sources.mjs`. */
  readonly builtFrom: string;
  /** Document name to HTML file: `{ "shell": "shell-0a1b2c3d.html" }`. */
  readonly pages: Readonly<Record<string, string>>;
  readonly assets: Readonly<Record<string, ManifestAsset>>;
};

/** `file` is served as `/` + `file`, permanently: another content gets another name. */
export type ManifestAsset = {
  readonly file: string;
  readonly bytes: number;
  readonly gzipBytes: number;
  readonly brotliBytes: number;
  readonly type: string;
};
