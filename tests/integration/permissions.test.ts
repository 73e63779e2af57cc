import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { isPermission } from "../../src/protocol/pending-request.ts";
import { OPEN_REQUESTS_MAX } from "../../src/sessions/rules/open-requests.ts";
import { startTestServer } from "../support/test-server.ts";
import { useServer } from "../support/use-server.ts";
import { waitFor } from "../support/wait-for.ts";
import { askingAgent, asks } from "./asking-agent.ts";
import { reopen, startTalk } from "./talk.ts";

const shared = useServer();

const OPTIONS = [
  { optionId: "allow-once", name: "Allow once", kind: "allow_once" },
  { optionId: "allow-always", name: "Always allow commands in this session", kind: "allow_always" },
  { optionId: "reject-once", name: "Reject", kind: "reject_once" },
];

test("W-8 X-2 a question reaches every client with the agent's options in its order; the first answer counts", async () => {
  const server = shared();
  const talk = await startTalk(server);
  const other = await reopen(await server.connect(), talk);
  const bystander = await server.connect();
  const { client, sessionId } = talk;
  await talk.send("run echo permitted");
  const { permissionId, options, toolCall } = await talk.asked();
  expect(options).toEqual(OPTIONS);
  expect(toolCall).toMatchObject({ name: "echo permitted", kind: "execute", input: { command: "echo permitted" } });
  expect((await talk.until("to wait", ({ turn }) => turn.state === "waiting")).turn.state).toBe("waiting");
  await bystander.next("permission:request", (message) => message.permissionId === permissionId, 0);
  expect((await other.asked()).permissionId).toBe(permissionId);

  const respond = { type: "permission:respond", sessionId, permissionId } as const;
  const first = await other.client.ask("permission:resolved", { ...respond, optionId: "allow-once" });
  expect(first.outcome).toEqual({ outcome: "selected", optionId: "allow-once" });
  const second = await client.ask("error", { ...respond, optionId: "reject-once" });
  expect(second).toMatchObject({ code: "REQUEST_NOT_PENDING", sessionId });
  expect(second.message).toContain("Allow once");
  const told = await bystander.next("permission:resolved", (message) => message.permissionId === permissionId, 0);
  expect(told.requestId).toBeUndefined();
  await talk.untilIdle();
  expect(talk.tools).toMatchObject([{ status: "complete", result: "permitted\n" }]);
  expect(talk.state.pending).toEqual([]);
});

test("W-8 of two answers at the same moment exactly one counts, however often they race", async () => {
  const server = shared();
  const talk = await startTalk(server);
  const other = await reopen(await server.connect(), talk);
  const { sessionId } = talk;
  for (let round = 0; round < 10; round += 1) {
    await talk.send("run true");
    const { permissionId } = await talk.asked();
    await other.asked();
    const respond = { type: "permission:respond", sessionId, permissionId } as const;
    const answers = await Promise.all([
      talk.client.request({ ...respond, optionId: "allow-once" }),
      other.client.request({ ...respond, optionId: "reject-once" }),
    ]);
    expect(answers.map(({ type }) => type).toSorted()).toEqual(["error", "permission:resolved"]);
    await talk.untilIdle();
    const allowed = answers[0]?.type === "permission:resolved";
    expect(talk.tools.at(-1)?.status).toBe(allowed ? "complete" : "error");
  }
});

test("W-8 a rejected command is not run; a choice the agent did not offer is refused and the question stays", async () => {
  const server = shared();
  const talk = await startTalk(server);
  const { client, sessionId } = talk;
  const file = join(await server.directory("proof"), "made");
  await talk.send(`run touch ${file}`);
  const { permissionId } = await talk.asked();
  const respond = { type: "permission:respond", sessionId, permissionId } as const;
  for (const wrong of [{ ...respond, optionId: "allow-everything" }, respond]) {
    const { code, details } = await client.ask("error", wrong);
    expect({ code, about: details?.includes("optionId") }).toEqual({ code: "INVALID_MESSAGE", about: true });
  }
  expect(talk.state.pending).toHaveLength(1);
  await talk.answerWith("reject-once");
  await talk.untilIdle();
  expect(existsSync(file)).toBe(false);
  expect(talk.tools).toMatchObject([{ status: "error", error: "Rejected." }]);
  const unknown = await client.ask("error", { ...respond, permissionId: "nobody-asked", optionId: "allow-once" });
  expect(unknown.code).toBe("REQUEST_NOT_PENDING");
});

test("W-3 at a cancel the open question is resolved as cancelled and the tool call is cancelled at once", async () => {
  const server = shared();
  const talk = await startTalk(server);
  const { client, sessionId } = talk;
  await talk.send("run echo never");
  const { permissionId } = await talk.asked();
  const mark = client.mark();
  await talk.cancel();
  const { turn, pending } = await talk.untilIdle();
  expect({ stopReason: turn.stopReason, pending }).toEqual({ stopReason: "cancelled", pending: [] });
  const resolved = client.all("permission:resolved", mark);
  expect(resolved.map(({ outcome }) => outcome)).toEqual([{ outcome: "cancelled" }]);
  expect(talk.tools.map(({ status }) => status)).toEqual(["cancelled"]);
  const settled = client.all("session:update", mark).find(({ entry }) => entry.type === "tool-call");
  const idle = client.all("session:turn", mark).find((each) => each.turn.state === "idle");
  expect(settled?.seq).toBeLessThan(idle?.seq ?? 0);
  const late = await client.ask("error", {
    type: "permission:respond",
    sessionId,
    permissionId,
    optionId: "allow-once",
  });
  expect(late).toMatchObject({ code: "REQUEST_NOT_PENDING", message: expect.stringContaining("cancelled") });
});

test("W-3 a question answered with cancelled is withdrawn like one at a cancel", async () => {
  const server = shared();
  const talk = await startTalk(server);
  const { client, sessionId } = talk;
  await talk.send("run echo never");
  const { permissionId } = await talk.asked();
  const respond = { type: "permission:respond", sessionId, permissionId, outcome: "cancelled" } as const;
  const { outcome } = await client.ask("permission:resolved", respond);
  expect(outcome).toEqual({ outcome: "cancelled" });
  const { turn } = await talk.untilIdle();
  expect(turn.stopReason).toBe("cancelled");
  expect(talk.tools.map(({ status }) => status)).not.toContain("running");
});

test("W-3 a running command is shown as cancelled at once, and it is gone", async () => {
  await using server = await startTestServer();
  const talk = await startTalk(server);
  await talk.send("run echo started; exec sleep 1000");
  await talk.answerWith("allow-once");
  await talk.until("its output", () => talk.tools[0]?.result?.includes("started") ?? false);
  const sleeping = () => server.agentProcesses().some(({ commandLine }) => commandLine === "sleep 1000");
  await waitFor(sleeping, Boolean, "the command to have become the sleep");
  await talk.cancel();
  await talk.untilIdle();
  expect(talk.tools.map(({ status }) => status)).toEqual(["cancelled"]);
  await talk.say("stream 1 words");
  await waitFor(() => !sleeping(), Boolean, "the command to be gone");
});

test("W-3 W-11 a cancelled command keeps the output it had shown", async () => {
  const server = shared();
  const talk = await startTalk(server);
  await talk.send("run echo started; exec sleep 1000");
  await talk.answerWith("allow-once");
  await talk.until("its output", () => talk.tools[0]?.result?.includes("started") ?? false);
  await talk.cancel();
  await talk.untilIdle();
  await talk.say("stream 1 words");
  expect(talk.tools[0]?.result).toContain("started");
});

test("a question outlives its reader: a client that opens the session later gets it and can answer", async () => {
  const server = shared();
  const talk = await startTalk(server);
  await talk.send("run echo later");
  const asked = await talk.asked();
  talk.client[Symbol.dispose]();
  const later = await reopen(await server.connect(), talk);
  expect(later.state.pending).toEqual([asked]);
  expect(later.state.turn.state).toBe("waiting");
  await later.answerWith("allow-once");
  await later.untilIdle();
  expect(later.tools).toMatchObject([{ status: "complete", result: "later\n" }]);
});

test("W-8 X-4 more requests than may be open are cancelled at once and reported once; open ones stay and are answered", async () => {
  const extra = 200;
  await using server = await startTestServer({ agents: { asking: askingAgent() } });
  const talk = await startTalk(server, "asking");
  const { client, sessionId } = talk;
  await talk.send(asks(...Array.from({ length: OPEN_REQUESTS_MAX + extra }, () => ({ toolCall: {} }))));
  const all = OPEN_REQUESTS_MAX + extra;
  const { pending, turn } = await talk.until("every call to be there", () => talk.tools.length === all);
  expect([pending.length, turn.state]).toEqual([OPEN_REQUESTS_MAX, "waiting"]);
  const told = talk.entries.flatMap((entry) => (entry.type === "notice" ? [entry.content] : []));
  expect(told).toHaveLength(1);
  expect(told[0]).toContain(`more than ${OPEN_REQUESTS_MAX} requests at once`);
  for (const { permissionId } of pending.filter(isPermission))
    await client.ask("permission:resolved", { type: "permission:respond", sessionId, permissionId, optionId: "once" });
  await talk.untilIdle();
  const answers = [...Array(OPEN_REQUESTS_MAX).fill("once"), ...Array(extra).fill("cancelled")];
  expect(talk.answer).toBe(`answers: ${answers.join(", ")}`);
});
