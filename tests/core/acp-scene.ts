import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { AcpAgent } from "../../src/agents/acp/acp-agent.ts";
import { WireTrace } from "../../src/agents/acp/connection/wire-trace.ts";
import { AgentProcess } from "../../src/agents/process/agent-process.ts";
import type { ProcessHost } from "../../src/agents/process/process-host.ts";
import type { AgentEvent, AgentSession, QuestionDesk, RestoreRequest } from "../../src/ports/agents.ts";
import { CliType } from "../../src/protocol/ids.ts";
import { type Message, parseObject } from "../builtin-agent/message.ts";
import { watchProcesses } from "../support/leftover-processes.ts";
import { tempDir } from "../support/temp-dir.ts";
import { DEADLINE_MS } from "../support/wait-for.ts";
import { countingWorld } from "./counting-world.ts";
import { turnId } from "./names.ts";

const GUIDE = join(import.meta.dir, "../../builtin-agent/main.ts");
export const EPOCH = "epoch1";

/** Agents as plain children: what they leave behind is the test's to find. */
export const PLAIN_HOST: ProcessHost = { start: (spec) => new AgentProcess(spec) };

/** Ignores questions that belong to no session. */
export const NO_DESK: QuestionDesk = { ask: (_, answer) => answer({ action: "decline" }), withdraw: () => undefined };

/** An agent's command line and what its environment has besides the usual. */
export interface AgentProgram {
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** An agent, by default the built-in one with some flags, and its output. */
export class AcpScene implements AsyncDisposable {
  readonly agent: AcpAgent;
  readonly cwd: string;
  readonly trace = new WireTrace(Date.now);
  readonly events: AgentEvent[] = [];
  turnsCompleted = 0;
  unstoppable = 0;
  readonly #dispose: () => Promise<void>;
  readonly #waiting = new Set<() => void>();
  #turns = 0;

  private constructor({ command, env }: AgentProgram, dir: string, dispose: () => Promise<void>) {
    this.#dispose = dispose;
    this.cwd = join(dir, "project");
    this.agent = new AcpAgent({
      id: CliType.parse("builtin"),
      name: "Guide",
      host: PLAIN_HOST,
      processId: "process1",
      held: null,
      onError: (error) => {
        throw error;
      },
      command,
      cwd: dir,
      env: { PATH: process.env["PATH"] ?? "", HOME: dir, LIMINAL_GUIDE_DIR: join(dir, "guide"), ...env },
      epoch: EPOCH,
      trace: this.trace,
      world: countingWorld(),
      clientVersion: "1",
      onTurnCompleted: () => void this.turnsCompleted++,
      onUnstoppable: () => void this.unstoppable++,
      serves: { fs: false, terminal: false },
      guarded: [],
      desk: NO_DESK,
    });
  }

  /** Not yet initialized. */
  static start(...flags: string[]): Promise<AcpScene> {
    return AcpScene.startProgram({ command: [process.execPath, GUIDE, ...flags], env: {} });
  }

  /** Not yet initialized. */
  static async startProgram({ command, env }: AgentProgram): Promise<AcpScene> {
    const dir = await tempDir();
    const processes = watchProcesses();
    await mkdir(dir.join("project"));
    const dispose = async () => {
      processes[Symbol.dispose]();
      await dir[Symbol.asyncDispose]();
    };
    return new AcpScene({ command, env: { ...processes.env, ...env } }, dir.path, dispose);
  }

  /** Initialized, with one session. */
  static async open(...flags: string[]): Promise<AcpScene & { session: AgentSession }> {
    return AcpScene.opened(await AcpScene.start(...flags));
  }

  static async opened(scene: AcpScene): Promise<AcpScene & { session: AgentSession }> {
    await scene.agent.initialize();
    return Object.assign(scene, { session: await scene.newSession() });
  }

  readonly signal = new AbortController().signal;

  readonly sink = (event: AgentEvent): void => {
    this.events.push(event);
    for (const look of this.#waiting) look();
  };

  newSession(): Promise<AgentSession> {
    return this.agent.newSession(this);
  }

  restore(restore: Partial<RestoreRequest> & { agentSessionId: string }): Promise<AgentSession> {
    const last = async () => ({ message: "", answer: "" });
    return this.agent.restoreSession({ createdAt: 0, seenAt: Date.now(), userMessages: 1, last, ...restore }, this);
  }

  /** Sends a prompt and waits for the end of its turn. */
  async ask(session: AgentSession, content: string): Promise<AgentEvent> {
    const turn = turnId(`turn-${++this.#turns}`);
    session.prompt(turn, content, []);
    return this.until((event) => "turnId" in event && event.turnId === turn);
  }

  /** The first event, past or future, of that kind. */
  until(matches: (event: AgentEvent) => boolean): Promise<AgentEvent> {
    return new Promise((resolve, reject) => {
      const finish = (act: () => void) => {
        clearTimeout(deadline);
        this.#waiting.delete(look);
        act();
      };
      const look = () => {
        const found = this.events.find(matches);
        if (found) finish(() => resolve(found));
      };
      const deadline = setTimeout(
        () => finish(() => reject(new Error(`waited in vain; heard ${Bun.inspect(this.events)}`))),
        DEADLINE_MS,
      );
      this.#waiting.add(look);
      look();
    });
  }

  /** The agent's answer, without its thoughts. */
  get text(): string {
    return this.events.map((event) => (event.type === "text" && event.kind === "assistant" ? event.text : "")).join("");
  }

  of<Type extends AgentEvent["type"]>(type: Type): Extract<AgentEvent, { type: Type }>[] {
    return this.events.filter((event): event is Extract<AgentEvent, { type: Type }> => event.type === type);
  }

  /** Every message that went to the agent. */
  get sent(): Message[] {
    return this.trace.recent().flatMap(({ direction, text }) => {
      const message = direction === "out" ? parseObject(text) : undefined;
      return message ? [message] : [];
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.agent.stop();
    await this.#dispose();
  }
}
