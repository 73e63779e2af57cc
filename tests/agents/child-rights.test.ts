import { expect, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { isPermission } from "../../src/protocol/pending-request.ts";
import { McpCaller, sessionToken } from "../orchestration/mcp-caller.ts";
import { EDITED_TEXT, openAgentScene } from "./agent-scene.ts";
import { REAL_AGENTS } from "./real-agents.ts";

const [claude, codex] = REAL_AGENTS;
if (!claude || !codex) throw new Error("both agents are needed");

test.skipIf(!claude.isInstalled || !codex.isInstalled)(
  "X-20 (A2, C1) a Codex child of a Claude session that must ask is made careful: it writes nothing unasked, and nobody is asked for the hand-over",
  async () => {
    await using scene = await openAgentScene(claude, {}, undefined, [codex]);
    const talk = await scene.newSession();
    const call = (tool: string, input: Parameters<typeof claude.mcpTool>[2]) => claude.mcpTool("liminal", tool, input);
    await talk.run(
      call("list_agents", {}),
      call("create_coding_agent", {
        agent: "codex",
        plan: [codex.edit(talk.file, "line two", "line 2"), "say: Edited."].join("\n"),
      }),
      call("wait_for_agents", {}),
      "say: Handed over.",
    );
    // Our own tools asked for no permission, and the transcript shows that.
    expect(scene.client.all("permission:request").filter(({ by }) => by === undefined)).toMatchObject([
      { sessionId: expect.stringContaining("codex:") },
    ]);
    const own = talk.tools.filter(({ name }) => name.startsWith("mcp__liminal__"));
    expect(own.map(({ name, permission }) => [name, permission?.answer, permission?.by])).toEqual(
      ["list_agents", "create_coding_agent", "wait_for_agents"].map((name) => [
        `mcp__liminal__${name}`,
        "allowed",
        "policy",
      ]),
    );
    expect(talk.entries.at(-1)?.content).toBe("Handed over.");

    await using caller = await McpCaller.overHttp(scene.server, sessionToken(scene.server, talk.sessionId));
    const [child] = await caller.list();
    expect(child).toMatchObject({ cliType: "codex", status: "waiting", outcome: "blocked" });
    const sessionId = child?.agentId ?? "";
    const { config, pending } = await scene.client.ask("session:history", { type: "session:open", sessionId });
    expect(config.options.find(({ category }) => category === "mode")?.currentValue).toBe("read-only");
    expect(pending.filter(isPermission)).toHaveLength(1);
    expect(await readFile(talk.file, "utf8")).toBe(EDITED_TEXT);
    // Nor can the parent allow what it would have to ask for itself.
    expect(await caller.refusalOf("answer_agent", { agentId: sessionId, answer: "allow" })).toContain(
      "Only the user can allow this",
    );
    await caller.call("answer_agent", { agentId: sessionId, answer: "deny" });
    await caller.wait();
    expect(await readFile(talk.file, "utf8")).toBe(EDITED_TEXT);
  },
);
