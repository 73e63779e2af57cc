import { expect, test } from "bun:test";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { LAB_TOOL, startHttpMcpServer, stdioMcpServer } from "../agents/lab-mcp-server.ts";
import { textsBy } from "../agents/model-server/model-request.ts";
import { HOUSEKEEPING_ANSWER } from "../agents/model-server/plan-answer.ts";
import { numberedWords, toolLine } from "../agents/model-server/script.ts";
import { AgentDriver } from "../builtin-agent/agent-driver.ts";
import { at } from "../builtin-agent/message.ts";
import { temporaryDirectory } from "../builtin-agent/temporary-directory.ts";
import { KEY } from "./model-env.ts";
import { ALL_KNOWN, ENDED, ENDED_UNASKED, notices, withModel } from "./with-model.ts";

for (const kind of ["openai", "anthropic"] as const)
  test(`O-8 a nearly full context is summarized (${kind}), visibly, and the conversation continues with the summary`, async () => {
    await withModel(
      async ({ agent, model }) => {
        await agent.initialize(ALL_KNOWN);
        const sessionId = await agent.newSession();
        await agent.prompt(sessionId, "say: My first answer.\nlong: 900");
        expect(await agent.prompt(sessionId, "say: The second.")).toEqual(ENDED);
        const compactions = agent.updates().filter((update) => update["sessionUpdate"] === "compaction_update");
        expect(compactions.map(({ status }) => status)).toEqual(["in_progress", "completed"]);
        expect(at(compactions[1], "summary", 0, "text")).toBe(HOUSEKEEPING_ANSWER);
        const users = textsBy(model.requests.at(-1), "user");
        expect(users).toEqual([`What happened so far, in short:\n\n${HOUSEKEEPING_ANSWER}`, "say: The second."]);
        expect(textsBy(model.requests.at(-1), "assistant")).toEqual([]);
        expect(await agent.prompt(sessionId, "/compact")).toEqual(ENDED_UNASKED);
      },
      { kind, env: { LIMINAL_MODEL_CONTEXT: "1400" } },
    );
  });

test("O-8 tools of the client's MCP servers are the model's too; those of strangers are asked about", async () => {
  using web = startHttpMcpServer();
  await withModel(async ({ agent, model }) => {
    await agent.initialize(ALL_KNOWN);
    const asked = agent.answerPermissions("allow-always");
    const { url, headers } = Object(web.setting);
    const files = { name: "files", ...stdioMcpServer(join(agent.directory, "asked")), env: [] };
    const http = { name: "web", type: "http", url, headers: [{ name: "Authorization", value: headers.Authorization }] };
    const gone = { name: "gone", type: "http", url: "http://127.0.0.1:9/mcp", headers: [] };
    const mcpServers = [files, http, gone];
    const { sessionId } = await agent.request("session/new", { cwd: agent.cwd, mcpServers });
    const script = [toolLine(LAB_TOOL, { text: "abc" }), toolLine(`web_${LAB_TOOL}`, { text: "def" }), "say: Done."];
    // Which of two gets the plain name depends on who answers first: both are called by both names.
    await agent.prompt(String(sessionId), "say: ready");
    const names = model.requests[0]?.tools.map(({ name }) => name) ?? [];
    expect(names.filter((name) => name.includes(LAB_TOOL))).toHaveLength(2);
    const other = names.find((name) => name.endsWith(`_${LAB_TOOL}`)) ?? "";
    expect(await agent.prompt(String(sessionId), script.join("\n").replace(`web_${LAB_TOOL}`, other))).toEqual(ENDED);
    expect(textsBy(model.requests.at(-1), "tool")).toEqual(["cba", "fed"]);
    expect(asked).toHaveLength(1);
    expect(notices(agent)[0]).toContain("Agent MCP failed to initialize: gone");
  });
});

test("O-8 a permanent failure is reported with advice, and the key is written nowhere", async () => {
  await withModel(async ({ agent, model }) => {
    const sessionId = await agent.open(ALL_KNOWN);
    model.mishaps.push({ status: 401 });
    await expect(agent.prompt(sessionId, "say: x")).rejects.toThrow("Check the key in LIMINAL_MODEL_KEY");
    model.mishaps.push(...Array.from({ length: 6 }, () => ({ status: 503 })));
    await expect(agent.prompt(sessionId, "say: x")).rejects.toThrow("I tried 6 times.");
    model.mishaps.push({ status: 429, headers: { "retry-after": "3600" } });
    await expect(agent.prompt(sessionId, "say: x")).rejects.toThrow("wait 60 minutes");
    for (const [status, wayOut] of WAYS_OUT) {
      model.mishaps.push({ status });
      await expect(agent.prompt(sessionId, "say: x")).rejects.toThrow(wayOut);
    }
    expect(await agent.prompt(sessionId, "say:")).toEqual(ENDED);
    expect(notices(agent).at(-1)).toBe(
      "The model returned an empty answer. Send your message again, or choose another model.",
    );
    const [file = ""] = readdirSync(join(agent.directory, ".guide"));
    expect(readFileSync(join(agent.directory, ".guide", file), "utf8")).not.toContain(KEY);
    expect(agent.lines.join()).not.toContain(KEY);
    agent.closeStdin();
    await agent.ended();
    expect(await agent.stderr).not.toContain(KEY);
  });
});

test("O-8 the model gets bad calls as errors, and a turn has a bounded number of steps", async () => {
  await withModel(
    async ({ agent, model }) => {
      const sessionId = await agent.open();
      const calls = [
        toolLine("no_such_tool", {}),
        toolLine("read_file", { path: 7 }),
        toolLine("read_file", { path: "../x" }),
      ];
      expect(await agent.prompt(sessionId, [...calls, "say: Oh."].join("\n"))).toEqual({
        ...ENDED,
        stopReason: "max_turn_requests",
      });
      expect(await agent.prompt(sessionId, "go on")).toEqual(ENDED);
      expect(textsBy(model.requests.at(-1), "tool").join()).toMatch(
        /no tool "no_such_tool".*path: must be a string.*outside/s,
      );
    },
    { env: { LIMINAL_MODEL_STEPS: "3" } },
  );
});

test("O-8 a message for the running turn reaches the model with its next question", async () => {
  await withModel(async ({ agent, model }) => {
    const sessionId = await agent.open();
    const turn = agent.prompt(sessionId, "hold: here\nsay: First.");
    await model.untilHeld("here");
    const prompt = [{ type: "text", text: "say: Second." }];
    expect(await agent.request("_session/steering", { sessionId, prompt })).toEqual({ outcome: "injected" });
    model.release("here");
    expect(await turn).toEqual(ENDED);
    expect(agent.text()).toBe("First.Second.");
  });
});

test("O-8 slash commands and help work without the model; settings that make no sense are named", async () => {
  await withModel(async ({ agent, model }) => {
    const sessionId = await agent.open();
    expect(await agent.prompt(sessionId, "help")).toEqual(ENDED_UNASKED);
    expect(agent.text()).toContain("I work with a model");
    await agent.prompt(sessionId, "/list");
    expect(agent.text()).toContain("There are no files here yet.");
    expect(model.requests).toEqual([]);
    const commands = agent.updates().find((update) => update["sessionUpdate"] === "available_commands_update");
    expect(JSON.stringify(commands)).toContain('"compact"');
  });
  using directory = temporaryDirectory();
  for (const [env, words] of WRONG_SETTINGS) {
    await using agent = new AgentDriver({ directory: directory.path, env });
    await expect(agent.prompt(await agent.open(), "hello")).rejects.toThrow(words);
  }
});

const WAYS_OUT = [
  [400, 'whether the model "scripted-1" can use tools'],
  [402, "Check the account that the key in LIMINAL_MODEL_KEY belongs to"],
  [404, 'whether there is a model "scripted-1"'],
] as const;

const URL_AND_MODEL = { LIMINAL_MODEL_URL: "http://127.0.0.1:9/v1", LIMINAL_MODEL: "m" };
const WRONG_SETTINGS: readonly (readonly [Record<string, string>, string])[] = [
  [{ LIMINAL_MODEL: "m" }, "LIMINAL_MODEL_URL is not set"],
  [{ LIMINAL_MODEL_URL: "http://127.0.0.1:9/v1" }, "LIMINAL_MODEL is not set"],
  [{ ...URL_AND_MODEL, LIMINAL_MODEL_URL: "nowhere" }, "must be an http or https address"],
  [{ ...URL_AND_MODEL, LIMINAL_MODEL_KIND: "other" }, "LIMINAL_MODEL_KIND is one of openai, anthropic"],
  [{ ...URL_AND_MODEL, LIMINAL_MODEL_CONTEXT: "10" }, "LIMINAL_MODEL_CONTEXT must be a number from 1000 on"],
  [{ ...URL_AND_MODEL, LIMINAL_MODEL_KEY_FROM: "NO_SUCH_KEY" }, "names NO_SUCH_KEY, which is not set"],
];

test("O-8 long answers of tools are bounded before the model gets them", async () => {
  await withModel(async ({ agent, model }) => {
    const sessionId = await agent.open();
    writeFileSync(join(agent.cwd, "long.txt"), numberedWords(20_000));
    await agent.prompt(sessionId, `${toolLine("read_file", { path: "long.txt" })}\nsay: Long.`);
    const [result = ""] = textsBy(model.requests.at(-1), "tool");
    expect(result).toContain("characters left out]");
    expect(result.length).toBeLessThan(31_000);
  });
});

test("W-3 a question that the client cancels ends the turn before the next question to the model", async () => {
  await withModel(async ({ agent, model }) => {
    const sessionId = await agent.open();
    agent.answerPermissions("cancelled");
    const script = `${toolLine("run_command", { command: "touch never" })}\nsay: never`;
    expect(await agent.prompt(sessionId, script)).toEqual({ stopReason: "cancelled" });
    expect(await agent.prompt(sessionId, "say: Next.")).toEqual(ENDED);
    expect(agent.text()).toBe("Next.");
    expect(model.requests).toHaveLength(2);
  });
});
