import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import type { AgentDefinition } from "../../agents/catalog/agent-definition.ts";
import { probeAgent } from "../../agents/install/probe-agent.ts";
import { agentEnvironment, joinPaths, loginPath } from "../../agents/process/agent-environment.ts";
import { AgentProcess } from "../../agents/process/agent-process.ts";
import { OWNER_VARIABLE, sweepLeftovers } from "../../agents/process/sweep-leftovers.ts";
import type { World } from "../../ports/world.ts";
import type { ServerConfig } from "../config.ts";
import { loadConfigFile } from "../config-file.ts";
import { createCatalog } from "../create-catalog.ts";
import { VERSION } from "../version.ts";
import { type Finding, note, ok, problem } from "./finding.ts";

const STDERR_CHARS_MAX = 300;
/** The built-in agent itself gives the model a minute. */
const MODEL_ANSWER_MS_MAX = 70_000;

const ModelReport = z.object({ ok: z.boolean(), message: z.string(), fix: z.string().optional() });

/** Whether each agent that is here starts and answers. Nothing is opened in it, and nothing is signed in to. */
export async function checkAgents(config: ServerConfig, world: World, only?: string): Promise<readonly Finding[]> {
  const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const { agents: configured, overlays, builtinEnv } = loadConfigFile(join(config.dataDir, "config.json"));
  const dataDir = { file: (name: string) => join(config.dataDir, name) };
  const offline = { ...config, env: { ...config.env, LIMINAL_REGISTRY_URL: "off" } };
  const { catalog } = createCatalog({
    config: offline,
    dataDir,
    world,
    configured,
    overlays,
    builtinEnv,
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

/** Where a model is set, it is asked one tiny question, by the agent that uses it: only that one knows the dialects. */
async function checkModel({ command, env: own }: AgentDefinition, config: ServerConfig): Promise<readonly Finding[]> {
  const env = agentEnvironment(config.env, own);
  if (!command || (!env["LIMINAL_MODEL_URL"] && !env["LIMINAL_MODEL"])) return [];
  const asking = Bun.spawn([...command, "--ask-model"], {
    env,
    stdin: "ignore",
    stdout: "pipe",
    stderr: "ignore",
    timeout: MODEL_ANSWER_MS_MAX,
    killSignal: "SIGKILL",
  });
  const said = (await new Response(asking.stdout).text()).trim();
  if (said === "")
    return [problem("model", `The model did not respond within ${MODEL_ANSWER_MS_MAX / 1_000} s.`, CHECK_MODEL)];
  const { ok: isWell, message, fix } = ModelReport.parse(JSON.parse(said));
  return [isWell ? ok("model", message) : problem("model", message, fix ?? CHECK_MODEL)];
}

const CHECK_MODEL = "Check LIMINAL_MODEL_URL and that the address is reachable.";
