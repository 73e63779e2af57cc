import { join, resolve } from "node:path";
import type { PublishedPackage } from "./loopback-registry.ts";

const GUIDE = resolve(import.meta.dirname, "../../builtin-agent/main.ts");

interface AgentPackageOptions {
  readonly name?: string;
  readonly version?: string;
  /** Flags the agent is always started with, for agents that misbehave. */
  readonly flags?: readonly string[];
  readonly manifest?: Readonly<Record<string, unknown>>;
  readonly tampered?: boolean;
}

let bundled: Promise<string> | null = null;

/** The built-in agent as a package of one file, the way agents are published. */
export async function agentPackage(options: AgentPackageOptions = {}): Promise<PublishedPackage> {
  const { name = "@acme/agent", version = "1.0.0", flags = [], manifest = {}, tampered = false } = options;
  bundled ??= bundle();
  const start = `process.argv.push(...${JSON.stringify(flags)});\nawait import("./guide.js");\n`;
  return {
    name,
    version,
    tampered,
    manifest: { type: "module", bin: { "acme-agent": "dist/index.js" }, ...manifest },
    files: { "dist/index.js": `#!/usr/bin/env node\n${start}`, "dist/guide.js": await bundled },
  };
}

/** An agent that Bun cannot run, for as little as a trial asks. */
export function nodeOnlyPackage(version: string): PublishedPackage {
  const lines = [
    "if (process.versions.bun) throw new Error('only Node runs this');",
    "const answers = { initialize: { protocolVersion: 1 }, 'session/new': { sessionId: 'one' } };",
    "require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {",
    "  const { id, method } = JSON.parse(line);",
    "  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result: answers[method] }) + '\\n');",
    "});",
  ];
  return { name: "@acme/agent", version, manifest: { bin: "run.js" }, files: { "run.js": lines.join("\n") } };
}

async function bundle(): Promise<string> {
  const { outputs } = await Bun.build({ entrypoints: [GUIDE], target: "bun" });
  const [output] = outputs;
  if (!output) throw new Error(`nothing was built from ${join(GUIDE)}`);
  return output.text();
}
