import { describe, expect, it } from "bun:test";
import { startTalk } from "../integration/talk.ts";
import { guideWith, startTestServer } from "../support/test-server.ts";

describe("an agent that wants the user to sign in", () => {
  it("names its own methods, is signed in to by one of them, and then serves sessions", async () => {
    await using server = await startTestServer({ agents: { shy: guideWith("--scenario", "auth-required") } });
    const client = await server.connect();
    const path = await server.directory("project");
    const { project } = await client.ask("project:added", { type: "project:add", path });
    const create = { type: "session:create", projectId: project.id, cliType: "shy" } as const;
    const refused = await client.ask("error", create);
    expect(refused.code).toBe("AGENT_AUTH_REQUIRED");
    const { agents } = await client.ask("agent:list", { type: "agent:list" });
    const shy = agents.find(({ id }) => id === "shy");
    expect(shy?.availability).toBe("needs-sign-in");
    const [method] = shy?.signIn ?? [];
    expect(method).toMatchObject({ kind: "agent" });
    expect(refused.message).toContain(method?.name ?? "no method");
    await client.ask("ok", { type: "agent:authenticate", cliType: "shy", methodId: method?.id ?? "" });
    const { sessionId } = await client.ask("session:created", create);
    expect(sessionId).toStartWith("shy:");
    const after = await client.ask("agent:list", { type: "agent:list" });
    expect(after.agents.find(({ id }) => id === "shy")?.availability).toBe("ready");
  });

  it("says what is wrong when the method is not one of its own", async () => {
    await using server = await startTestServer();
    await startTalk(server);
    const client = await server.connect();
    const error = await client.ask("error", { type: "agent:authenticate", cliType: "builtin", methodId: "nonsense" });
    expect(error.code).toBe("AGENT_PROTOCOL_ERROR");
  });
});

it("session:retry sends the last message again, without a second entry for it", async () => {
  await using server = await startTestServer();
  const talk = await startTalk(server);
  await talk.say("fail");
  expect(talk.state.turn).toMatchObject({ state: "idle", stopReason: "error" });
  const { seq } = await talk.client.ask("ok", { type: "session:retry", sessionId: talk.sessionId });
  await talk.untilIdle(seq ?? 0);
  expect(talk.messages).toEqual(["fail"]);
  expect(talk.client.all("session:turn").filter(({ turn }) => turn.stopReason === "error")).toHaveLength(2);
});
