import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { probeAgent } from "../agents/install/probe-agent.ts";
import { agentEnvironment, joinPaths, loginPath } from "../agents/process/agent-environment.ts";
import type { ProcessHost } from "../agents/process/process-host.ts";
import { redactGiven } from "../lib/redact-secrets.ts";
import type { Tested } from "../protocol/agent-settings.ts";
import { VERSION } from "./version.ts";

const DETAIL_CHARS_MAX = 2_000;

interface TestAgentParts {
  readonly host: ProcessHost;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The mark by which leftover processes are found. */
  readonly marks: Readonly<Record<string, string>>;
  readonly answerTimeoutMs: number;
}

/** How an agent would be started. */
export interface TestedAgent {
  readonly name: string;
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export type TestAgent = (agent: TestedAgent) => Promise<Tested>;

const Greeting = z.object({
  agentInfo: z
    .object({ name: z.string(), title: z.string().nullish(), version: z.string().nullish() })
    .nullish()
    .catch(null),
  authMethods: z.array(z.object({ name: z.string() })).catch([]),
  agentCapabilities: z
    .object({
      loadSession: z.boolean().optional(),
      promptCapabilities: z.record(z.string(), z.unknown()).optional(),
      mcpCapabilities: z.record(z.string(), z.unknown()).optional(),
    })
    .catch({}),
});

/**
 * Starts the agent in an empty directory and asks for its name and version. No session is opened: no user data is
 * touched.
 */
export function agentTester({ host, env, marks, answerTimeoutMs }: TestAgentParts): TestAgent {
  return async ({ name, command, env: own }) => {
    const PATH = own["PATH"] ?? joinPaths(env["PATH"], await loginPath(env));
    const cwd = await mkdtemp(join(tmpdir(), "liminal-test-"));
    const told: { greeting?: unknown } = {};
    try {
      const failure = await probeAgent({
        ...{ host, command, cwd, answerTimeoutMs, clientVersion: VERSION, greetOnly: true },
        env: agentEnvironment(env, { ...own, PATH }, marks),
        signal: new AbortController().signal,
        onGreeted: (greeting) => {
          told.greeting = greeting;
        },
      });
      if (failure === null)
        return { ok: true, message: `${name} starts and answers.`, details: factsOf(told.greeting) };
      const { PATH: _own, ...given } = own;
      const redacted = (text: string) => redactGiven(text, given, env);
      const message = `Could not start ${name}: ${redacted(failure.reason).replace(/\.$/, "")}.`;
      const printed = redacted(failure.stderr).slice(-DETAIL_CHARS_MAX);
      return { ok: false, message, details: printed === "" ? [] : [printed] };
    } finally {
      await rm(cwd, { recursive: true, force: true });
    }
  };
}

function factsOf(greeting: unknown): string[] {
  const { data } = Greeting.safeParse(greeting);
  if (!data) return [];
  const { agentInfo, authMethods, agentCapabilities } = data;
  const accepts = Object.entries(agentCapabilities.promptCapabilities ?? {}).flatMap(([key, on]) =>
    on === true ? key : [],
  );
  const mcp = Object.entries(agentCapabilities.mcpCapabilities ?? {}).flatMap(([key, on]) => (on === true ? key : []));
  return [
    ...(agentInfo ? [[agentInfo.title ?? agentInfo.name, agentInfo.version].filter(Boolean).join(" ")] : []),
    ...(authMethods.length > 0 ? [`Sign-in: ${authMethods.map((method) => method.name).join(", ")}`] : []),
    ...(accepts.length > 0 ? [`Messages with: ${accepts.join(", ")}`] : []),
    `Tool servers: ${["stdio", ...mcp].join(", ")}`,
    ...(agentCapabilities.loadSession === true ? ["Keeps sessions over restarts"] : []),
  ];
}
