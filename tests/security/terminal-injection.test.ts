import { expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { BINARY, COMMANDS_TIMEOUT_MS, environmentOf } from "../cli/liminal.ts";
import { chunk, script, scriptedAgent } from "../integration/scripted-agent.ts";
import { startTalk } from "../integration/talk.ts";
import { ROOT, startTestServer, TestServer } from "../support/test-server.ts";

/** Sets the window's title, clears the screen, recolours (by both introducers), rings, goes back, turns the direction. */
const STEERING = "\u001b]0;owned\u0007\u001b[2J\u001b[31m\u009b31m\u009dx\u009c\b\r\u007f\u202eevil\u2066";
/** What a log of ours must never hold on to: anything of the above, and a line that looks like one of ours. */
const STEERS = /[^\P{Cc}\n\t]|\p{Bidi_Control}/u;
/** A terminal of its own makes line ends of two characters, and of that alone. */
const shownOf = (output: string) => output.replaceAll("\r\n", "\n");

/** What a command prints on a real terminal. */
async function onTerminal(server: TestServer, args: readonly string[]): Promise<string> {
  const decoder = new TextDecoder();
  let output = "";
  const closed = Promise.withResolvers<void>();
  const child = Bun.spawn([Bun.which("node") ?? "node", BINARY, ...args], {
    cwd: server.home,
    env: { ...environmentOf(server), TERM: "xterm-256color" },
    terminal: {
      cols: 200,
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
      ].map(async (args) => ({ args, output: await onTerminal(server, args) })),
    );
    for (const { args, output } of outputs) {
      expect({ args, isEmpty: output === "" }).toEqual({ args, isEmpty: false });
      expect({ args, steers: STEERS.exec(output)?.[0] ?? null }).toEqual({ args, steers: null });
    }
    expect(outputs.map(({ output }) => output).join("")).toContain("evil");
    await talk.answerWith("yes");
    await talk.untilIdle();
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
  expect(server.log).toContain("config.json is not used");
  expect(STEERS.exec(server.log)).toBeNull();
  expect(server.log.split("\n").filter((line) => line.includes("all is well") && /^\d{4}-/.test(line))).toEqual(
    server.log.split("\n").filter((line) => line.includes("config.json is not used") && line.includes("all is well")),
  );
});

test("X-14 whatever is logged, a line that begins with a time is ours", async () => {
  const child = Bun.spawn(
    [
      process.execPath,
      "-e",
      `import { ServerLog } from ${JSON.stringify(join(ROOT, "src/server/logging/server-log.ts"))};
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
