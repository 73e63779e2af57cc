import { describe, expect, it } from "bun:test";
import { scriptedAgent } from "../integration/scripted-agent.ts";
import { startTalk } from "../integration/talk.ts";
import { guideWith, startTestServer, type TestServer } from "../support/test-server.ts";
import { formLoginAgent, LOGIN_PAGE, pageLoginAgent } from "./page-login-agent.ts";

describe("an agent that wants the user to sign in", () => {
  it.each([["shared"], ["per-session"]] as const)(
    "names its own methods, is signed in to by one of them, and then serves sessions (%s)",
    async (process) => {
      const agent = { ...guideWith("--scenario", "auth-required"), process };
      await using server = await startTestServer({ agents: { shy: agent } });
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
    },
  );

  it("[X-34] is signed out of where it offers that, is told apart from then on, and others say what to do instead", async () => {
    const initialize = { protocolVersion: 1, agentCapabilities: { auth: { logout: {} } } };
    const leaves = scriptedAgent({ answers: { initialize } });
    await using server = await startTestServer({ agents: { leaves } });
    const { client } = await startTalk(server, "leaves");
    const leaving = async () => {
      const { agents } = await client.ask("agent:list", { type: "agent:list" });
      return agents.find(({ id }) => id === "leaves");
    };
    expect(await leaving()).toMatchObject({ availability: "ready", signOut: true });
    const other = await server.connect();
    await other.ask("ok", { type: "agent:sign-out", cliType: "leaves" });
    await client.next("agent:list", ({ agents }) => agents.some((one) => one.availability === "needs-sign-in"), 0);
    expect((await leaving())?.availability).toBe("needs-sign-in");
    const refused = await client.ask("error", { type: "agent:sign-out", cliType: "builtin" });
    expect(refused.message).toContain("cannot be signed out here. Use its own command line");
  });

  it("says what is wrong when the method is not one of its own", async () => {
    await using server = await startTestServer();
    await startTalk(server);
    const client = await server.connect();
    const error = await client.ask("error", { type: "agent:authenticate", cliType: "builtin", methodId: "nonsense" });
    expect(error.code).toBe("AGENT_PROTOCOL_ERROR");
  });
});

describe("an agent that signs in through a page", () => {
  it("shows the page to every client, opens nothing itself, and goes on when the user consents", async () => {
    await using server = await startTestServer({ agents: { web: pageLoginAgent() } });
    const { client, create } = await refusedSession(server, "web");
    const requestId = client.post({ type: "agent:authenticate", cliType: "web", methodId: "web" });
    const asked = await client.next("elicitation:request", () => true, 0);
    expect(asked).toMatchObject({ mode: "url", cliType: "web", agentName: "Page Login", url: LOGIN_PAGE });
    const late = await server.connect();
    expect(late.all("hello")[0]?.questions).toHaveLength(1);
    const { elicitationId } = asked;
    await late.ask("elicitation:resolved", { type: "elicitation:respond", elicitationId, action: "accept" });
    await client.until("the sign-in", () => client.answersTo(requestId)[0]?.type === "ok");
    await client.next("elicitation:resolved", (resolved) => resolved.elicitationId === elicitationId, 0);
    await client.ask("session:created", create);
    const again = await client.ask("error", { type: "elicitation:respond", elicitationId, action: "accept" });
    expect(again.code).toBe("REQUEST_NOT_PENDING");
  });

  it("hears no when the user declines", async () => {
    await using server = await startTestServer({ agents: { web: pageLoginAgent() } });
    const { client } = await refusedSession(server, "web");
    const requestId = client.post({ type: "agent:authenticate", cliType: "web", methodId: "web" });
    const { elicitationId } = await client.next("elicitation:request", () => true, 0);
    await client.ask("elicitation:resolved", { type: "elicitation:respond", elicitationId, action: "decline" });
    const answer = await client.until("the refusal", () => client.answersTo(requestId)[0]);
    expect(answer).toMatchObject({ type: "error", code: "AGENT_PROTOCOL_ERROR" });
  });

  it.each(["javascript:alert(1)", "file:///etc/passwd", "not a page"])("is refused %s", async (url) => {
    await using server = await startTestServer({ agents: { web: pageLoginAgent(url) } });
    const { client } = await refusedSession(server, "web");
    const answer = await client.ask("error", { type: "agent:authenticate", cliType: "web", methodId: "web" });
    expect(answer.message).toContain("-32602");
    expect(client.all("elicitation:request")).toEqual([]);
  });
});

describe("W-9 an agent that asks with a form before it has a session", () => {
  it("asks every client, takes no answer that does not fit, and goes on with one that does", async () => {
    await using server = await startTestServer({ agents: { web: formLoginAgent() } });
    const { client, create } = await refusedSession(server, "web");
    const requestId = client.post({ type: "agent:authenticate", cliType: "web", methodId: "web" });
    const { elicitationId, ...asked } = await client.next("elicitation:request", () => true, 0);
    expect(asked).toMatchObject({ mode: "form", agentName: "Form Login", fields: [{ name: "code", required: true }] });
    expect("sessionId" in asked).toBe(false);
    const respond = { type: "elicitation:respond", elicitationId, action: "accept" } as const;
    for (const content of [{}, { code: "a1" }]) {
      const { code, fields } = await client.ask("error", { ...respond, content });
      expect({ code, fields: Object.keys(fields ?? {}) }).toEqual({ code: "INVALID_MESSAGE", fields: ["code"] });
    }
    const other = await server.connect();
    await other.ask("elicitation:resolved", { ...respond, content: { code: "AB" } });
    await client.until("the sign-in", () => client.answersTo(requestId)[0]?.type === "ok");
    const late = await client.ask("error", { ...respond, action: "decline" });
    expect(late).toMatchObject({ code: "REQUEST_NOT_PENDING", message: expect.stringContaining("it was answered") });
    await client.ask("session:created", create);
  });

  it("that ends while it asks takes its question along", async () => {
    await using server = await startTestServer({ agents: { web: { ...formLoginAgent("leave"), retryMs: [] } } });
    const { client } = await refusedSession(server, "web");
    client.post({ type: "agent:authenticate", cliType: "web", methodId: "web" });
    const { elicitationId } = await client.next("elicitation:request", () => true, 0);
    const gone = await client.next("elicitation:resolved", (message) => message.elicitationId === elicitationId, 0);
    expect(gone.action).toBe("cancel");
    expect((await server.connect()).all("hello")[0]?.questions).toEqual([]);
  });
});

/** A first try at a session, which the agent answers with its wish that the user signs in. */
async function refusedSession(server: TestServer, cliType: string) {
  const client = await server.connect();
  const { project } = await client.ask("project:added", {
    type: "project:add",
    path: await server.directory("project"),
  });
  const create = { type: "session:create", projectId: project.id, cliType } as const;
  expect((await client.ask("error", create)).code).toBe("AGENT_AUTH_REQUIRED");
  return { client, create };
}

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
