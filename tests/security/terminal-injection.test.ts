import { expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { asPlainJson } from "../../src/lib/harmless-text.ts";
import { BINARY, COMMANDS_TIMEOUT_MS, environmentOf, liminal, startLiminal } from "../cli/liminal.ts";
import { chunk, script, scriptedAgent } from "../integration/scripted-agent.ts";
import { startTalk } from "../integration/talk.ts";
import { ROOT, startTestServer, TestServer } from "../support/test-server.ts";

/** Sets the window's title, clears the screen, recolours (by both introducers), rings, goes back, turns the direction. */
const STEERING = "\u001b]0;owned\u0007\u001b[2J\u001b[31m\u009b31m\u009dx\u009c\b\r\u007f\u202eevil\u2066";
/** What a log of ours must never hold on to: anything of the above, and a line that looks like one of ours. */
const STEERS = /[^\P{Cc}\n\t]|\p{Bidi_Control}/u;
/** What styles of ours look like; JSON and documents have none. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: escapes are what is looked for.
const OWN_COLOURS = /\u001b\[(?:0|1|2|31|32|33|36)m/g;
/** A terminal of its own makes line ends of two characters, and of that alone. */
const shownOf = (output: string) => output.replaceAll("\r\n", "\n");
/** Between two looks a session may have grown a minute older. */
const ageless = (output: string) => output.replaceAll(/ACTIVE +|(?:now|\d+m ago) +/g, "");

/** What a command prints on a real terminal. */
async function onTerminal(
  server: TestServer,
  args: readonly string[],
  { cols = 200, ...env }: { readonly cols?: number; readonly NO_COLOR?: string } = {},
): Promise<string> {
  const decoder = new TextDecoder();
  let output = "";
  const closed = Promise.withResolvers<void>();
  const child = Bun.spawn([BINARY, ...args], {
    cwd: server.home,
    env: { ...environmentOf(server), TERM: "xterm-256color", ...env },
    terminal: {
      cols,
      rows: 50,
      data: (_, data) => {
        output += decoder.decode(data, { stream: true });
      },
      exit: () => closed.resolve(),
    },
  });
  await Promise.all([child.exited, closed.promise]);
  return shownOf(output);
}

test(
  "X-14 nothing an agent says steers the terminal of who lists, reads, exports, searches or looks at its wire",
  async () => {
    await using server = await startTestServer({ agents: { scripted: scriptedAgent() } });
    const talk = await startTalk(server, "scripted");
    const title = { update: { sessionUpdate: "session_info_update", title: `Title ${STEERING}` } };
    await talk.say(script(chunk(`Needle ${STEERING}`), title, { end: "end_turn" }));
    const ask = {
      id: "p1",
      method: "session/request_permission",
      params: {
        toolCall: { toolCallId: "t1", title: `Run ${STEERING}`, kind: "execute", rawInput: { command: STEERING } },
        options: [{ optionId: "yes", name: `Yes ${STEERING}`, kind: "allow_once" }],
      },
    };
    await talk.send(script({ ask }, { end: "end_turn" }));
    await talk.asked();
    const { sessionId } = talk;
    const outputs = await Promise.all(
      [
        ["ls"],
        ["ls", "--json"],
        ["permit"],
        ["permit", "--json"],
        ["export", sessionId],
        ["logs", sessionId],
        ["search", "needle"],
      ].map(async (args) => ({ args, output: await onTerminal(server, args, { NO_COLOR: "1" }) })),
    );
    for (const { args, output } of outputs) {
      expect({ args, isEmpty: output === "" }).toEqual({ args, isEmpty: false });
      expect({ args, steers: STEERS.exec(output)?.[0] ?? null }).toEqual({ args, steers: null });
    }
    expect(outputs.map(({ output }) => output).join("")).toContain("evil");
    const inColour = ["ls", "permit", "search"];
    const coloured = outputs.filter(({ args: [name = "", option] }) => inColour.includes(name) && option !== "--json");
    for (const { args, output } of coloured) {
      const shown = await onTerminal(server, args);
      expect({ args, isColoured: shown !== output }).toEqual({ args, isColoured: true });
      // Only our own colours are added: one that an agent sent would be missing without them.
      expect({ args, output: ageless(shown.replace(OWN_COLOURS, "")) }).toEqual({ args, output: ageless(output) });
    }
    const narrow = (await onTerminal(server, ["ls"], { cols: 60, NO_COLOR: "1" })).split("\n");
    expect(narrow.filter((line) => Bun.stringWidth(line) > 60)).toEqual([]);
    await talk.answerWith("yes");
    await talk.untilIdle();
  },
  COMMANDS_TIMEOUT_MS,
);

const LINE_ENDS = ["\n", "\r", "\r\n", "\v", "\f", "\u0085", "\u2028", "\u2029"];

test(
  "X-14 (S1) (S11) in a pipe every command shows all of what is asked, line by line, and nothing steers a terminal",
  async () => {
    const agents = { scripted: scriptedAgent() };
    const mcpServers = { tools: { command: "true", args: [STEERING] } };
    await using server = await startTestServer({
      agents,
      prepare: (dataDir) => writeFile(join(dataDir, "config.json"), JSON.stringify({ agents, mcpServers })),
    });
    const talk = await startTalk(server, "scripted");
    const lines = LINE_ENDS.map((_, index) => `step-${index} ${"x".repeat(60)}`);
    const command = `${lines.map((line, index) => `${line}${LINE_ENDS[index]}`).join("")}last\u200b step${STEERING}`;
    await talk.say(script(chunk(`Needle ${STEERING}`), { end: "end_turn" }));
    const ask = {
      id: "p1",
      method: "session/request_permission",
      params: {
        toolCall: { toolCallId: "t1", title: "Run the tests", kind: "execute", rawInput: { command } },
        options: [{ optionId: "yes", name: "Yes", kind: "allow_once" }],
      },
    };
    // The script reads its lines with a reader that takes these for line ends, too.
    await talk.send(asPlainJson(script({ ask }, { end: "end_turn" })));
    await talk.asked();
    const { sessionId } = talk;
    const commands = [
      ["permit"],
      ["permit", "--json"],
      ["projects"],
      ["mcp-servers", "--project", talk.projectId],
      ["ls"],
      ["logs", sessionId],
      ["export", sessionId],
      ["export", sessionId, "--format", "json"],
      ["search", "needle"],
    ];
    const outputs = await Promise.all(commands.map(async (args) => ({ args, ...(await liminal(server, args)) })));
    for (const { args, code, stdout, stderr } of outputs) {
      expect({ args, code, stderr, isEmpty: stdout === "" }).toEqual({ args, code: 0, stderr: "", isEmpty: false });
      expect({ args, steers: STEERS.exec(stdout)?.[0] ?? null }).toEqual({ args, steers: null });
    }
    const shown = (outputs[0]?.stdout ?? "").split("\n");
    const rows = shown.filter((row) => row.includes(" │ "));
    for (const line of [...lines, "last<U+200B> step"])
      expect(rows.filter((row) => row.includes(line))).toHaveLength(1);
    expect(rows.join("")).toContain("<U+202E>evil");
    expect(JSON.parse(outputs[1]?.stdout ?? "").requests[0]).toMatchObject({
      command,
      toolCall: { input: { command } },
    });

    const attached = startLiminal(server, ["attach", sessionId, "--until-idle"]);
    const decoder = new TextDecoder();
    let seen = "";
    for await (const bytes of attached.stdout) {
      seen += decoder.decode(bytes, { stream: true });
      if (!seen.includes("answer with:")) continue;
      if (talk.state.pending.length > 0) await talk.answerWith("yes");
    }
    await talk.untilIdle();
    for (const line of lines)
      expect(seen.split("\n").filter((row) => row.includes(line) && row.includes(" │ "))).toHaveLength(1);
    expect(STEERS.exec(seen)).toBeNull();
  },
  COMMANDS_TIMEOUT_MS,
);

test("X-14 a name from a file, in the log of a real server, neither steers a terminal nor forges a line", async () => {
  await using server = await TestServer.prepare({
    prepare: (dataDir) =>
      writeFile(
        join(dataDir, "config.json"),
        JSON.stringify({ agents: { [`x${STEERING}\n2026-01-01T00:00:00.000Z info all is well`]: 7 } }),
      ),
  });
  await server.start();
  await server.stop();
  expect(server.log).toContain("config.json, line 1: agents.");
  expect(STEERS.exec(server.log)).toBeNull();
  expect(server.log.split("\n").filter((line) => line.includes("all is well") && /^\d{4}-/.test(line))).toEqual(
    server.log
      .split("\n")
      .filter((line) => line.includes("config.json, line 1: agents.") && line.includes("all is well")),
  );
});

test("X-14 whatever is logged, a line that begins with a time is ours", async () => {
  const child = Bun.spawn(
    [
      process.execPath,
      "-e",
      `import { ServerLog } from ${JSON.stringify(join(ROOT, "src/operations/server-log.ts"))};
       const logger = new ServerLog({ now: () => 0, level: "info", print: (line) => process.stderr.write(line) });
       const evil = ${JSON.stringify(`${STEERING}\r\n1970-01-01T00:00:00.000Z info forged`)};
       logger.info(evil); logger.warn(evil); logger.error("fault", new Error(evil));`,
    ],
    { stdin: "ignore", stdout: "ignore", stderr: "pipe" },
  );
  const log = await new Response(child.stderr).text();
  expect(await child.exited).toBe(0);
  expect(STEERS.exec(log)).toBeNull();
  expect(log.split("\n").filter((line) => line.startsWith("1970"))).toHaveLength(3);
  expect(log.split("\n").filter((line) => /^1970.*forged/.test(line))).toEqual([]);
});
