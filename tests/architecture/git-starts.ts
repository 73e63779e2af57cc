import type { Node } from "oxc-parser";
import { isProduct, placeOf, type SourceFile, visit } from "./source-file.ts";

const RUNNER = "src/workspace/git/run-git.ts";
const STARTS_A_PROGRAM = /(?:^|\.)(?:which|spawn|spawnSync|exec|execSync|execFile|execFileSync)$/;

/** Git is started by one module, which keeps a repository's settings from running programs. */
export function gitStarts(file: SourceFile): string[] {
  if (!isProduct(file.path) || file.path === RUNNER) return [];
  const found: string[] = [];
  const report = ({ start }: Node) => found.push(`${placeOf(file, start)}: starts git; use startGit of ${RUNNER}`);
  visit(file, {
    CallExpression: (node) => {
      if (!STARTS_A_PROGRAM.test(file.text.slice(node.callee.start, node.callee.end))) return;
      const [first] = node.arguments;
      const program = first?.type === "ArrayExpression" ? first.elements[0] : first;
      if (program?.type === "Literal" && /(?:^|[/\\])git(?:\.exe)?(?:\s|$)/.test(String(program.value))) report(node);
      if (program?.type === "TemplateLiteral" && /^git\s/.test(program.quasis[0]?.value.raw ?? "")) report(node);
    },
    TaggedTemplateExpression: (node) => {
      if (/^\s*git\s/.test(node.quasi.quasis[0]?.value.raw ?? "")) report(node);
    },
  });
  return found;
}
