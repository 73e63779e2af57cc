import { describe, expect, it } from "bun:test";
import { AcpScene } from "../../../tests/core/acp-scene.ts";
import type { AgentEvent } from "../../ports/agents.ts";
import { latestTime } from "./acp-agent.ts";

/** A closed conversation with two user messages. The recorded output is cleared before it is opened again. */
async function restored(...flags: string[]) {
  const at = await AcpScene.open(...flags);
  await at.ask(at.session, "stream 2 words");
  await at.ask(at.session, "think");
  await at.session.close();
  at.events.length = 0;
  return at;
}

function asked(at: AcpScene): unknown[] {
  return at.sent.map(({ method }) => method).filter((method) => String(method).startsWith("session/"));
}

/** Texts of the replayed user messages. */
const wordsIn = (events: readonly AgentEvent[]) =>
  events.flatMap((event) => (event.type === "text" && event.kind === "user" ? [event.text] : []));
const said = (at: AcpScene) => [...at.of("text"), ...at.of("tool"), ...at.of("part")];

describe("AcpAgent: restoring a conversation (W-4)", () => {
  it("resumes it without replaying it if the agent supports that", async () => {
    await using at = await restored();
    const session = await at.restore({ agentSessionId: at.session.agentSessionId, userMessages: 2 });
    expect([session.origin, session.agentSessionId]).toEqual(["resumed", at.session.agentSessionId]);
    expect(asked(at).slice(-2)).toEqual(["session/list", "session/resume"]);
    expect([said(at), at.of("options").length]).toEqual([[], 1]);
    await at.ask(session, "stream 1 words");
    expect(at.text.trim()).toBe("w1");
  });

  it("CV-4 (A4) loads it if the agent's copy is newer than the stored state, or its age is unknown", async () => {
    for (const [flags, seenAt] of [
      [[], 0],
      [[], null],
      [["--without", "list"], Date.now()],
    ] as const) {
      await using at = await restored(...flags);
      const { agentSessionId } = at.session;
      expect((await at.restore({ agentSessionId, userMessages: 2, seenAt })).origin).toBe("loaded");
      expect(at.of("replayed")).toHaveLength(1);
    }
  });

  it("CV-4 (A4) treats a time in whole seconds as any moment of that second", () => {
    const seenAt = Date.parse("2026-01-01T00:00:03.412Z");
    expect(latestTime("2026-01-01T00:00:03.000Z")).toBeGreaterThan(seenAt);
    expect(latestTime("2026-01-01T00:00:02.000Z")).toBeLessThan(seenAt);
    expect(latestTime("2026-01-01T00:00:03.411Z")).toBeLessThan(seenAt);
  });

  it("loads it if it cannot be resumed; the replay is one event and adds no messages", async () => {
    await using at = await restored("--without", "resume");
    const session = await at.restore({ agentSessionId: at.session.agentSessionId, userMessages: 2 });
    expect([session.origin, said(at), at.of("notice")]).toEqual(["loaded", [], []]);
    expect(at.of("replayed").map(({ events, whole }) => [wordsIn(events), whole])).toEqual([
      [["stream 2 words", "think"], true],
    ]);
    await at.ask(session, "stream 1 words");
    expect(at.text.trim()).toBe("w1");
  });

  it("a replay after the answer, or one that was not requested, does not reach the transcript", async () => {
    const last = async () => ({ message: "think", answer: "" });
    for (const flags of [
      ["--without", "resume", "--scenario", "late-replay"],
      ["--scenario", "replay-on-resume"],
    ]) {
      await using at = await restored(...flags);
      await at.restore({ agentSessionId: at.session.agentSessionId, userMessages: 2, last });
      expect(said(at)).toEqual([]);
      expect(at.of("replayed").map(({ events }) => wordsIn(events))).toEqual([["stream 2 words", "think"]]);
    }
  });

  it("starts a new conversation if the agent has none, and reports that", async () => {
    for (const flags of [[], ["--without", "resume,load"]]) {
      await using at = await restored(...flags);
      const session = await at.restore({ agentSessionId: "never-heard-of", userMessages: 2 });
      expect(session.origin).toBe("forgotten");
      expect(session.agentSessionId).not.toBe("never-heard-of");
      await at.ask(session, "stream 1 words");
      expect(at.text.trim()).toBe("w1");
    }
  });

  it("an empty conversation is not restored", async () => {
    await using at = await restored();
    const session = await at.restore({ agentSessionId: at.session.agentSessionId, userMessages: 0 });
    expect([session.origin, asked(at).at(-1)]).toEqual(["new", "session/new"]);
  });

  it("an agent that requires sign-in is not treated as one that lost the conversation", async () => {
    await using at = await AcpScene.start("--scenario", "auth-required");
    await at.agent.initialize();
    await expect(at.restore({ agentSessionId: "any", userMessages: 1 })).rejects.toMatchObject({
      refusal: { code: "AGENT_AUTH_REQUIRED" },
    });
  });

  it("TC-2.4a closing sends session/close only to agents that support it", async () => {
    await using can = await AcpScene.open();
    await can.session.close();
    expect(asked(can)).toEqual(["session/new", "session/close"]);
    await using cannot = await AcpScene.open("--without", "close");
    await cannot.session.close();
    expect(asked(cannot)).toEqual(["session/new"]);
  });
});
