import { type Node, parseSync } from "oxc-parser";

/** One small change of a source file that a good test notices. */
export interface Mutant {
  readonly path: string;
  readonly line: number;
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
  readonly kind: string;
}

const SWAPPED_OPERATORS: Readonly<Record<string, string>> = {
  "<": "<=",
  "<=": "<",
  ">": ">=",
  ">=": ">",
  "===": "!==",
  "!==": "===",
  "+": "-",
  "-": "+",
  "*": "/",
  "/": "*",
  "&&": "||",
  "||": "&&",
};
const SWAPPED_METHODS: Readonly<Record<string, string>> = { some: "every", every: "some" };
/** Nodes of the language of types whose expression runs nevertheless. */
const RUNS_IN_TYPES = new Set(["TSAsExpression", "TSSatisfiesExpression", "TSNonNullExpression"]);

type Edit = { readonly node: { readonly start: number; readonly end: number }; readonly to: string };

/** Every mutant of a file, in the order of the text. */
export function mutantsOf(path: string, text: string): Mutant[] {
  const { program, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path} cannot be parsed: ${errors[0]?.message}`);
  const lineStarts = [...text.matchAll(/^/gm)].map(({ index }) => index);
  const lineAt = (offset: number) => lineStarts.filter((start) => start <= offset).length;
  const found: Mutant[] = [];
  walk(program, (node) => {
    for (const [kind, { node: place, to }] of editsOf(node, text))
      found.push({ path, line: lineAt(place.start), start: place.start, end: place.end, replacement: to, kind });
  });
  return found.sort((a, b) => a.start - b.start || a.end - b.end);
}

/** The file with this one change. */
export function mutated(text: string, { start, end, replacement }: Mutant): string {
  return text.slice(0, start) + replacement + text.slice(end);
}

/** As a person reads it: what stood there, and what stands there now. */
export function inWords(text: string, { path, line, kind, start, end, replacement }: Mutant): string {
  const brief = (words: string) => words.replaceAll(/\s+/g, " ").slice(0, 70);
  return `${path}:${line} ${kind}: ${brief(text.slice(start, end))} → ${brief(replacement) || "(nothing)"}`;
}

function editsOf(node: Node, text: string): [kind: string, edit: Edit][] {
  const source = (part: { readonly start: number; readonly end: number }) => text.slice(part.start, part.end);
  switch (node.type) {
    case "BinaryExpression":
    case "LogicalExpression": {
      const { left, right, operator } = node;
      if (operator === "??") return [["drop fallback", { node, to: source(left) }]];
      const to = SWAPPED_OPERATORS[operator];
      if (to === undefined || isText(left) || isText(right)) return [];
      return [["operator", { node, to: `${source(left)} ${to} ${source(right)}` }]];
    }
    case "UnaryExpression":
      return node.operator === "!" ? [["drop not", { node, to: source(node.argument) }]] : [];
    case "Literal":
      if (typeof node.value === "boolean") return [["boolean", { node, to: String(!node.value) }]];
      if (typeof node.value === "number") return [["number", { node, to: String(node.value + 1) }]];
      return [];
    case "IfStatement":
    case "ConditionalExpression":
      return [["negate condition", { node: node.test, to: `!(${source(node.test)})` }]];
    case "ExpressionStatement":
      return [["remove statement", { node, to: ";" }]];
    case "ReturnStatement":
      return node.argument ? [["return nothing", { node, to: "return;" }]] : [];
    case "FunctionDeclaration":
      return node.body ? [["empty function", { node: node.body, to: "{ return; }" }]] : [];
    case "CallExpression": {
      const { callee } = node;
      if (callee.type !== "MemberExpression" || callee.property.type !== "Identifier") return [];
      const method = callee.property.name;
      const swapped = SWAPPED_METHODS[method];
      if (swapped !== undefined) return [["method", { node: callee.property, to: swapped }]];
      return method === "filter" ? [["drop filter", { node, to: source(callee.object) }]] : [];
    }
    default:
      return [];
  }
}

/** A minus between texts is no likely mistake. */
function isText(node: Node): boolean {
  return node.type === "TemplateLiteral" || (node.type === "Literal" && typeof node.value === "string");
}

function walk(node: Node, meet: (node: Node) => void): void {
  if (node.type.startsWith("TS") && !RUNS_IN_TYPES.has(node.type)) return;
  if (node.type === "ImportDeclaration") return;
  meet(node);
  for (const [key, value] of Object.entries(node)) {
    if (key === "parent" || key === "typeAnnotation") continue;
    for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) walk(child, meet);
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value && "start" in value;
}
