import { expect } from "bun:test";
import { ONCE_OPTIONS } from "../integration/asking-agent.ts";
import { chunk, script, scriptedAgent } from "../integration/scripted-agent.ts";
import { reopen, startTalk, type Talk } from "../integration/talk.ts";
import { type AgentSetting, startTestServer, type TestServer } from "../support/test-server.ts";

export type Step = Parameters<typeof script>[number];
export const END = { end: "end_turn" };

export const update = (sessionUpdate: string, more: object): Step => ({ update: { sessionUpdate, ...more } });
export const thought = (text: string): Step => update("agent_thought_chunk", { content: { type: "text", text } });
export const tool = (toolCallId: string, more: object): Step => update("tool_call", { toolCallId, ...more });
export const toolUpdate = (toolCallId: string, more: object): Step =>
  update("tool_call_update", { toolCallId, ...more });
export const textContent = (text: string) => [{ type: "content", content: { type: "text", text } }];
export const question = (toolCall: object, options: object[] = ONCE_OPTIONS): Step => ({
  ask: { id: "question", method: "session/request_permission", params: { toolCall, options } },
});

/** One server on which agents play what real ones do, each quirk in a session of its own. */
export class QuirkScene implements AsyncDisposable {
  readonly server: TestServer;
  readonly #talks: Talk[] = [];

  private constructor(server: TestServer) {
    this.server = server;
  }

  static async open(agents: Readonly<Record<string, AgentSetting>> = {}): Promise<QuirkScene> {
    return new QuirkScene(await startTestServer({ agents: { scripted: scriptedAgent(), ...agents } }));
  }

  async talk(cliType = "scripted"): Promise<Talk> {
    const talk = await startTalk(this.server, cliType);
    this.#talks.push(talk);
    return talk;
  }

  /** A session in which the agent has played these steps to the end of its turn. */
  async played(...steps: Step[]): Promise<Talk> {
    const talk = await this.talk();
    await talk.say(script(...steps));
    return talk;
  }

  /** Whatever the agent did: nothing runs, asks or is listed twice, every reader agrees, and the next turn works. */
  async expectCalm(talk: Talk): Promise<void> {
    const { turn, pending } = talk.state;
    expect({ turn: turn.state, pending }).toEqual({ turn: "idle", pending: [] });
    expect(talk.tools.filter(({ status }) => status === "running")).toEqual([]);
    const ids = talk.entries.map(({ entryId }) => entryId);
    expect(new Set(ids).size).toBe(ids.length);
    const before = talk.entries;
    await talk.say(script(chunk("Next."), END));
    expect(talk.entries.slice(0, before.length)).toEqual(before);
    expect(talk.entries.slice(before.length).map(({ type }) => type)).toEqual(["user", "assistant"]);
    const fresh = await reopen(await this.server.connect(), talk);
    expect(fresh.entries).toEqual(talk.entries);
  }

  /** Every session is on disk as it was shown: a server that was killed and started again shows the same. */
  async expectKept(): Promise<void> {
    await this.server.kill();
    await this.server.start();
    const client = await this.server.connect();
    for (const talk of this.#talks) expect((await reopen(client, talk)).entries).toEqual(talk.entries);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server[Symbol.asyncDispose]();
  }
}
