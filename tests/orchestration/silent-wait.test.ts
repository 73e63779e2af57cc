import { expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { startTalk } from "../integration/talk.ts";
import { startTestServer } from "../support/test-server.ts";
import { McpCaller, sessionToken } from "./mcp-caller.ts";

const SILENT_WAIT_MS = 300;

test.each([["overHttp"], ["overStdio"]] as const)(
  "(C7) a wait without a progress token ends early and says so, with one it goes on, %s",
  async (way) => {
    await using server = await startTestServer({
      prepare: (dataDir) =>
        writeFile(join(dataDir, "config.json"), JSON.stringify({ orchestration: { silentWaitMs: SILENT_WAIT_MS } })),
    });
    const talk = await startTalk(server, "builtin");
    await using caller = await McpCaller[way](server, sessionToken(server, talk.sessionId));
    const agentId = await caller.create({ plan: "sleep" });
    const cut = await caller.call("wait_for_agents", { timeoutMs: 600_000 });
    expect(cut).toMatchObject({ reason: "timeout", pending: [agentId] });
    expect(cut["hint"]).toContain(`it waited ${SILENT_WAIT_MS} ms`);
    // As long as it takes: the end of the agent's work ends it, not the limit.
    let isOver = false;
    const waiting = caller.client
      .callTool({ name: "wait_for_agents", arguments: { timeoutMs: 600_000 } }, { onprogress: () => undefined })
      .finally(() => {
        isOver = true;
      });
    // A call that is cut takes as long as the limit: after one, the other would have ended, too.
    await caller.call("wait_for_agents", { timeoutMs: 600_000 });
    await caller.call("wait_for_agents", { timeoutMs: 600_000 });
    expect(isOver).toBe(false);
    await caller.call("cancel_agent", { agentId });
    expect((await waiting).structuredContent).toMatchObject({ reason: "aborted" });
  },
);
