import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AgentDefinition } from "../../agents/catalog/agent-definition.ts";
import { probeAgent } from "../../agents/install/probe-agent.ts";
import { agentEnvironment, joinPaths, loginPath } from "../../agents/process/agent-environment.ts";
import { AgentProcess } from "../../agents/process/agent-process.ts";
import { OWNER_VARIABLE, sweepLeftovers } from "../../agents/process/sweep-leftovers.ts";
import type { World } from "../../ports/world.ts";
import { askBuiltin, MODEL_FILE, ModelReport } from "../builtin-model.ts";
import type { ServerConfig } from "../config.ts";
import { loadConfigFile } from "../config-file.ts";
import { createCatalog } from "../create-catalog.ts";
import { VERSION } from "../version.ts";
import { type Finding, note, ok, problem } from "./finding.ts";

const STDERR_CHARS_MAX = 300;

/** Checks that each installed agent starts and answers. Opens no session and does not sign in. */
export async function checkAgents(config: ServerConfig, world: World, only?: string): Promise<readonly Finding[]> {
  const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const file = loadConfigFile(join(config.dataDir, "config.json"), config.env);
  const dataDir = { file: (name: string) => join(config.dataDir, name) };
  const offline = { ...config, env: { ...config.env, LIMINAL_REGISTRY_URL: "off" } };
  const { catalog } = createCatalog({
    config: offline,
    dataDir,
    world,
    settings: () => file,
    model: () => null,
    logger: quiet,
  });
  const wanted = catalog.definitions().filter(({ id }) => only === undefined || id === only);
  if (only !== undefined && wanted.length === 0)
    return [problem(`agent:${only}`, `Unknown agent "${only}".`, "List agents with: liminal agents --all")];
  const path = joinPaths(config.env["PATH"], await loginPath(config.env));
  const findings: Finding[] = [];
  for (const definition of wanted) {
    const finding = await checkAgent(definition, config, world, path, only !== undefined);
    if (finding) findings.push(finding);
    if (definition.id === "builtin" && finding?.status === "ok")
      findings.push(...(await checkModel(definition, config)));
  }
  return findings;
}

async function checkAgent(
  { id, name, command, env: own, installHint }: AgentDefinition,
  config: ServerConfig,
  world: World,
  path: string,
  isWanted: boolean,
): Promise<Finding | null> {
  const about = `agent:${id}`;
  if (!command)
    return isWanted ? note(about, `${name} is not installed.`, installHint ?? `liminal agents install ${id}`) : null;
  const owner = `doctor-${world.newId()}`;
  const cwd = mkdtempSync(join(tmpdir(), "liminal-doctor-"));
  try {
    const failure = await probeAgent({
      host: { start: (spec) => new AgentProcess(spec) },
      command,
      cwd,
      env: agentEnvironment(config.env, { PATH: path, NO_BROWSER: "1" }, own, { [OWNER_VARIABLE]: owner }),
      clientVersion: VERSION,
      answerTimeoutMs: config.startTimeoutMs,
      signal: new AbortController().signal,
      greetOnly: true,
    });
    if (failure === null) return ok(about, `${name} starts and responds.`);
    const complaint = failure.stderr.trim().slice(-STDERR_CHARS_MAX);
    const message = `${name} does not start: ${failure.reason}${complaint === "" ? "" : `\n${complaint}`}`;
    return problem(
      about,
      message,
      `Check its command: ${command.join(" ")}. Correct it in config.json, or: liminal agents install ${id}`,
    );
  } finally {
    sweepLeftovers(owner);
    rmSync(cwd, { recursive: true, force: true });
  }
}

/** A configured model gets one tiny request, sent by the agent that uses it, because only that knows the API dialects. */
async function checkModel({ command, env: own }: AgentDefinition, config: ServerConfig): Promise<readonly Finding[]> {
  const env = agentEnvironment(config.env, own);
  const isSet = env["LIMINAL_MODEL_URL"] || env["LIMINAL_MODEL"] || existsSync(join(config.dataDir, MODEL_FILE));
  if (!isSet) return [];
  const { ok: isWell, message, fix } = ModelReport.parse(await askBuiltin(command, env, "--ask-model"));
  return [isWell ? ok("model", message) : problem("model", message, fix ?? CHECK_MODEL)];
}

const CHECK_MODEL = "Check the address of the model, and that it can be reached.";
