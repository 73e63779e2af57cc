import { isBuiltin } from "node:module";
import { type Import, importsOf } from "./imports-of.ts";
import { isTest, type SourceFile } from "./source-file.ts";

const EVERYONE = ["protocol", "lib"];
const SERVER_SIDE = [
  "bridge",
  "access",
  "orchestration",
  "sessions",
  "fanout",
  "workspace",
  "agents",
  "store",
  "terminals",
  "places",
  "ports",
];

/** For the version, which is only there. */
const VERSION = "package.json";

/** The architecture, as data. A layer may import itself, these, and nothing else of the repository. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  protocol: [],
  lib: [],
  presentation: EVERYONE,
  ports: EVERYONE,
  sessions: [...EVERYONE, "ports", "presentation"],
  agents: [...EVERYONE, "ports"],
  store: [...EVERYONE, "ports", "presentation"],
  fanout: [...EVERYONE, "ports"],
  workspace: [...EVERYONE, "ports"],
  access: [...EVERYONE, "ports"],
  terminals: [...EVERYONE, "ports"],
  places: [...EVERYONE, "ports", "agents", "workspace", "terminals"],
  bridge: [...EVERYONE, "access", "sessions", "fanout", "workspace"],
  orchestration: [...EVERYONE, "sessions", "fanout", "workspace"],
  client: EVERYONE,
  ui: [...EVERYONE, "client", "presentation"],
  page: [...EVERYONE, "client", "presentation", "ui"],
  frame: [...EVERYONE, "client", "presentation", "ui"],
  cli: [...EVERYONE, "client", "presentation", "bin", VERSION],
  "cli/serve": [...EVERYONE, "client", "cli", "server", "operations", "places", "bin", VERSION],
  operations: [...EVERYONE, ...SERVER_SIDE, VERSION],
  server: [...EVERYONE, ...SERVER_SIDE, "operations", VERSION],
  // Of the workspace, what lists files and runs Git without running what a repository names.
  "builtin-agent": ["lib", "workspace"],
  bin: [],
  scripts: ["bin", "operations"],
};

/** Packages a layer may use, where that is less than all of them. */
const PACKAGES_OF: Readonly<Record<string, readonly string[]>> = {
  protocol: ["zod"],
  lib: [],
  presentation: ["diff", "highlight.js"],
};

/** These run in a browser, or travel to one. */
const BROWSER_SAFE = ["protocol", "lib", "presentation", "client", "ui", "page", "frame"];

/** Imports that the map does not allow, and unknown layers. */
export function wrongArrows(files: readonly SourceFile[]): string[] {
  return files.filter((file) => !isTest(file.path)).flatMap(judgeFile);
}

function judgeFile(file: SourceFile): string[] {
  const from = layerOf(file.path);
  const allowed = MAY_IMPORT[from];
  if (allowed === undefined) return [`${file.path}: "${from}" is no layer; move the file, or add the layer to the map`];
  return importsOf(file).flatMap((made) =>
    made.target === undefined ? judgePackage(from, made) : judgeArrow(from, allowed, made.target, made.place),
  );
}

function judgeArrow(from: string, allowed: readonly string[], target: string, place: string): string[] {
  const to = layerOf(target);
  if (isTest(target)) return [`${place}: imports the test code ${target}; move what it needs out of the tests`];
  // A command is reached from the entry point of its own folder, which thereby does not itself see the server.
  if (from === to || allowed.includes(to) || (from === "cli" && to === "cli/serve")) return [];
  const may = allowed.length > 0 ? allowed.join(", ") : "nothing";
  return [`${place}: ${from} -> ${to} (${target}); ${from} may import ${may}: pass it in, or meet in ports`];
}

function judgePackage(from: string, { specifier, place }: Import): string[] {
  if (specifier === "bun" || specifier.startsWith("bun:") || isBuiltin(specifier)) {
    if (!BROWSER_SAFE.includes(from)) return [];
    return [
      `${place}: imports ${specifier}, but ${from} has to run in a browser; pass the ability in from the server side`,
    ];
  }
  const allowed = PACKAGES_OF[from];
  if (allowed === undefined || allowed.some((name) => specifier === name || specifier.startsWith(`${name}/`)))
    return [];
  return [`${place}: imports ${specifier}; ${from} may use ${allowed.join(", ") || "no package"}`];
}

/** The folder that says which rules hold; what deals with the server itself, and not over its wire, is a layer of its own. */
function layerOf(path: string): string {
  if (
    /^src\/cli\/(serve|stop|open|doctor|backup|restore|running-server|start-in-background|service|update|uninstall|runner|place|move)\.ts$/.test(
      path,
    )
  )
    return "cli/serve";
  const [first = "", second = ""] = path.split("/");
  return first === "src" ? second : first;
}
