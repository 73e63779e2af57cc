import { expect, test } from "bun:test";
import { McpCaller, sessionToken } from "../orchestration/mcp-caller.ts";
import { expectSoon } from "../support/expect-soon.ts";
import { startTestServer } from "../support/test-server.ts";
import { useChromium } from "./use-chromium.ts";

const chromium = useChromium();

test("O-4 O-5 agents of an agent appear live below their parent, can be read and stopped by hand, and end with it", async () => {
  await using server = await startTestServer();
  await using app = await chromium.open(server);
  await app.addProject(await server.directory("demo"));
  const parent = await app.newSession("demo");
  await parent.ask("stream 1 words", "w1");
  await using caller = await McpCaller.overHttp(server, sessionToken(server, parent.id));
  const child = await caller.create({ plan: "stream 2 words", title: "First child" });
  await caller.wait({ agentIds: [child] });
  const busy = await caller.create({ plan: "sleep", title: "Second child" });
  await using below = await McpCaller.overHttp(server, sessionToken(server, busy));
  await below.create({ plan: "sleep", title: "Grandchild" });

  const under = (parentTitle: string, title: string) =>
    app.projects
      .getByRole("listitem")
      .filter({ has: app.page.getByRole("button", { name: parentTitle, exact: true }) })
      .last()
      .getByRole("list")
      .getByRole("button", { name: title, exact: true });
  await under("Second child", "Grandchild").waitFor();
  await under("stream 1 words", "First child").waitFor();
  await app.untilRowSays("Second child", "working");

  const opened = await app.open("First child");
  await opened.untilSaid("w1 w2");
  const stopped = await app.open("Second child");
  await stopped.cancel.click();
  expect((await caller.wait({ agentIds: [busy] })).agents[0]?.outcome).toBe("cancelled");
  await caller.call("kill_agent", { agentId: busy });
  await app.untilRowSays("Grandchild", /^(?!.*working)/);
});

test("X-20 what will set a session to work by itself is in view, and can be called off", async () => {
  await using server = await startTestServer();
  await using app = await chromium.open(server);
  await app.addProject(await server.directory("demo"));
  const parent = await app.newSession("demo");
  await parent.ask("stream 1 words", "w1");
  await using caller = await McpCaller.overHttp(server, sessionToken(server, parent.id));
  const agents = [await caller.create({ plan: "sleep" }), await caller.create({ plan: "sleep" })];
  await caller.wait({ agentIds: agents, wake: true });
  const strip = parent.frame.getByRole("group", { name: "Waiting for agents" });
  await strip.getByText("Waiting for 2 agents; resumes when they finish.").waitFor();
  await app.refresh();
  const again = await app.shownSession();
  const shown = again.frame.getByRole("group", { name: "Waiting for agents" });
  await shown.getByRole("button", { name: "Stop waiting" }).click();
  await shown.waitFor({ state: "detached" });
  for (const agentId of agents) await caller.call("cancel_agent", { agentId });
  await caller.wait({ agentIds: agents });
  await expectSoon(() => again.entries("user").count()).toBe(1);
  await caller.call("send_agent_prompt", { agentId: agents[0], prompt: "stream 3 words", wake: true });
  await again.entries("user").getByText("the agents you waited for have finished").waitFor();
});
