import { expect, test } from "bun:test";
import { rm, writeFile } from "node:fs/promises";
import { CliType } from "../../src/protocol/ids.ts";
import { startTalk } from "../integration/talk.ts";
import { tempDir } from "../support/temp-dir.ts";
import { guideWith, startTestServer } from "../support/test-server.ts";
import { waitFor } from "../support/wait-for.ts";
import { agentPid } from "./agent-status.ts";
import { countedAgent } from "./counted-agent.ts";

/** Refuses the handshake, and ends only by SIGKILL. */
const REFUSES_AND_STAYS = `
  process.on("SIGTERM", () => undefined);
  setInterval(() => undefined, 1_000);
  for await (const line of console) {
    if (line === "") continue;
    const error = { code: -32603, message: "Internal error", data: { details: "no licence" } };
    console.log(JSON.stringify({ jsonrpc: "2.0", id: JSON.parse(line).id, error }));
  }`;

/** Writes a line that is no message, then is the built-in agent. */
const CHATTY = `console.log("Welcome to Chatty!"); await import(process.argv.at(-1));`;

test("(B1) TC-5.5b a refused handshake is reported before its process has ended", async () => {
  const refuser = { name: "Refuser", command: process.execPath, args: ["-e", REFUSES_AND_STAYS] };
  await using server = await startTestServer({ agents: { refuser } });
  const client = await server.connect();
  const { project } = await client.ask("project:added", { type: "project:add", path: await server.directory("work") });
  const failed = await client.ask("error", { type: "session:create", projectId: project.id, cliType: "refuser" });
  expect(failed.details).toContain("Internal error: no licence");
  const log = await waitFor(
    () => server.log,
    (text) => text.includes("killed by SIGKILL"),
    "the end of the process",
  );
  expect(log.indexOf("did not connect: Internal error: no licence")).toBeGreaterThan(-1);
  expect(log.indexOf("did not connect")).toBeLessThan(log.indexOf("killed by SIGKILL"));
});

test("(B2) X-17 the server log and the session's log show when and why an agent started, stopped and was restarted", async () => {
  const guide = guideWith();
  const chatty = {
    name: "Chatty",
    command: process.execPath,
    args: ["-e", CHATTY, guide.args?.at(0) ?? ""],
    retryMs: [1],
  };
  await using server = await startTestServer({ agents: { chatty: { ...chatty, process: "shared" } } });
  const talk = await startTalk(server, "chatty");
  const pid = await agentPid(server, "chatty");
  const mark = talk.client.mark();
  process.kill(pid, "SIGKILL");
  await talk.client.next("agent:status", ({ status }) => status === "connected", mark);
  const expected = [
    `started process ${pid}: `,
    "ready after ",
    "liminal-guide",
    `process ${pid} crashed (killed by SIGKILL)`,
    "restarting in 1 ms (attempt 1 of 1)",
  ];
  const all = [...expected, "wrote a line that is not JSON-RPC: Welcome to Chatty!"];
  const log = await waitFor(
    () => server.log,
    (text) => all.every((words) => text.includes(words)),
    `all of ${all.join(" | ")} in the log`,
  );
  expect(log).toMatch(/info Agent Chatty \(chatty\): ready after \d+ ms: liminal-guide \S+, supports /);
  const trace = await (await server.fetch(`/api/trace?sessionId=${encodeURIComponent(talk.sessionId)}`)).text();
  for (const words of expected) expect(trace).toContain(words);
});

test("(B3) an agent that does not exist or failed to start is not ready, and is again once it has run", async () => {
  await using dir = await tempDir();
  const agents = {
    missing: { name: "Missing", command: dir.join("no-such-program") },
    nowhere: { name: "Nowhere", command: "liminal-no-such-program" },
    counted: countedAgent(dir.path, []),
  };
  await writeFile(dir.join("broken"), "");
  await using server = await startTestServer({ agents });
  const client = await server.connect();
  const availabilityOf = async (id: string) => {
    const { agents: known } = await client.ask("agent:list", { type: "agent:list" });
    return known.find((agent) => agent.id === id);
  };
  expect(await availabilityOf("missing")).toMatchObject({
    availability: "failed",
    message: `Could not start Missing. ${dir.join("no-such-program")} does not exist.`,
  });
  const nowhere = await waitFor(
    () => availabilityOf("nowhere"),
    (agent) => agent?.availability !== "ready",
    "the login shell's PATH to be known",
  );
  expect(nowhere).toMatchObject({
    availability: "failed",
    message: expect.stringContaining('Could not start Nowhere. "liminal-no-such-program" is not on your PATH.'),
  });
  expect(await availabilityOf("counted")).toMatchObject({ availability: "ready" });
  const { project } = await client.ask("project:added", { type: "project:add", path: await server.directory("work") });
  const create = { type: "session:create", projectId: project.id, cliType: "counted" } as const;
  await client.ask("error", create);
  expect(await availabilityOf("counted")).toMatchObject({
    availability: "failed",
    message: expect.stringContaining("Could not connect to Counted"),
  });
  await rm(dir.join("broken"));
  await client.ask("session:created", create);
  expect(await availabilityOf("counted")).toMatchObject({ availability: "ready" });
});

test("(B6) TC-5.2c a crashed agent that waits to be started again is reconnecting, with the time of the next try", async () => {
  await using server = await startTestServer({
    agents: { slow: { ...guideWith(), process: "shared", retryMs: [30_000] } },
  });
  const talk = await startTalk(server, "slow");
  const mark = talk.client.mark();
  const before = Date.now();
  process.kill(await agentPid(server, "slow"), "SIGKILL");
  const waiting = await talk.client.next("agent:status", ({ status }) => status === "reconnecting", mark);
  expect(Date.parse(waiting.nextTryAt ?? "") - before).toBeGreaterThanOrEqual(30_000);
  const { agents } = await (await server.connect()).next("hello", () => true, 0);
  const { nextTryAt = "" } = waiting;
  expect(agents.find(({ id }) => id === "slow")).toMatchObject({ status: "reconnecting", nextTryAt });
  await talk.client.ask("agent:status", { type: "session:reconnect", cliType: CliType.parse("slow") });
  await talk.client.next("agent:status", ({ status }) => status === "connected", mark);
});

test("(B5) X-5 without a network the catalog keeps its list and logs that", async () => {
  await using server = await startTestServer({ env: { LIMINAL_REGISTRY_URL: "http://127.0.0.1:9/registry.json" } });
  const client = await server.connect();
  const { agents } = await client.ask("agent:list", { type: "agent:list" });
  expect(agents.length).toBeGreaterThan(2);
  await waitFor(
    () => server.log,
    (text) => text.includes("Could not refresh the agent registry"),
    "the line about the registry",
  );
});
