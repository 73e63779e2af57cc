import { describe, expect, it } from "bun:test";
import { AcpScene } from "../../../tests/core/acp-scene.ts";
import type { AgentEvent } from "../../ports/agents.ts";
import { latestTime } from "./acp-agent.ts";

/** A conversation with two messages of the user's, closed and wanted again; what was said before is forgotten here. */
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

/** What the user is said to have said. */
const wordsIn = (events: readonly AgentEvent[]) =>
  events.flatMap((event) => (event.type === "text" && event.kind === "user" ? [event.text] : []));
const said = (at: AcpScene) => [...at.of("text"), ...at.of("tool"), ...at.of("part")];

describe("AcpAgent: bringing a conversation back (W-4)", () => {
  it("resumes it where the agent can, without a word of it", async () => {
    await using at = await restored();
    const session = await at.restore({ agentSessionId: at.session.agentSessionId, userMessages: 2 });
    expect([session.origin, session.agentSessionId]).toEqual(["resumed", at.session.agentSessionId]);
    expect(asked(at).slice(-2)).toEqual(["session/list", "session/resume"]);
    expect([said(at), at.of("options").length]).toEqual([[], 1]);
    await at.ask(session, "stream 1 words");
    expect(at.text.trim()).toBe("w1");
  });

  it("CV-4 (A4) loads it when the agent's copy is newer than what was seen of it, or nobody knows", async () => {
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

  it("CV-4 (A4) takes a time in whole seconds for any moment of that second", () => {
    const seenAt = Date.parse("2026-01-01T00:00:03.412Z");
    expect(latestTime("2026-01-01T00:00:03.000Z")).toBeGreaterThan(seenAt);
    expect(latestTime("2026-01-01T00:00:02.000Z")).toBeLessThan(seenAt);
    expect(latestTime("2026-01-01T00:00:03.411Z")).toBeLessThan(seenAt);
  });

  it("loads it where it cannot be resumed; what it repeats is told as one, and as nothing new", async () => {
    await using at = await restored("--without", "resume");
    const session = await at.restore({ agentSessionId: at.session.agentSessionId, userMessages: 2 });
    expect([session.origin, said(at), at.of("notice")]).toEqual(["loaded", [], []]);
    expect(at.of("replayed").map(({ events, whole }) => [wordsIn(events), whole])).toEqual([
      [["stream 2 words", "think"], true],
    ]);
    await at.ask(session, "stream 1 words");
    expect(at.text.trim()).toBe("w1");
  });

  it("keeps a replay that comes after the answer, or where none should come, out of the transcript", async () => {
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

  it("begins anew where the agent knows nothing of it, and says so", async () => {
    for (const flags of [[], ["--without", "resume,load"]]) {
      await using at = await restored(...flags);
      const session = await at.restore({ agentSessionId: "never-heard-of", userMessages: 2 });
      expect(session.origin).toBe("forgotten");
      expect(session.agentSessionId).not.toBe("never-heard-of");
      await at.ask(session, "stream 1 words");
      expect(at.text.trim()).toBe("w1");
    }
  });

  it("one in which nothing was said needs no bringing back", async () => {
    await using at = await restored();
    const session = await at.restore({ agentSessionId: at.session.agentSessionId, userMessages: 0 });
    expect([session.origin, asked(at).at(-1)]).toEqual(["new", "session/new"]);
  });

  it("an agent that wants a sign-in first is not taken for one that forgot", async () => {
    await using at = await AcpScene.start("--scenario", "auth-required");
    await at.agent.initialize();
    await expect(at.restore({ agentSessionId: "any", userMessages: 1 })).rejects.toMatchObject({
      refusal: { code: "AGENT_AUTH_REQUIRED" },
    });
  });

  it("TC-2.4a closing asks the agent to let go where it can, and never where it cannot", async () => {
    await using can = await AcpScene.open();
    await can.session.close();
    expect(asked(can)).toEqual(["session/new", "session/close"]);
    await using cannot = await AcpScene.open("--without", "close");
    await cannot.session.close();
    expect(asked(cannot)).toEqual(["session/new"]);
  });
});
