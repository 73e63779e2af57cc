import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import type { ChangesEntry, Entry, Part, ToolCallEntry } from "../../src/protocol/entry.ts";
import { isPermission } from "../../src/protocol/pending-request.ts";
import type { SessionState } from "../../src/protocol/session-schema.ts";
import type { Message, SocketClient } from "../support/socket-client.ts";
import { type TempDir, tempDir } from "../support/temp-dir.ts";
import { startTestServer, type TestServer } from "../support/test-server.ts";
import { type ModelServer, type Plan, startModelServer } from "./model-server/model-server.ts";
import type { TalkingAgent } from "./real-agents.ts";

const AgentProcessStatus = z.looseObject({ id: z.string(), pid: z.int().nullable(), restarts: z.int() });
type AgentProcessStatus = z.infer<typeof AgentProcessStatus>;
const Status = z.looseObject({ agents: z.array(AgentProcessStatus) });

/** The file that edits change. */
export const EDITED_FILE = "hello.txt";
export const EDITED_TEXT = "line one\nline two\nline three\n";

/** `await using scene = await openAgentScene(agent)`: our real server, a real agent, and a scripted model behind it. */
export async function openAgentScene(
  agent: TalkingAgent,
  config: object = {},
  plan?: Plan,
  others: readonly TalkingAgent[] = [],
): Promise<AgentScene> {
  const home = await tempDir();
  const model = startModelServer(plan);
  const settled = await Promise.all([agent, ...others].map((one) => one.settle(home.path, model.origin)));
  const env: Readonly<Record<string, string>> = Object.assign({}, ...settled);
  const server = await startTestServer({
    env,
    prepare: (dataDir) => writeFile(join(dataDir, "config.json"), JSON.stringify(config)),
  });
  const client = await server.connect();
  return new AgentScene({ agent, home, model, server, client, env });
}

interface SceneParts {
  readonly agent: TalkingAgent;
  readonly home: TempDir;
  readonly model: ModelServer;
  readonly server: TestServer;
  readonly client: SocketClient;
  readonly env: Readonly<Record<string, string>>;
}

export class AgentScene implements AsyncDisposable {
  readonly agent: TalkingAgent;
  readonly model: ModelServer;
  readonly server: TestServer;
  /** What the agent needs to be started with. */
  readonly env: Readonly<Record<string, string>>;
  readonly #home: TempDir;
  #client: SocketClient;
  #projects = 0;

  constructor(parts: SceneParts) {
    this.agent = parts.agent;
    this.model = parts.model;
    this.server = parts.server;
    this.env = parts.env;
    this.#client = parts.client;
    this.#home = parts.home;
  }

  get client(): SocketClient {
    return this.#client;
  }

  /** A session in a project of its own, followed by the client. */
  async newSession(): Promise<AgentTalk> {
    this.#projects += 1;
    const directory = await this.server.directory(`project-${this.#projects}`);
    await writeFile(join(directory, EDITED_FILE), EDITED_TEXT);
    const { project } = await this.client.ask("project:added", { type: "project:add", path: directory });
    const { sessionId } = await this.client.ask("session:created", {
      type: "session:create",
      projectId: project.id,
      cliType: this.agent.cliType,
    });
    await this.client.ask("session:history", { type: "session:open", sessionId });
    return new AgentTalk(this, sessionId, directory);
  }

  /** The same session after a restart of the server, read by a new client. */
  async reopen({ sessionId, directory }: AgentTalk): Promise<AgentTalk> {
    this.#client = await this.server.connect();
    await this.client.ask("session:history", { type: "session:open", sessionId });
    return new AgentTalk(this, sessionId, directory);
  }

  /** `kill -9` of the agent alone; the server detects and reports it. */
  async killAgent(): Promise<void> {
    const mark = this.client.mark();
    const { pid } = await this.agentStatus();
    if (pid === null) throw new Error("the agent does not run");
    process.kill(pid, "SIGKILL");
    await this.client.next("agent:status", ({ status }) => status === "disconnected", mark);
  }

  /** The server's report about the agent's process. */
  async agentStatus(): Promise<AgentProcessStatus> {
    const answer = Status.parse(await (await this.server.fetch("/api/status")).json());
    const found = answer.agents.find(({ id }) => id === this.agent.cliType);
    if (!found) throw new Error(`${this.agent.title} does not run`);
    return found;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      await this.server[Symbol.asyncDispose]();
    } catch (error) {
      // Thrown while a test fails, it would hide in the error of both.
      console.error(error);
      throw error;
    } finally {
      await this.model[Symbol.asyncDispose]();
      await this.#home[Symbol.asyncDispose]();
    }
  }
}

/** One session with the real agent, as a person at the page would use it. */
export class AgentTalk {
  readonly scene: AgentScene;
  readonly sessionId: string;
  readonly directory: string;
  #turnBefore: string | undefined;

  constructor(scene: AgentScene, sessionId: string, directory: string) {
    this.scene = scene;
    this.sessionId = sessionId;
    this.directory = directory;
  }

  get state(): SessionState {
    return this.scene.client.sessions.state(this.sessionId);
  }

  /** The transcript, oldest first, without the lines about changed files: they follow a moment after a turn. */
  get entries(): readonly Entry[] {
    return [...this.state.settled, ...this.state.open].filter(({ type }) => type !== "changes");
  }

  get changes(): readonly ChangesEntry[] {
    return [...this.state.settled, ...this.state.open].filter((entry) => entry.type === "changes");
  }

  get tools(): readonly ToolCallEntry[] {
    return this.entries.filter((entry) => entry.type === "tool-call");
  }

  get file(): string {
    return join(this.directory, EDITED_FILE);
  }

  /** Chooses the mode in which the agent asks, where it has to be chosen. */
  async askFirst(): Promise<void> {
    const { askingMode } = this.scene.agent;
    if (askingMode !== null) await this.configure("mode", askingMode);
  }

  async configure(configId: string, value: string): Promise<void> {
    const { sessionId } = this;
    const { config } = await this.scene.client.ask("session:config", {
      type: "session:configure",
      sessionId,
      configId,
      value,
    });
    const option = config.options.find(({ id }) => id === configId);
    if (option?.currentValue !== value) throw new Error(`${configId} is ${Bun.inspect(option)}`);
  }

  /** Sends; the answer comes later. */
  send(...lines: string[]): Promise<void> {
    return this.sendWith([], ...lines);
  }

  async sendWith(attachments: Part[], ...lines: string[]): Promise<void> {
    this.#turnBefore = this.state.turn.turnId;
    await this.scene.client.ask("ok", {
      type: "session:send",
      sessionId: this.sessionId,
      content: lines.join("\n"),
      commandId: crypto.randomUUID(),
      ...(attachments.length > 0 && { attachments }),
    });
  }

  /** Sends and waits until the turn is over; the state then. */
  async run(...lines: string[]): Promise<SessionState> {
    await this.send(...lines);
    return this.untilEnded();
  }

  /** The end of the turn that the last send has started, which may be past already. */
  untilEnded(): Promise<SessionState> {
    return this.scene.client.untilState(
      this.sessionId,
      "the end of the turn",
      ({ turn }) => turn.state === "idle" && turn.turnId !== this.#turnBefore,
    );
  }

  /** No process of the test runs, whoever started it. */
  untilIdle(): Promise<SessionState> {
    return this.scene.client.untilState(this.sessionId, "an idle session", ({ turn }) => turn.state === "idle");
  }

  /** A tool call that is in some state. */
  untilTool(what: string, matches: (entry: ToolCallEntry) => boolean): Promise<ToolCallEntry> {
    return this.scene.client.until(what, () =>
      this.entries.find((entry): entry is ToolCallEntry => entry.type === "tool-call" && matches(entry)),
    );
  }

  /** The permission the agent waits for. */
  async untilAsked(): Promise<Message<"permission:request">> {
    const { client } = this.scene;
    return client.until("a permission request", () =>
      client.all("permission:request").findLast(({ permissionId, sessionId }) => {
        const isOpen = this.state.pending.filter(isPermission).some((one) => one.permissionId === permissionId);
        return sessionId === this.sessionId && isOpen && this.state.turn.state === "waiting";
      }),
    );
  }

  /** Answers it by the first option of a kind. */
  async answer(asked: Message<"permission:request">, kind: string): Promise<void> {
    const option = asked.options.find((one) => one.kind === kind);
    if (!option) throw new Error(`no ${kind} among ${Bun.inspect(asked.options)}`);
    await this.scene.client.ask("permission:resolved", {
      type: "permission:respond",
      sessionId: this.sessionId,
      permissionId: asked.permissionId,
      optionId: option.optionId,
    });
  }

  async cancel(): Promise<void> {
    await this.scene.client.ask("ok", { type: "session:cancel", sessionId: this.sessionId });
  }
}
