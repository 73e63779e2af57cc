import { startTalk, type Talk } from "../integration/talk.ts";
import type { TestServer } from "../support/test-server.ts";
import { type Info, McpCaller, sessionToken, ToolRefusal } from "./mcp-caller.ts";

/** What each child is told, how that ends, and what is told again when the server took its turn away. */
export const CHILDREN = [
  { plan: "stream 60 words at 400/s", ends: "done" },
  { plan: "fail", ends: "failed" },
  { plan: "sleep", ends: "cancelled" },
  { plan: "sleep", ends: "killed" },
  { plan: "run echo hello", ends: "denied" },
] as const;

/** Twice as often as a child can be interrupted in one round. */
const TRIES_MAX = 20;

export interface StoryEnd {
  readonly children: readonly Info[];
  /** By child, all that it was told. */
  readonly told: ReadonlyMap<string, readonly string[]>;
  readonly expectedToldCount: ReadonlyMap<string, number>;
  readonly interrupted: number;
  readonly repeatedCalls: number;
  /** Answers that contradict earlier ones. */
  readonly contradictions: readonly string[];
}

/** A parent's side of a story, told by a caller that repeats every call until it has an answer, as X-20 lets it. */
export class CrashStory {
  readonly #server: TestServer;
  readonly #talk: Talk;
  readonly #expected = new Map<string, number>();
  readonly #finished = new Map<string, string>();
  readonly #contradictions: string[] = [];
  #up: Promise<void> = Promise.resolve();
  #down = Promise.withResolvers<never>();
  #caller: McpCaller | null = null;
  #interrupted = 0;
  #repeatedCalls = 0;

  constructor(server: TestServer, talk: Talk) {
    this.#server = server;
    this.#talk = talk;
    this.#down.promise.catch(() => undefined);
  }

  static async begin(server: TestServer): Promise<CrashStory> {
    return new CrashStory(server, await startTalk(server, "builtin"));
  }

  /** `kill -9` and a new start; calls under way are cut off. */
  crash(): Promise<void> {
    const down = this.#down;
    this.#down = Promise.withResolvers<never>();
    this.#down.promise.catch(() => undefined);
    this.#up = (async () => {
      await this.#server.kill();
      down.reject(new Error("the server was killed"));
      await this.#server.start();
    })();
    return this.#up;
  }

  async tell(): Promise<StoryEnd> {
    const ids: string[] = [];
    for (const [index, { plan }] of CHILDREN.entries()) {
      const agentId = await this.#do((caller) => caller.create({ plan, idempotencyKey: `create ${index}` }));
      this.#expected.set(agentId, 1);
      ids.push(agentId);
    }
    await Promise.all(ids.map((agentId, index) => this.#finish(agentId, index)));
    const first = ids[0] ?? "";
    await this.#prompt(first, "stream 10 words", "more");
    await this.#untilSettled(first, "stream 10 words");
    const children = await this.#do((caller) => caller.list());
    const told = new Map<string, readonly string[]>();
    for (const { agentId } of children) {
      const { entries = [] } = await this.#do((caller) => caller.output(agentId, { limit: 100 }));
      told.set(
        agentId,
        entries.filter(({ type }) => type === "user").map(({ text }) => text),
      );
    }
    await this.#caller?.[Symbol.asyncDispose]();
    return {
      ...{ children, told, expectedToldCount: this.#expected, contradictions: this.#contradictions },
      ...{ interrupted: this.#interrupted, repeatedCalls: this.#repeatedCalls },
    };
  }

  /** Brings one child to the end that the story has for it. */
  async #finish(agentId: string, index: number): Promise<void> {
    const { plan, ends } = CHILDREN[index] ?? CHILDREN[0];
    for (let tries = 0; tries < TRIES_MAX; tries++) {
      const { status, outcome } = await this.#settledOrAsking(agentId, ends);
      if (status === "waiting") {
        const given = { agentId, answer: "deny", idempotencyKey: `deny ${index} ${tries}` };
        await this.#do((caller) => caller.call("answer_agent", given)).catch(unlessAnswered);
      } else if (outcome === "interrupted") await this.#again(agentId, plan, `${index} ${tries}`);
      else return;
    }
    throw new Error(`${agentId} never came to its end`);
  }

  async #settledOrAsking(agentId: string, ends: string): Promise<Info> {
    for (;;) {
      const info = await this.#do((caller) => caller.info(agentId));
      this.#check(info);
      if (info.status === "running" || info.status === "starting") {
        if (ends === "cancelled") await this.#do((caller) => caller.call("cancel_agent", { agentId }));
        if (ends === "killed") await this.#do((caller) => caller.call("kill_agent", { agentId }));
        await this.#do((caller) => caller.wait({ agentIds: [agentId] }));
      } else if (ends === "killed" && info.status !== "killed")
        await this.#do((caller) => caller.call("kill_agent", { agentId }));
      else return info;
    }
  }

  async #untilSettled(agentId: string, prompt: string): Promise<void> {
    for (let tries = 0; tries < TRIES_MAX; tries++) {
      const info = await this.#settledOrAsking(agentId, "done");
      if (info.outcome !== "interrupted") return;
      await this.#again(agentId, prompt, `more ${tries}`);
    }
  }

  async #again(agentId: string, prompt: string, key: string): Promise<void> {
    this.#interrupted += 1;
    await this.#prompt(agentId, prompt, `again ${key}`);
  }

  async #prompt(agentId: string, prompt: string, idempotencyKey: string): Promise<void> {
    await this.#do((caller) => caller.call("send_agent_prompt", { agentId, prompt, idempotencyKey }));
    this.#expected.set(agentId, (this.#expected.get(agentId) ?? 0) + 1);
  }

  /** What was done stays done: only a killed child is killed for ever, and only it. */
  #check({ agentId, outcome }: Info): void {
    if (this.#finished.get(agentId) === "killed" && outcome !== "killed")
      this.#contradictions.push(`${agentId} was killed and is ${outcome} now`);
    this.#finished.set(agentId, outcome);
  }

  /** The same call again and again until the server answers it, whatever happens to the server meanwhile. */
  async #do<Result>(act: (caller: McpCaller) => Promise<Result>): Promise<Result> {
    for (;;) {
      const down = this.#down.promise;
      await this.#up;
      try {
        this.#caller ??= await Promise.race([
          McpCaller.overHttp(this.#server, sessionToken(this.#server, this.#talk.sessionId)),
          down,
        ]);
        return await Promise.race([act(this.#caller), down]);
      } catch (error) {
        if (error instanceof ToolRefusal) throw error;
        this.#repeatedCalls += 1;
        // Its stream may never end by itself.
        this.#caller?.[Symbol.asyncDispose]().catch(() => undefined);
        this.#caller = null;
      }
    }
  }
}

/** The question went away with the server, or was answered by the first of two equal calls. */
function unlessAnswered(error: unknown): void {
  if (!(error instanceof ToolRefusal)) throw error;
}
