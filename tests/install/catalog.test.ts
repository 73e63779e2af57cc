import { expect, test } from "bun:test";
import { agentCatalog, type CatalogOptions } from "../../src/agents/catalog/agent-catalog.ts";
import type { AgentDefinition } from "../../src/agents/catalog/agent-definition.ts";
import { AgentRegistry } from "../../src/agents/catalog/agent-registry.ts";
import { CliType } from "../../src/protocol/ids.ts";

const bundled = new AgentRegistry({
  world: { now: () => 0, newId: () => "one" },
  cacheFile: "/nonexistent/registry.json",
  url: null,
  info: () => undefined,
}).entries();

function catalog(around: Partial<CatalogOptions> = {}) {
  return agentCatalog({
    env: {},
    which: () => null,
    installed: () => null,
    builtin: { command: ["guide"], env: {}, model: () => null },
    settings: () => ({ agents: [], overlays: [] }),
    registry: () => bundled,
    ...around,
  });
}

function find(definitions: readonly AgentDefinition[], id: string): AgentDefinition {
  const found = definitions.find((one) => one.id === id);
  if (!found) throw new Error(`there is no ${id}`);
  return found;
}

function withAgents(...agents: readonly AgentDefinition[]) {
  const settings = { agents, overlays: [] };
  return () => settings;
}

function own(id: string): AgentDefinition {
  const command = ["mine", id];
  const serves = { fs: true, terminal: true };
  return { id: CliType.parse(id), name: `My ${id}`, command, env: {}, process: "shared", retryDelaysMs: [], serves };
}

test("TC-2.2b Claude Code and Codex come first, then the guide, then the user's own, then the registry", () => {
  const ids = catalog({ settings: withAgents(own("mine"), own("gemini")) })
    .definitions()
    .map(({ id }) => String(id));
  expect(ids.slice(0, 5)).toEqual(["claude-code", "codex", "builtin", "mine", "gemini"]);
  expect(ids).toContain("opencode");
  expect(ids).not.toContain("claude-acp");
  expect(new Set(ids).size).toBe(ids.length);
});

test("TC-2.2b what the user configured goes before the registry, in its place, and is not installed over", () => {
  const { definitions, installTarget } = catalog({ settings: withAgents(own("claude-code"), own("gemini")) });
  expect(definitions()[0]?.command).toEqual(["mine", "claude-code"]);
  expect(find(definitions(), "gemini").command).toEqual(["mine", "gemini"]);
  expect(installTarget(CliType.parse("claude-code"))).toBeNull();
  expect(installTarget(CliType.parse("gemini"))).toBeNull();
});

test("X-5 a command of the user's goes before our install, that before a program on the PATH", () => {
  const paths = new Map([["codex-acp", "/usr/bin/codex-acp"]]);
  const installed = { version: "2.0.0", previousVersion: "1.0.0", command: ["ours"], env: { OURS: "1" } };
  const around = { which: (program: string) => paths.get(program) ?? null };
  const commandOf = (more: Partial<CatalogOptions>) =>
    find(catalog({ ...around, ...more }).definitions(), "codex").command;
  expect(commandOf({})).toEqual(["/usr/bin/codex-acp"]);
  expect(commandOf({ installed: () => installed })).toEqual(["ours"]);
  expect(commandOf({ installed: () => ({ ...installed, command: null }) })).toEqual(["/usr/bin/codex-acp"]);
  const env = { CODEX_ACP_CMD: "my 'own codex'" };
  expect(commandOf({ installed: () => installed, env })).toEqual(["my", "own codex"]);
  expect(catalog({ env }).installTarget(CliType.parse("codex"))).toBeNull();
});

test("X-5 an installed agent has its version and the one for a rollback; its own environment is used", () => {
  const installed = { version: "0.60.0", previousVersion: "0.55.0", command: ["ours"], env: { OURS: "1" } };
  const gemini = find(catalog({ installed: (id) => (id === "gemini" ? installed : null) }).definitions(), "gemini");
  expect(gemini.env).toEqual({ OURS: "1" });
  expect(gemini.details).toEqual({
    version: "0.56.0",
    description: "Google's command line agent for Gemini.",
    installable: true,
    installedVersion: "0.60.0",
    previousVersion: "0.55.0",
  });
});

test("X-5 a program on the PATH is started with the arguments of the registry", () => {
  const paths: Readonly<Record<string, string>> = { devin: "/opt/devin", gemini: "/opt/gemini", uvx: "/opt/uvx" };
  const { definitions } = catalog({ which: (program) => paths[program] ?? null });
  const commandOf = (id: string) => find(definitions(), id).command;
  expect(commandOf("gemini")).toEqual(["/opt/gemini", "--acp"]);
  expect(commandOf("devin")).toEqual(["/opt/devin", "acp"]);
  expect(commandOf("fast-agent")).toEqual(["/opt/uvx", "fast-agent-acp==0.10.1", "-x"]);
  expect(find(definitions(), "fast-agent").env).toEqual({ FAST_AGENT_MODEL: "codexplan" });
  expect(commandOf("goose")).toBeNull();
});

test("TC-5.5a a missing agent has advice on how to install it", () => {
  const { definitions, installTarget } = catalog();
  const hintOf = (id: string) => find(definitions(), id).installHint ?? "";
  expect(hintOf("gemini")).toBe("Choose Install, or install it yourself so that `gemini` is on your PATH.");
  expect(hintOf("goose")).toBe(
    "Installing it from here is not supported yet. Install Block's goose CLI so that `goose` is on your PATH, then try again.",
  );
  expect(hintOf("fast-agent")).toContain("Install uv");
  expect(installTarget(CliType.parse("goose"))).toBeNull();
  expect(installTarget(CliType.parse("nobody"))).toBeNull();
  expect(find(definitions(), "goose").details?.installable).toBe(false);
});

test("X-5 the bundled registry names one exact version of each package, and no address", () => {
  const { definitions, installTarget } = catalog();
  const installable = definitions().filter(({ details }) => details?.installable);
  expect(installable.length).toBeGreaterThan(15);
  for (const { id } of installable) expect(installTarget(id)?.package.version).toMatch(/^\d+\.\d+\.\d+/);
  expect(JSON.stringify(bundled)).not.toContain("://");
  expect(installTarget(CliType.parse("claude-code"))).toEqual({
    id: CliType.parse("claude-code"),
    name: "Claude Code",
    package: { name: "@agentclientprotocol/claude-agent-acp", version: "0.85.1" },
    args: [],
    env: {},
  });
});

test("X-5 an entry of the registry cannot take the place of the guide or of an agent with an older name", () => {
  const [first] = bundled;
  if (!first) throw new Error("the registry is empty");
  const intruders = ["builtin", "codex", "claude-code"].map((id) => ({ ...first, id, name: "Intruder" }));
  const names = catalog({ registry: () => [...intruders, ...bundled] })
    .definitions()
    .map(({ name }) => name);
  expect(names).not.toContain("Intruder");
});

test("settings change an agent of the catalog, and one whose settings are broken cannot be started (A16)", () => {
  const id = CliType.parse("codex");
  const around = { which: (program: string) => `/usr/bin/${program}` };
  const plain = find(catalog(around).definitions(), "codex");
  const overlays = [{ id, args: ["-x"], env: { A: "b" }, process: "per-session" as const, serves: { fs: false } }];
  expect(find(catalog({ ...around, settings: () => ({ agents: [], overlays }) }).definitions(), "codex")).toMatchObject(
    {
      name: plain.name,
      command: [...(plain.command ?? []), "-x"],
      env: { ...plain.env, A: "b" },
      process: "per-session",
      serves: { fs: false, terminal: true },
    },
  );
  const broken = [{ id, serves: {}, unavailable: "line 3" }];
  expect(
    find(catalog({ ...around, settings: () => ({ agents: [], overlays: broken }) }).definitions(), "codex"),
  ).toMatchObject({
    command: null,
    installHint: "line 3",
    details: { installable: false },
  });
});
