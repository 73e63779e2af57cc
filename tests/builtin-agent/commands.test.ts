import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { AgentDriver } from "./agent-driver.ts";
import { at, type Message, updateOf } from "./message.ts";
import { waitUntilGone } from "./process-watch.ts";
import { temporaryDirectory } from "./temporary-directory.ts";

async function withAgent(
  use: (agent: AgentDriver, sessionId: string) => Promise<void>,
  clientCapabilities: object = {},
): Promise<void> {
  using directory = temporaryDirectory();
  await using agent = new AgentDriver({ directory: directory.path });
  await use(agent, await agent.open(clientCapabilities));
}

const text = (tool: Message | undefined) => String(at(tool, "content", 0, "content", "text"));

test("W-8 run asks first and puts the output, stderr in order, into the tool call", async () => {
  await withAgent(async (agent, sessionId) => {
    const asked = agent.answerPermissions("allow-once");
    await agent.prompt(sessionId, "run echo one; echo two >&2; echo three; pwd");
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatchObject({ toolCall: { kind: "execute", rawInput: { cwd: agent.cwd } } });
    const [tool] = agent.tools();
    expect(text(tool)).toBe(`one\ntwo\nthree\n${agent.cwd}\n`);
    expect(tool).toMatchObject({ kind: "execute", status: "completed", rawOutput: { exitCode: 0, truncated: false } });
    expect(agent.text()).toBe("The command succeeded.");
  });
});

test("run marks a failing command as failed and keeps its output", async () => {
  await withAgent(async (agent, sessionId) => {
    agent.answerPermissions("allow-once");
    await agent.prompt(sessionId, "run echo before; exit 3");
    const [tool] = agent.tools();
    expect(tool).toMatchObject({ status: "failed", rawOutput: { exitCode: 3 } });
    expect(text(tool)).toBe("before\n");
    expect(agent.text()).toContain("exit code 3");
  });
});

test("run bounds the output and keeps its end", async () => {
  await withAgent(async (agent, sessionId) => {
    agent.answerPermissions("allow-once");
    await agent.prompt(sessionId, "run seq 1 100000");
    const [tool] = agent.tools();
    expect(text(tool).length).toBeLessThan(70_000);
    expect(text(tool)).toMatch(/^\[\d+ characters left out\]\n/);
    expect(text(tool)).toEndWith("\n100000\n");
    expect(tool).toMatchObject({ rawOutput: { truncated: true } });
  });
});

test("run streams output while the command runs", async () => {
  await withAgent(async (agent, sessionId) => {
    agent.answerPermissions("allow-once");
    const gate = join(agent.cwd, "gate");
    const turn = agent.prompt(sessionId, `run echo early; until [ -e ${gate} ]; do sleep 0.01; done; echo late`);
    await agent.waitFor((message) => text(updateOf(message)) === "early\n");
    await Bun.write(gate, "");
    await turn;
    expect(text(agent.tools()[0])).toBe("early\nlate\n");
  });
});

test("a rejected command does not run", async () => {
  await withAgent(async (agent, sessionId) => {
    agent.answerPermissions("reject-once");
    expect(await agent.prompt(sessionId, "run touch made")).toEqual({ stopReason: "end_turn" });
    expect(agent.tools()[0]).toMatchObject({ status: "failed" });
    expect(existsSync(join(agent.cwd, "made"))).toBe(false);
  });
});

test("a cancelled question ends the turn as cancelled and nothing runs", async () => {
  await withAgent(async (agent, sessionId) => {
    agent.answerPermissions("cancelled");
    expect(await agent.prompt(sessionId, "run touch made")).toEqual({ stopReason: "cancelled" });
    expect(agent.tools()[0]).toMatchObject({ status: "failed" });
    expect(existsSync(join(agent.cwd, "made"))).toBe(false);
  });
});

test("always allow holds for its kind in its session only", async () => {
  await withAgent(async (agent, sessionId) => {
    const asked = agent.answerPermissions("allow-always");
    await agent.prompt(sessionId, "run true");
    await agent.prompt(sessionId, "run true");
    expect(asked).toHaveLength(1);
    await agent.prompt(sessionId, 'edit a.txt "" "text"');
    expect(asked).toHaveLength(2);
    await agent.prompt(await agent.newSession(), "run true");
    expect(asked).toHaveLength(3);
  });
});

test("the mode really decides what is asked", async () => {
  await withAgent(async (agent, sessionId) => {
    const asked = agent.answerPermissions("allow-once");
    const inMode = async (value: string) => {
      await agent.request("session/set_config_option", { sessionId, configId: "mode", value });
      const before = asked.length;
      const from = agent.messages.length;
      await agent.prompt(sessionId, "run true");
      await agent.prompt(sessionId, `edit ${value}.txt "" "text"`);
      return { questions: asked.length - before, statuses: agent.tools(from).map((tool) => tool["status"]) };
    };
    expect(await inMode("ask")).toEqual({ questions: 2, statuses: ["completed", "completed"] });
    expect(await inMode("edits")).toEqual({ questions: 1, statuses: ["completed", "completed"] });
    expect(await inMode("all")).toEqual({ questions: 0, statuses: ["completed", "completed"] });
    expect(await inMode("read")).toEqual({ questions: 0, statuses: ["failed", "failed"] });
    expect(existsSync(join(agent.cwd, "read.txt"))).toBe(false);
  });
});

test("background processes of a finished command are ended", async () => {
  await withAgent(async (agent, sessionId) => {
    agent.answerPermissions("allow-once");
    await agent.prompt(sessionId, "run sleep 300 & echo $!");
    await waitUntilGone(Number(text(agent.tools()[0])));
  });
});

test("W-11 run uses the client's terminal where offered, shows it in the call and releases it", async () => {
  await withAgent(
    async (agent, sessionId) => {
      agent.answerPermissions("allow-once");
      const called: string[] = [];
      const note = (method: string, answer: (params: Message) => unknown) =>
        agent.responders.set(method, (params) => {
          called.push(method);
          return answer(params);
        });
      let child: Bun.Subprocess<"ignore", "pipe", "inherit"> | undefined;
      note("terminal/create", ({ command, args, cwd }) => {
        const words = [String(command), ...(Array.isArray(args) ? args.map(String) : [])];
        child = Bun.spawn(words, { cwd: String(cwd), stdin: "ignore", stdout: "pipe" });
        return { terminalId: "term-1" };
      });
      note("terminal/wait_for_exit", async () => ({ exitCode: await child?.exited, signal: null }));
      note("terminal/output", async () => ({ output: await new Response(child?.stdout).text(), truncated: false }));
      note("terminal/release", () => ({}));
      await agent.prompt(sessionId, "run echo in a terminal");
      const calls = ["terminal/create", "terminal/wait_for_exit", "terminal/output", "terminal/release"];
      expect(called).toEqual(calls);
      expect(agent.tools()[0]).toMatchObject({
        status: "completed",
        content: [{ type: "terminal", terminalId: "term-1" }],
        rawOutput: { output: "in a terminal\n", exitCode: 0 },
      });
      const from = agent.messages.length;
      await agent.request("session/load", { sessionId, cwd: agent.cwd, mcpServers: [] });
      expect(text(agent.tools(from)[0])).toBe("in a terminal\n");
    },
    { terminal: true },
  );
});

test("W-2 a cancel kills and releases the client's terminal", async () => {
  await withAgent(
    async (agent, sessionId) => {
      agent.answerPermissions("allow-once");
      agent.responders.set("terminal/create", () => ({ terminalId: "term-1" }));
      agent.responders.set("terminal/wait_for_exit", () => new Promise(() => undefined));
      agent.responders.set("terminal/kill", () => ({}));
      agent.responders.set("terminal/release", () => ({}));
      const turn = agent.prompt(sessionId, "run sleep 300");
      await agent.waitFor(({ method }) => method === "terminal/wait_for_exit");
      agent.notify("session/cancel", { sessionId });
      expect(await turn).toEqual({ stopReason: "cancelled" });
      await agent.waitFor(({ method }) => method === "terminal/kill");
      await agent.waitFor(({ method }) => method === "terminal/release");
    },
    { terminal: true },
  );
});

test("W-2 a cancel is answered while the client still makes the terminal, which is then killed and released", async () => {
  await withAgent(
    async (agent, sessionId) => {
      agent.answerPermissions("allow-once");
      const made = Promise.withResolvers<object>();
      agent.responders.set("terminal/create", () => made.promise);
      agent.responders.set("terminal/kill", () => ({}));
      agent.responders.set("terminal/release", () => ({}));
      const turn = agent.prompt(sessionId, "run sleep 300");
      await agent.waitFor(({ method }) => method === "terminal/create");
      agent.notify("session/cancel", { sessionId });
      expect(await turn).toEqual({ stopReason: "cancelled" });
      made.resolve({ terminalId: "term-late" });
      const released = await agent.waitFor(({ method }) => method === "terminal/release");
      expect(released).toMatchObject({ params: { sessionId, terminalId: "term-late" } });
      expect(agent.messages.some(({ method }) => method === "terminal/kill")).toBe(true);
      expect(agent.tools()).toMatchObject([{ status: "failed" }]);
    },
    { terminal: true },
  );
});
