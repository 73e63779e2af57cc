import { describe, expect, it } from "bun:test";
import { EPOCH, PLAIN_HOST } from "../../../../tests/core/acp-scene.ts";
import { ClientRequestError } from "../client-requests.ts";
import { AcpConnection } from "./acp-connection.ts";
import { WireTrace } from "./wire-trace.ts";

/** Runs a shell script as the agent. The connection opens at once, or after the line `openAfter`. */
async function connect(script: string, openAfter?: string) {
  const heard: string[] = [];
  const waiting: { text: string; resolve: () => void }[] = [];
  const trace = new WireTrace(Date.now);
  const hear = (text: string) => {
    heard.push(text);
    for (const { text: awaited, resolve } of waiting) if (awaited === text) resolve();
  };
  const connection = new AcpConnection({
    host: PLAIN_HOST,
    command: ["/bin/sh", "-c", script],
    cwd: "/",
    env: { PATH: process.env["PATH"] ?? "" },
    epoch: EPOCH,
    held: null,
    trace,
    hooks: {
      onAccount: () => undefined,
      onUpdate: (id, update) => hear(`update ${id} ${JSON.stringify(update)}`),
      onPermissionRequest: ({ offset }) => hear(`asked ${offset}`),
      onPermissionWithdrawn: (offset) => hear(`withdrawn ${offset}`),
      onQuestion: ({ offset }) => hear(`question ${offset}`),
      onQuestionWithdrawn: (offset) => hear(`question withdrawn ${offset}`),
      onQuestionCompleted: (name) => hear(`question completed ${name}`),
      onPromptAnswer: (key, result, failure) => hear(`answered ${key} ${JSON.stringify(result ?? failure)}`),
      onRequest: async (method) => {
        hear(`request ${method}`);
        if (method === "terminal/wait_for_exit") return new Promise(() => undefined);
        if (method === "craft/faulty") throw new Error("a fault of ours");
        throw new ClientRequestError(-32601, "no");
      },
      onCheckpointDue: () => hear("checkpoint due"),
      onNote: (note) => hear(`note ${JSON.stringify(note)}`),
      onPastPrompt: (id, key) => hear(`past prompt ${id} ${key}`),
      onPastSteer: (id, key) => hear(`past steer ${id} ${key}`),
      onPastCancel: (id) => hear(`past cancel ${id}`),
      onPastTerminal: (id, terminalId) => hear(`past terminal ${id} ${terminalId}`),
      onPastAnswer: (method, _params, result) => hear(`past answer ${method} ${JSON.stringify(result)}`),
    },
  });
  const heardOf = (text: string) =>
    new Promise<void>((resolve) => {
      if (heard.includes(text)) resolve();
      else waiting.push({ text, resolve });
    });
  if (openAfter !== undefined) await heardOf(openAfter);
  connection.open();
  return {
    connection,
    heard,
    heardOf,
    sent: () => trace.recent().flatMap(({ direction, text }) => (direction === "out" ? [JSON.parse(text)] : [])),
    lines: (direction: string) => trace.recent().flatMap((line) => (line.direction === direction ? [line.text] : [])),
    [Symbol.asyncDispose]: async () => void (await connection.stop()),
  };
}

function say(...messages: object[]): string {
  const lines = messages.map((message) => JSON.stringify({ jsonrpc: "2.0", ...message }));
  return `printf '%s\\n' ${lines.map((line) => `'${line}'`).join(" ")}`;
}

const update = (words: string) => ({ method: "session/update", params: { sessionId: "s", update: words } });
const ask = (id: unknown) => ({ id, method: "session/request_permission", params: { sessionId: "s" } });
const READ = "read -r line";
const WAIT = "cat > /dev/null";

describe("AcpConnection: our requests", () => {
  it("use ids of this run, and answers to another run's ids are ignored", async () => {
    const foreign = say({ id: "epoch0-0", result: { from: "yesterday" } }, { id: 0, result: { from: "nobody" } });
    const own = say({ id: `${EPOCH}-0`, result: { from: "today" } });
    await using at = await connect(`${READ}; ${foreign}; ${own}; ${WAIT}`);
    expect(await at.connection.request("initialize", {})).toEqual({ from: "today" });
    expect(at.sent()).toMatchObject([{ id: `${EPOCH}-0`, method: "initialize" }]);
    expect(at.lines("in")).toHaveLength(3);
  });

  it("are counted while open, and end with the process", async () => {
    await using at = await connect(`${READ}; exit 3`);
    const request = at.connection.request("session/new", {});
    expect(at.connection.isBusy).toBe(true);
    expect(await request.catch((error: Error) => error.message)).toContain("closed");
    expect(at.connection.isBusy).toBe(false);
    expect(await at.connection.exited).toMatchObject({ code: 3 });
  });

  it("an answer that is not an object is read as empty; an error is passed on", async () => {
    const answers = say(
      { id: `${EPOCH}-0`, result: null },
      { id: `${EPOCH}-1`, error: { code: -32603, message: "no" } },
    );
    await using at = await connect(`${READ}; ${READ}; ${answers}; ${WAIT}`);
    const first = at.connection.request("session/load", {});
    const second = at.connection.request("session/load", {});
    expect(await first).toEqual({});
    expect(await second.catch((error: { code: number }) => error.code)).toBe(-32603);
  });
});

describe("AcpConnection: prompts", () => {
  it("W-12 their end is reported after their last update, even if everything arrives at once", async () => {
    const turn = say(
      update("one"),
      update("two"),
      { id: `${EPOCH}-p1`, result: { stopReason: "end_turn" } },
      update("late"),
    );
    await using at = await connect(`${READ}; ${turn}; ${WAIT}`);
    expect(at.connection.prompt("s", "1", [{ type: "text", text: "hi" }])).toBe(`${EPOCH}-p1`);
    expect(at.connection.isBusy).toBe(true);
    await at.heardOf('update s "late"');
    expect(at.heard).toEqual([
      'update s "one"',
      'update s "two"',
      `answered ${EPOCH}-p1 {"stopReason":"end_turn"}`,
      'update s "late"',
    ]);
    expect(at.connection.isBusy).toBe(false);
  });

  it("an error without details ends a prompt, too", async () => {
    const turn = say({ id: `${EPOCH}-p1`, error: { code: 500, message: "model" } }, { id: `${EPOCH}-p2`, error: {} });
    await using at = await connect(`${READ}; ${READ}; ${turn}; ${WAIT}`);
    at.connection.prompt("s", "1", []);
    at.connection.prompt("s", "2", []);
    await at.heardOf(`answered ${EPOCH}-p2 {"code":0,"message":"The agent gave no reason."}`);
    expect(at.heard[0]).toBe(`answered ${EPOCH}-p1 {"code":500,"message":"model"}`);
  });

  it("a second answer to one prompt is ignored", async () => {
    const end = { id: `${EPOCH}-p1`, result: { stopReason: "end_turn" } };
    await using at = await connect(
      `${READ}; ${say(end, end, { id: `${EPOCH}-p9`, result: {} })}; ${READ}; ${say({ id: `${EPOCH}-0`, result: { ok: 1 } })}; ${WAIT}`,
    );
    at.connection.prompt("s", "1", []);
    expect(await at.connection.request("session/new", {})).toEqual({ ok: 1 });
    expect(at.heard).toEqual([`answered ${EPOCH}-p1 {"stopReason":"end_turn"}`]);
    expect(at.sent()).toHaveLength(2);
  });

  it("cancelling one is sent only while it is open", async () => {
    await using at = await connect(`${READ}; ${say({ id: `${EPOCH}-p1`, result: {} })}; ${WAIT}`);
    const key = at.connection.prompt("s", "1", []);
    at.connection.cancelPrompt("another");
    at.connection.cancelPrompt(key);
    await at.heardOf(`answered ${EPOCH}-p1 {}`);
    at.connection.cancelPrompt(key);
    expect(at.sent().slice(1)).toEqual([{ jsonrpc: "2.0", method: "$/cancel_request", params: { requestId: key } }]);
  });
});

describe("AcpConnection: requests of the agent", () => {
  const IDS = ["text", "", "null", "0", 0, -7, 1.5, null];

  it("W-8 a permission request with any id is answered with exactly that id, once", async () => {
    await using at = await connect(`${say(...IDS.map(ask))}; ${WAIT}`);
    await at.heardOf(`asked ${IDS.length}`);
    for (let line = 1; line <= IDS.length; line += 1) {
      at.connection.answer(line, { result: { outcome: { outcome: "cancelled" } } });
      at.connection.answer(line, { result: { outcome: { outcome: "selected", optionId: "x" } } });
    }
    expect(at.sent()).toEqual(IDS.map((id) => ({ jsonrpc: "2.0", id, result: { outcome: { outcome: "cancelled" } } })));
    expect(at.connection.isBusy).toBe(false);
  });

  it("a cancelled request is withdrawn and still answered; an unknown id withdraws nothing", async () => {
    const back = (requestId: unknown) => ({ method: "$/cancel_request", params: { requestId } });
    await using at = await connect(`${say(ask("q"), back("other"), back("q"), back("q"), update("end"))}; ${WAIT}`);
    await at.heardOf('update s "end"');
    expect(at.heard).toEqual(["asked 1", "withdrawn 1", 'update s "end"']);
    expect(at.connection.isAsked(1)).toBe(false);
    at.connection.answer(1, { result: { outcome: { outcome: "selected", optionId: "x" } } });
    expect(at.sent()).toEqual([{ jsonrpc: "2.0", id: "q", error: { code: -32800, message: "Request cancelled" } }]);
  });

  it("a request received before the connection is open is answered once it opens", async () => {
    const early = say({ id: 7, method: "craft/early", params: {} }, update("asked"));
    await using at = await connect(`${early}; ${READ}; ${say(update("read"))}; ${WAIT}`, 'update s "asked"');
    await at.heardOf('update s "read"');
    expect(at.sent()).toMatchObject([{ id: 7, error: { code: -32601 } }]);
  });

  it("a cancelled wait is answered at once, and an exception of ours becomes an internal error", async () => {
    const wait = { id: 7, method: "terminal/wait_for_exit", params: {} };
    const back = { method: "$/cancel_request", params: { requestId: 7 } };
    const faulty = { id: 8, method: "craft/faulty", params: {} };
    await using at = await connect(
      `${say(wait, back, back, faulty, { id: 9, method: 5 })}; ${READ}; ${READ}; ${READ}; ${say(update("read"))}; ${WAIT}`,
    );
    await at.heardOf('update s "read"');
    expect(at.sent().toSorted((a, b) => a.id - b.id)).toMatchObject([
      { id: 7, error: { code: -32800 } },
      { id: 8, error: { code: -32603, data: { details: "a fault of ours" } } },
      { id: 9, error: { code: -32600 } },
    ]);
  });

  it("a request to an agent that has exited is refused at once", async () => {
    await using at = await connect("exit 0");
    await at.connection.exited;
    expect(await at.connection.request("session/new", {}).catch((error: Error) => error.message)).toContain("closed");
    expect(at.connection.isBusy).toBe(false);
  });

  it("other requests are answered by their handler, and extension notifications are not answered", async () => {
    const request = { id: 7, method: "craft/drainMidTurnQueue", params: {} };
    await using at = await connect(
      `${say({ method: "_auth/status", params: {} }, request)}; ${READ}; ${say(update("read"))}; ${WAIT}`,
    );
    await at.heardOf('update s "read"');
    expect(at.sent()).toMatchObject([{ id: 7, error: { code: -32601 } }]);
  });
});

describe("AcpConnection: lines that are not messages", () => {
  it("are kept in the trace, never answered, and the stream continues", async () => {
    const junk = ["plain words", "", "[1,2]", '"text"', "42", "null", "{not json", "   "];
    const lines = junk.map((line) => `'${line}'`).join(" ");
    await using at = await connect(`printf '%s\\n' ${lines}; ${say(update("after"))}; ${WAIT}`);
    await at.heardOf('update s "after"');
    expect(at.sent()).toEqual([]);
    expect(at.lines("junk")).toEqual(junk.filter((line) => line.trim() !== ""));
  });

  it("incomplete updates and answers to unknown requests are ignored", async () => {
    const odd = say(
      { method: "session/update", params: { update: "no session" } },
      { method: "session/update", params: { sessionId: "s" } },
      { method: "session/update" },
      { id: null, error: { code: -32700, message: "parse error" } },
      { id: "unknown", result: {} },
      {},
    );
    await using at = await connect(`${odd}; ${say(update("after"))}; ${WAIT}`);
    await at.heardOf('update s "after"');
    expect(at.heard).toEqual(['update s "after"']);
    expect(at.sent()).toEqual([]);
  });

  it("lines that end in CR LF are read like others", async () => {
    await using at = await connect(`printf '%s\\r\\n' '${JSON.stringify(update("crlf"))}'; ${WAIT}`);
    await at.heardOf('update s "crlf"');
    expect(at.lines("junk")).toEqual([]);
  });

  it("stderr output is kept", async () => {
    await using at = await connect("echo 'no key' >&2; exit 1");
    expect(await at.connection.exited).toMatchObject({ code: 1, stderrTail: "no key" });
    expect(at.lines("stderr").join("")).toBe("no key\n");
  });
});
