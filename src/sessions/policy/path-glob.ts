import { loadRe2 } from "../linear-pattern.ts";

const COMPILED_PATTERNS_MAX = 500;

type Compiled = ReturnType<ReturnType<typeof loadRe2>["RE2JS"]["compile"]>;

/** A preview matches the same few globs against thousands of requests. */
const compiled = new Map<string, Compiled>();

/**
 * `*` and `?` stay inside one name, `**` crosses folders; everything else is literal. The path comes from an agent,
 * which could make it long and repetitive enough to keep an ordinary pattern busy forever.
 */
export function matchesGlob(path: string, glob: string, { ignoreCase }: { readonly ignoreCase: boolean }): boolean {
  const key = `${ignoreCase ? "i" : "c"}${glob}`;
  const known = compiled.get(key) ?? compile(glob, ignoreCase);
  if (compiled.size >= COMPILED_PATTERNS_MAX) compiled.clear();
  compiled.set(key, known);
  return known.matches(path.normalize("NFC"));
}

function compile(glob: string, ignoreCase: boolean): Compiled {
  const { RE2JS } = loadRe2();
  const source = glob
    .normalize("NFC")
    .split(/(\/?\*\*\/?|\*|\?)/)
    .map(partSource)
    .join("");
  return RE2JS.compile(source, RE2JS.DOTALL | (ignoreCase ? RE2JS.CASE_INSENSITIVE : 0));
}

function partSource(part: string): string {
  switch (part) {
    case "**":
      return ".*";
    case "**/":
      return "(?:.*/)?";
    case "/**":
      return "(?:/.*)?";
    case "/**/":
      return "/(?:.*/)?";
    case "*":
      return "[^/]*";
    case "?":
      return "[^/]";
    default:
      return part.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
  }
}
