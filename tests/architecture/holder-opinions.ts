import { posix } from "node:path";
import { placeOf, type SourceFile, visit } from "./source-file.ts";

/** Each reads its own orders, once, at its start. */
const MAINS = ["src/agents/holder/main.ts", "src/terminals/holder/main.ts"];

/**
 * The process that holds an agent or a terminal splits lines and looks at nothing in them: it has to understand every agent, outlive
 * every version of the server, and stay small. So nothing that it runs parses, and no package is loaded.
 */
export function holderOpinions(files: readonly SourceFile[]): string[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const seen = new Set<string>();
  const found: string[] = [];
  const walk = (path: string): void => {
    const file = byPath.get(path);
    if (!file || seen.has(path)) return;
    seen.add(path);
    found.push(...parsing(file));
    for (const { specifier, place } of runtimeImports(file)) {
      if (specifier.startsWith(".")) walk(posix.join(posix.dirname(path), specifier));
      else if (!specifier.startsWith("node:"))
        found.push(`${place}: the holder would load ${specifier}; only the server may`);
    }
  };
  for (const main of MAINS) walk(main);
  return found;
}

function parsing(file: SourceFile): string[] {
  const found: string[] = [];
  visit(file, {
    MemberExpression: ({ object, property, start }) => {
      if (property.type !== "Identifier") return;
      const isParse = object.type === "Identifier" && object.name === "JSON" && property.name === "parse";
      const isJson = property.name === "json" && !MAINS.includes(file.path);
      if (isParse || isJson) found.push(`${placeOf(file, start)}: the holder looks into nothing it passes on`);
    },
  });
  return found;
}

/** Those that are still there when the types are gone. */
function runtimeImports(file: SourceFile): { specifier: string; place: string }[] {
  const found: { specifier: string; place: string }[] = [];
  visit(file, {
    ImportDeclaration: ({ importKind, specifiers, source }) => {
      const isOfTypes =
        specifiers.length > 0 &&
        specifiers.every((each) => each.type === "ImportSpecifier" && each.importKind === "type");
      if (importKind !== "type" && !isOfTypes)
        found.push({ specifier: source.value, place: placeOf(file, source.start) });
    },
    ImportExpression: ({ source }) => {
      if (source.type === "Literal" && typeof source.value === "string")
        found.push({ specifier: source.value, place: placeOf(file, source.start) });
    },
  });
  return found;
}
