import { posix } from "node:path";
import type { TrackedFile } from "./repository-hygiene.ts";

const LINK = /\]\(([^)#\s]+)[^)]*\)/g;
const CODE = /`([^`\n]+)`/g;
const PATH = /^[\w.-]+(\/[\w.-]+)+\/?$/;
const SCRIPT = /\bnpm run ([\w:-]+)/g;

/** What a document may name: every file and folder of the repository, and the scripts of the package. */
export interface Named {
  readonly paths: ReadonlySet<string>;
  readonly scripts: ReadonlySet<string>;
}

export function namedBy(tracked: readonly string[], scripts: object): Named {
  const paths = tracked.flatMap((path) => path.split("/").map((_, end, parts) => parts.slice(0, end + 1).join("/")));
  return { paths: new Set(paths), scripts: new Set(Object.keys(scripts)) };
}

/** Links, paths in backticks and scripts that lead nowhere; a path is told by its first folder, which is one of ours. */
export function deadDocPaths({ path: doc, text }: TrackedFile, { paths, scripts }: Named): string[] {
  if (!doc.endsWith(".md")) return [];
  const beside = (path: string) => posix.join(posix.dirname(doc), path);
  const isOurs = (path: string) => {
    const [first = ""] = path.split("/");
    return paths.has(first) || paths.has(`src/${first}`);
  };
  const isThere = (path: string) => [path, `src/${path}`, beside(path)].some((place) => paths.has(place));
  const links = matches(text, LINK).filter((link) => !/^\w+:/.test(link) && !paths.has(beside(link)));
  const named = matches(text, CODE).filter((code) => PATH.test(code) && isOurs(code));
  return [
    ...links.map((link) => `${doc}: the link ${link} leads nowhere`),
    ...named
      .map((path) => path.replace(/\/$/, ""))
      .filter((path) => !isThere(path))
      .map((path) => `${doc}: there is no ${path}`),
    ...matches(text, SCRIPT)
      .filter((script) => !scripts.has(script))
      .map((script) => `${doc}: there is no script ${script}`),
  ];
}

function matches(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].flatMap(([, found]) => found ?? []);
}
