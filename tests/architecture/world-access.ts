import type { Node } from "oxc-parser";
import { isProduct, placeOf, type SourceFile, visit } from "./source-file.ts";

type World = "clock" | "chance" | "environment";

/** Where the world enters. Everywhere else it is passed in, so that tests can hold it still. */
const MAY_REACH: readonly { readonly path: string; readonly world: readonly World[] }[] = [
  { path: "src/server/", world: ["clock", "chance", "environment"] },
  { path: "src/operations/", world: ["clock", "chance", "environment"] },
  { path: "src/cli/", world: ["clock", "chance", "environment"] },
  { path: "src/page/", world: ["clock", "chance"] },
  { path: "src/frame/", world: ["clock", "chance"] },
  { path: "src/ui/", world: ["clock", "chance"] },
  { path: "builtin-agent/main.ts", world: ["clock", "chance", "environment"] },
];

const MEMBERS: Readonly<Record<string, World>> = {
  "Date.now": "clock",
  "Math.random": "chance",
  "crypto.randomUUID": "chance",
  "crypto.getRandomValues": "chance",
  "process.env": "environment",
  "Bun.env": "environment",
  "import.meta.env": "environment",
};
const IMPORTED: Readonly<Record<string, Readonly<Record<string, World>>>> = {
  "node:crypto": { randomUUID: "chance", randomBytes: "chance", randomInt: "chance" },
  "node:process": { env: "environment" },
  bun: { env: "environment", randomUUIDv7: "chance" },
};

/** Clock, ids and environment taken from the air instead of from the caller. */
export function reachesForTheWorld(file: SourceFile): string[] {
  if (!isProduct(file.path)) return [];
  const allowed = MAY_REACH.find(({ path }) => file.path.startsWith(path))?.world ?? [];
  const found: string[] = [];
  const report = (name: string, world: World | undefined, { start }: Node) => {
    if (world === undefined || allowed.includes(world)) return;
    found.push(
      `${placeOf(file, start)}: ${name}; take the ${world} as a parameter, it enters at src/server or src/cli`,
    );
  };
  visit(file, {
    MemberExpression: (node) => {
      const name = dotted(node).replace(/^(globalThis|window|self)\./, "");
      report(name, Object.hasOwn(MEMBERS, name) ? MEMBERS[name] : undefined, node);
    },
    // `const { env } = process` takes the same thing by another spelling.
    VariableDeclarator: ({ id, init }) => {
      if (id.type !== "ObjectPattern" || init === null) return;
      for (const property of id.properties) {
        if (property.type !== "Property" || property.key.type !== "Identifier") continue;
        const name = `${dotted(init)}.${property.key.name}`;
        report(name, Object.hasOwn(MEMBERS, name) ? MEMBERS[name] : undefined, property);
      }
    },
    NewExpression: (node) => {
      if (isDate(node.callee) && node.arguments.length === 0) report("new Date()", "clock", node);
    },
    CallExpression: (node) => {
      if (isDate(node.callee)) report("Date()", "clock", node);
    },
    ImportDeclaration: (node) => {
      const names = IMPORTED[node.source.value.replace(/^(crypto|process)$/, "node:$1")];
      for (const specifier of node.specifiers) {
        if (specifier.type !== "ImportSpecifier" || specifier.imported.type !== "Identifier") continue;
        report(`${specifier.imported.name} of ${node.source.value}`, names?.[specifier.imported.name], specifier);
      }
    },
  });
  return found;
}

function isDate(node: Node): boolean {
  return node.type === "Identifier" && node.name === "Date";
}

/** `a.b.c` as written, whether by dot or by a quoted key; empty when a part is computed. */
function dotted(node: Node): string {
  if (node.type === "Identifier") return node.name;
  if (node.type === "MetaProperty") return `${node.meta.name}.${node.property.name}`;
  if (node.type !== "MemberExpression") return "";
  const { property } = node;
  if (property.type === "Literal") return `${dotted(node.object)}.${String(property.value)}`;
  return property.type === "Identifier" && !node.computed ? `${dotted(node.object)}.${property.name}` : "";
}
