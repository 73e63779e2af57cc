import { expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { McpCaller, sessionToken } from "../orchestration/mcp-caller.ts";
import { expectSoon } from "../support/expect-soon.ts";
import { startTestServer } from "../support/test-server.ts";
import { useChromium } from "./use-chromium.ts";

const chromium = useChromium();

test("O-5 (C8) a parent shows each agent with its state, last line and files, and opens, stops and kills it", async () => {
  await using server = await startTestServer({
    prepare: (dataDir) =>
      writeFile(join(dataDir, "config.json"), JSON.stringify({ orchestration: { budget: { turns: 10 } } })),
  });
  await using app = await chromium.open(server);
  await app.addProject(await server.directory("demo"));
  const parent = await app.newSession("demo");
  await parent.ask("stream 1 words", "w1");
  await using caller = await McpCaller.overHttp(server, sessionToken(server, parent.id));
  const done = await caller.create({ plan: "stream 3 words", title: "Finished child" });
  await caller.wait({ agentIds: [done] });
  await caller.create({ plan: "sleep", title: "Busy child" });

  const strip = parent.frame.getByRole("region", { name: "Agents of this session" });
  const child = (title: string) => strip.getByRole("listitem").filter({ hasText: title });
  await strip.getByText("1 of 2 active").waitFor();
  await child("Finished child").getByText("w1 w2 w3").waitFor();
  await strip.getByText("2 of 10 turns").waitFor();
  await expectSoon(() => child("Finished child").getByRole("button", { name: "Stop Finished child" }).count()).toBe(0);

  await child("Busy child").getByRole("button", { name: "Busy child", exact: true }).click();
  await app.tab("Busy child").and(app.activeTab).waitFor();
  const opened = await app.shownSession();
  await opened.entries("user").getByText("From the parent session").waitFor();
  await opened.frame.getByRole("button", { name: /started this one: stream 1 words/ }).click();
  await strip.waitFor();

  await child("Busy child").getByRole("button", { name: "Stop Busy child" }).click();
  await strip.getByText("0 of 2 active").waitFor();
  await child("Finished child").getByRole("button", { name: "Kill Finished child" }).click();
  await strip.getByText("0 of 1 active").waitFor();
  expect((await caller.call("get_agent_status", { agentId: done }))["status"]).toBe("killed");
});

test("O-5 (C8) Stop all stops the parent and every agent below it", async () => {
  await using server = await startTestServer();
  await using app = await chromium.open(server);
  await app.addProject(await server.directory("demo"));
  const parent = await app.newSession("demo");
  await parent.ask("stream 1 words", "w1");
  await using caller = await McpCaller.overHttp(server, sessionToken(server, parent.id));
  const middle = await caller.create({ plan: "sleep", title: "Middle" });
  await using below = await McpCaller.overHttp(server, sessionToken(server, middle));
  await below.create({ plan: "sleep", title: "Lowest" });
  await app.untilRowSays("Lowest", "working");
  await parent.frame.getByRole("button", { name: "Stop all" }).click();
  for (const title of ["Middle", "Lowest"]) await app.untilRowSays(title, /^(?!.*working)/);
  expect((await caller.wait({ agentIds: [middle] })).agents[0]?.outcome).toBe("cancelled");
});

test("X-20 (C8) a parent that waits for its agents looks like waiting in header and sidebar", async () => {
  await using server = await startTestServer();
  await using app = await chromium.open(server);
  await app.addProject(await server.directory("demo"));
  const parent = await app.newSession("demo");
  await parent.ask("stream 1 words", "w1");
  await using caller = await McpCaller.overHttp(server, sessionToken(server, parent.id));
  const agents = [await caller.create({ plan: "sleep" }), await caller.create({ plan: "sleep" })];
  await caller.wait({ agentIds: agents, wake: true });
  await parent.frame.getByRole("status", { name: "Agent status" }).getByText("waiting for 2 agents").waitFor();
  await app.untilRowSays("stream 1 words", "waiting for its agents");
  for (const agentId of agents) await caller.call("cancel_agent", { agentId });
  await parent.entries("user").getByText("From its agents").waitFor();
});

test("O-5 (C8) Kill is in the menu, in the palette and in the header, and asks while the agent works", async () => {
  await using server = await startTestServer();
  await using app = await chromium.open(server);
  await app.addProject(await server.directory("demo"));
  const session = await app.newSession("demo");
  await session.message.fill("sleep");
  await session.send.click();
  await app.untilRowSays("sleep", "working");
  await session.frame.getByRole("button", { name: "Kill agent" }).click();
  const question = app.page.getByRole("dialog", { name: /Kill the agent of/ });
  await question.getByRole("button", { name: "Cancel" }).click();
  await app.untilRowSays("sleep", "working");
  await session.frame.getByRole("button", { name: "Kill agent" }).click();
  await question.getByRole("button", { name: "Kill agent" }).click();
  await app.untilRowSays("sleep", /^(?!.*working)/);
});
