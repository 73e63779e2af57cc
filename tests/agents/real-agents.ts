import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Glob } from "bun";
import { AGENT_PACKAGES, type AgentPackage, agentCache, agentFolder } from "../../scripts/agents/agent-packages.ts";
import type { Json } from "../../src/protocol/json.ts";
import { toolLine } from "./model-server/script.ts";

/** A real agent as our server starts it. */
export interface TalkingAgent {
  readonly name: AgentPackage["name"];
  readonly cliType: string;
  readonly title: string;
  readonly isInstalled: boolean;
  /** Puts its settings into `home` and gives the environment that keeps it there and on loopback. */
  settle(home: string, modelOrigin: string): Promise<Readonly<Record<string, string>>>;
  /** The mode in which it asks before it changes anything, where that is not its first. */
  readonly askingMode: string | null;
  /** A script line that runs a command. */
  shell(command: string): string;
  /** Script lines that replace the one line `before` of a file by `after`. */
  edit(file: string, before: string, after: string): string;
}

/** With all the words that its own tools go by. */
export interface RealAgent extends TalkingAgent {
  readonly name: "claude" | "codex";
  readonly cliType: "claude-code" | "codex";
  readonly title: "Claude Code" | "Codex";
  /** The rule of product.md that one whole turn with this agent proves. */
  readonly rule: "TC-2.2d" | "TC-2.2e";
  /** Holds the command that starts it. */
  readonly variable: "CLAUDE_ACP_CMD" | "CODEX_ACP_CMD";
  /** The mode in which it edits files without asking. */
  readonly editingMode: string;
  /** A script line that runs a command it has to ask for. */
  shellWithQuestion(command: string): string;
  /** Script lines that find a tool of an MCP server, which is not told to the model at first, and call it. */
  mcpTool(server: string, tool: string, input: Json): string;
}

const claude: RealAgent = {
  ...installed("claude"),
  cliType: "claude-code",
  title: "Claude Code",
  rule: "TC-2.2d",
  variable: "CLAUDE_ACP_CMD",
  askingMode: null,
  editingMode: "acceptEdits",
  async settle(home, modelOrigin) {
    const config = join(home, "claude");
    await mkdir(config);
    return {
      CLAUDE_ACP_CMD: commandOf("claude"),
      CLAUDE_CONFIG_DIR: config,
      ANTHROPIC_BASE_URL: modelOrigin,
      ANTHROPIC_API_KEY: "made-up",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      CLAUDE_CODE_MAX_RETRIES: "1",
      DISABLE_AUTOUPDATER: "1",
      NO_BROWSER: "1",
    };
  },
  shell: (command) => toolLine("Bash", { command, description: "Run it" }),
  shellWithQuestion: (command) => toolLine("Bash", { command, description: "Run it" }),
  edit: (file, before, after) =>
    [
      toolLine("Read", { file_path: file }),
      toolLine("Edit", { file_path: file, old_string: before, new_string: after }),
    ].join("\n"),
  mcpTool: (server, tool, input) =>
    [
      toolLine("ToolSearch", { query: `select:mcp__${server}__${tool}`, max_results: 1 }),
      toolLine(`mcp__${server}__${tool}`, input),
    ].join("\n"),
};

const codex: RealAgent = {
  ...installed("codex"),
  cliType: "codex",
  title: "Codex",
  rule: "TC-2.2e",
  variable: "CODEX_ACP_CMD",
  askingMode: "read-only",
  editingMode: "workspace-write",
  async settle(home, modelOrigin) {
    const config = join(home, "codex");
    const temporary = join(home, "tmp");
    await Promise.all([mkdir(config), mkdir(temporary)]);
    await writeFile(join(config, "config.toml"), codexConfig(modelOrigin));
    return {
      // As for a user, whose home is not inside the temporary folder: in one that is, Codex makes no helper programs,
      // and without them its sandbox does not start under a bubblewrap older than 0.9.
      TMPDIR: temporary,
      CODEX_ACP_CMD: commandOf("codex"),
      CODEX_HOME: config,
      SCRIPTED_KEY: "made-up",
      MODEL_PROVIDER: "scripted",
      NO_BROWSER: "1",
    };
  },
  shell: (command) => toolLine("exec_command", { cmd: command }),
  shellWithQuestion: (command) =>
    toolLine("exec_command", {
      cmd: command,
      sandbox_permissions: "require_escalated",
      justification: "May it run outside of the sandbox?",
    }),
  edit: (file, before, after) =>
    toolLine("apply_patch", `*** Begin Patch\n*** Update File: ${file}\n@@\n-${before}\n+${after}\n*** End Patch\n`),
  mcpTool: (server, tool, input) =>
    [toolLine("tool_search", { query: `${server} ${tool}` }), toolLine(`mcp__${server}/${tool}`, input)].join("\n"),
};

export const REAL_AGENTS: readonly RealAgent[] = [claude, codex];

/** Only for what differs from the others. It is started by its entry in our settings: `openCodeSettings`. */
export const OPENCODE: TalkingAgent = {
  ...installed("opencode"),
  cliType: "opencode",
  title: "OpenCode",
  askingMode: null,
  async settle(home, modelOrigin) {
    const root = join(home, "opencode");
    await mkdir(join(root, "config/opencode"), { recursive: true });
    const model = { provider: "scripted", id: "scripted-1" };
    const config = {
      model: `${model.provider}/${model.id}`,
      autoupdate: false,
      enabled_providers: [model.provider],
      provider: {
        [model.provider]: {
          npm: "@ai-sdk/openai-compatible",
          name: "Scripted",
          options: { baseURL: `${modelOrigin}/v1`, apiKey: "made-up" },
          models: { [model.id]: { name: "Scripted" } },
        },
      },
    };
    await writeFile(join(root, "config/opencode/opencode.json"), JSON.stringify(config));
    const folders = ["config", "data", "state", "cache"];
    return {
      ...Object.fromEntries(folders.map((name) => [`XDG_${name.toUpperCase()}_HOME`, join(root, name)])),
      OPENCODE_DISABLE_AUTOUPDATE: "1",
      OPENCODE_DISABLE_MODELS_FETCH: "1",
      OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
      OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
    };
  },
  shell: (command) => toolLine("bash", { command, description: "Run it" }),
  edit: (file, before, after) => toolLine("edit", { filePath: file, oldString: before, newString: after }),
};

/** What makes our server start it. */
export function openCodeSettings(): object {
  const agent = packageOf("opencode");
  const command = join(agentFolder(agentCache(process.env), agent), agent.entry);
  return { agents: { opencode: { name: "OpenCode", command, args: ["acp"] } } };
}

/** A model name that Codex knows, so that it offers its patch tool; nothing that would look for the network. */
function codexConfig(modelOrigin: string): string {
  return `model = "gpt-5.5"
model_provider = "scripted"
check_for_update_on_startup = false

[model_providers.scripted]
name = "Scripted"
base_url = "${modelOrigin}/v1"
wire_api = "responses"
env_key = "SCRIPTED_KEY"
request_max_retries = 1
stream_max_retries = 0

[features]
plugins = false
apps = false
daemon_auto_start = false

[notice.model_migrations]
"gpt-5.5" = "gpt-6-sol"
`;
}

/** The bubblewrap that comes with Codex; undefined where its package has none. */
export function codexBubblewrap(): string | undefined {
  const folder = agentFolder(agentCache(process.env), packageOf("codex"));
  const [own] = new Glob("node_modules/@openai/*/vendor/*/codex-resources/bwrap").scanSync({ cwd: folder });
  return own === undefined ? undefined : join(folder, own);
}

function installed<Name extends AgentPackage["name"]>(name: Name): { name: Name; isInstalled: boolean } {
  return { name, isInstalled: existsSync(agentFolder(agentCache(process.env), packageOf(name))) };
}

/** On our own Bun: both run on it, and no machine needs a second runtime for the tests. */
function commandOf(name: AgentPackage["name"]): string {
  const agent = packageOf(name);
  const entry = join(agentFolder(agentCache(process.env), agent), agent.entry);
  return [process.execPath, entry].map((word) => `'${word}'`).join(" ");
}

function packageOf(name: AgentPackage["name"]): AgentPackage {
  const found = AGENT_PACKAGES.find((agent) => agent.name === name);
  if (!found) throw new Error(`no package for ${name}`);
  return found;
}
