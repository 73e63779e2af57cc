// Records the wire of the real agents for tests/recordings: node scripts/bun.mjs scripts/record.ts [part of a recording's name].
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { agentCache, CACHE_VARIABLE } from "./agents/agent-packages.ts";
import { installAgents } from "./agents/install-agents.ts";

const recorderFile = fileURLToPath(import.meta.resolve("../tests/recordings/record-agents.ts"));
const root = resolve(import.meta.dirname, "..");
const cache = agentCache(process.env);
const installed = await installAgents(cache, { mayInstall: true, isRequired: true, withExtra: false });
if (installed.failed > 0) process.exit(1);
const recorder = Bun.spawn([process.execPath, recorderFile, ...process.argv.slice(2)], {
  cwd: root,
  env: { ...process.env, [CACHE_VARIABLE]: cache },
  stdio: ["ignore", "inherit", "inherit"],
});
process.exitCode = await recorder.exited;
