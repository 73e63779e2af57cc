import { expect, test } from "bun:test";
import { AgentDriver, NO_ANSWER } from "./agent-driver.ts";
import { at, failureCode, updateOf } from "./message.ts";
import { waitUntilGone } from "./process-watch.ts";
import { temporaryDirectory } from "./temporary-directory.ts";

const CANCELLED = { stopReason: "cancelled" };

async function withAgent(use: (agent: AgentDriver, sessionId: string) => Promise<void>): Promise<void> {
  using directory = temporaryDirectory();
  await using agent = new AgentDriver({ directory: directory.path });
  await use(agent, await agent.open());
}

test("W-2 a cancel ends an endless sleep, keeps its text, and the same process serves the next turn", async () => {
  await withAgent(async (agent, sessionId) => {
    const turn = agent.prompt(sessionId, "sleep");
    await agent.waitForUpdate("agent_message_chunk");
    agent.notify("session/cancel", { sessionId });
    expect(await turn).toEqual(CANCELLED);
    expect(agent.text()).toBe("Sleeping until you cancel.");
    expect(await agent.prompt(sessionId, "stream 1 words")).toEqual({ stopReason: "end_turn" });
  });
});

test("TC-3.7b a cancel ends a fast stream in its middle; what came is a prefix", async () => {
  await withAgent(async (agent, sessionId) => {
    const turn = agent.prompt(sessionId, "stream 1000000 words");
    await agent.waitForUpdate("agent_message_chunk");
    agent.notify("session/cancel", { sessionId });
    expect(await turn).toEqual(CANCELLED);
    const words = agent.text().trim().split(" ");
    expect(words.length).toBeLessThan(1_000_000);
    expect(words.findIndex((word, index) => word !== `w${index + 1}`)).toBe(-1);
    const count = agent.messages.length;
    await agent.request("session/list", {});
    expect(agent.messages.length).toBe(count + 1);
  });
});

test("W-3 a cancel kills the command's whole group, keeps its output and fails the call before the answer", async () => {
  await withAgent(async (agent, sessionId) => {
    agent.answerPermissions("allow-once");
    const turn = agent.prompt(sessionId, "run sleep 300 & echo $! $$; wait");
    const shown = await agent.waitFor((message) =>
      /^\d+ \d+\n$/.test(String(at(updateOf(message), "content", 0, "content", "text"))),
    );
    const output = String(at(updateOf(shown), "content", 0, "content", "text"));
    agent.notify("session/cancel", { sessionId });
    expect(await turn).toEqual(CANCELLED);
    const [tool] = agent.tools();
    expect(tool).toMatchObject({ status: "failed" });
    expect(at(tool, "content", 0, "content", "text")).toBe(output);
    expect(at(tool, "content", 1, "content", "text")).toBe("Cancelled.");
    for (const pid of output.trim().split(" ")) await waitUntilGone(Number(pid));
  });
});

test("a command that ignores SIGTERM is killed after a grace", async () => {
  await withAgent(async (agent, sessionId) => {
    agent.answerPermissions("allow-once");
    const turn = agent.prompt(sessionId, "run trap '' TERM; echo $$; while :; do sleep 1; done");
    const shown = await agent.waitFor((message) =>
      /^\d+\n$/.test(String(at(updateOf(message), "content", 0, "content", "text"))),
    );
    agent.notify("session/cancel", { sessionId });
    expect(await turn).toEqual(CANCELLED);
    await waitUntilGone(Number(at(updateOf(shown), "content", 0, "content", "text")));
  });
});

test("W-3 a cancel during a question withdraws it and answers at once; a late answer changes nothing", async () => {
  await withAgent(async (agent, sessionId) => {
    let asked: unknown;
    agent.responders.set("session/request_permission", (_, id) => {
      asked = id;
      return NO_ANSWER;
    });
    const turn = agent.prompt(sessionId, "run echo never");
    await agent.waitFor(({ method }) => method === "session/request_permission");
    agent.notify("session/cancel", { sessionId });
    expect(await turn).toEqual(CANCELLED);
    const withdrawn = await agent.waitFor(({ method }) => method === "$/cancel_request");
    expect(at(withdrawn, "params", "requestId")).toBe(asked);
    agent.send({ jsonrpc: "2.0", id: asked, result: { outcome: { outcome: "selected", optionId: "allow-once" } } });
    expect(await agent.prompt(sessionId, "stream 1 words")).toEqual({ stopReason: "end_turn" });
    expect(agent.tools()).toHaveLength(1);
    expect(agent.tools()[0]).toMatchObject({ status: "failed" });
  });
});

test("$/cancel_request for the prompt cancels its turn", async () => {
  await withAgent(async (agent, sessionId) => {
    const turn = agent.requestWithId("prompt-7", "session/prompt", {
      sessionId,
      prompt: [{ type: "text", text: "sleep" }],
    });
    await agent.waitForUpdate("agent_message_chunk");
    agent.notify("$/cancel_request", { requestId: "prompt-7" });
    expect(await turn).toEqual(CANCELLED);
  });
});

test("a cancel with nothing running, or for an unknown session, is harmless", async () => {
  await withAgent(async (agent, sessionId) => {
    agent.notify("session/cancel", { sessionId });
    agent.notify("session/cancel", { sessionId: "nobody" });
    agent.notify("session/cancel", {});
    agent.notify("some/notification", { unknown: true });
    expect(await agent.prompt(sessionId, "stream 2 words")).toEqual({ stopReason: "end_turn" });
  });
});

test("a second prompt during a turn is refused with -32600; other sessions go on in parallel", async () => {
  await withAgent(async (agent, sessionId) => {
    const turn = agent.prompt(sessionId, "sleep");
    await agent.waitForUpdate("agent_message_chunk");
    expect(await failureCode(agent.prompt(sessionId, "help"))).toBe(-32600);
    expect(await agent.prompt(await agent.newSession(), "stream 3 words")).toEqual({ stopReason: "end_turn" });
    agent.notify("session/cancel", { sessionId });
    expect(await turn).toEqual(CANCELLED);
  });
});
