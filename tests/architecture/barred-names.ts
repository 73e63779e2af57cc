import { placeOf, type SourceFile, visit } from "./source-file.ts";

/** Words that fit every file and therefore describe none. */
const BARRED = /^(utils?|helpers?|common|shared|misc|managers?|handlers?|processors?|v[2-9])$/;
const CURE = "name it after what it does or holds";

/** Vague words in paths and in the names of exported classes. */
export function barredNames(file: SourceFile): string[] {
  const inPath = wordsOf(file.path).filter((word) => BARRED.test(word));
  const found = inPath.map((word) => `${file.path}: "${word}" says nothing; ${CURE}`);
  visit(file, {
    ExportNamedDeclaration: ({ declaration }) => {
      if (declaration?.type !== "ClassDeclaration" || !declaration.id) return;
      const { name, start } = declaration.id;
      const vague = wordsOf(name).find((word) => BARRED.test(word));
      if (vague) found.push(`${placeOf(file, start)}: class ${name} says "${vague}"; ${CURE}`);
    },
  });
  return found;
}

function wordsOf(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, "$1-$2")
    .toLowerCase()
    .split(/[^a-z0-9]+/);
}
