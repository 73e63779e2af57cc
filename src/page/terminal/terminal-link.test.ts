import { describe, expect, test } from "bun:test";
import type { ClientRequest } from "../../client/pending-requests.ts";
import { ProjectId } from "../../protocol/ids.ts";
import type { TerminalInfo } from "../../protocol/terminals.ts";
import { TerminalLink, type TerminalSize } from "./terminal-link.ts";

const TERMINAL: TerminalInfo = {
  terminalId: "t1",
  projectId: ProjectId.parse("p1"),
  worktreeId: null,
  kind: "shell",
  title: "zsh",
  cwd: "/home/ada/atlas",
  startedAt: "2026-01-01T00:00:00.000Z",
  end: null,
  columns: 80,
  rows: 24,
};

/** A screen that records its input, and a server that answers only when the test lets it. */
function scene({ fits = { columns: 100, rows: 30 }, hasFocus = false } = {}) {
  const sent: ClientRequest[] = [];
  const shown: string[] = [];
  const sizes: TerminalSize[] = [];
  const pending: (() => void)[] = [];
  let skips = 0;
  let place = fits;
  const link = new TerminalLink({
    terminalId: "t1",
    screen: {
      write: (data, onShown) => {
        shown.push(Buffer.from(data).toString());
        onShown?.();
      },
      resize: (size) => sizes.push(size),
      get fittingSize() {
        return place;
      },
      hasFocus,
    },
    attempt: (request) => {
      sent.push(request);
      return new Promise((resolve) => pending.push(() => resolve({ type: "ok" })));
    },
    onSkipped: () => {
      skips += 1;
    },
    onTrouble: () => undefined,
  });
  const attached = (offset: number, prelude = "", skipped = 0) =>
    link.receive({
      type: "terminal:attached",
      terminal: TERMINAL,
      offset,
      skipped,
      prelude,
      columns: TERMINAL.columns,
      rows: TERMINAL.rows,
    });
  const output = (
    data: string,
    offset: number,
    { skipped = 0, size = null }: { skipped?: number; size?: TerminalSize | null } = {},
  ) => link.receiveOutput({ terminalId: "t1", bytes: Buffer.from(data), offset, skipped, size });
  const answerAll = async () => {
    for (const answer of pending.splice(0)) answer();
    await Promise.resolve();
  };
  const sentOf = (type: string) => sent.filter((one) => one.type === type);
  const placeIs = (size: TerminalSize) => {
    place = size;
    link.placeChanged();
  };
  return { link, sentOf, shown, sizes, attached, output, answerAll, placeIs, skips: () => skips };
}

describe("[WS-39] a client that comes back", () => {
  test("writes the prelude before the kept output, in the terminal's own size", () => {
    const { link, attached, output, shown, sizes } = scene();
    void link.attach();
    attached(500, "\u001b[?1h", 500);
    output("$ ls\r\n", 506);
    expect(shown).toEqual(["\u001b[?1h", "$ ls\r\n"]);
    expect(sizes).toEqual([{ columns: 80, rows: 24 }]);
  });

  test("continues at its offset: nothing is shown twice, and nothing is reported as missing", async () => {
    const { link, attached, output, shown, sentOf, answerAll, skips } = scene();
    void link.attach();
    attached(0);
    output("one", 3);
    await answerAll();
    void link.attach();
    expect(sentOf("terminal:attach").at(-1)).toEqual({
      type: "terminal:attach",
      terminalId: "t1",
      after: 3,
      output: "binary",
    });
    attached(3);
    output("one", 3);
    output("two", 6);
    expect([...shown, skips()]).toEqual(["one", "two", 0]);
  });

  test("starts anew when the output it lacks is no longer kept, and shows that", async () => {
    const { link, attached, output, shown, answerAll, skips } = scene();
    void link.attach();
    attached(0);
    output("one", 3);
    await answerAll();
    void link.attach();
    attached(9_000, "prelude", 8_997);
    output("late", 9_004);
    expect([shown, skips()]).toEqual([["one", "prelude", "late"], 1]);
  });
});

test("skipped output is reported", () => {
  const { attached, output, skips } = scene();
  attached(0);
  output("abc", 3);
  expect(skips()).toBe(0);
  output("\u001bcdef", 5_000, { skipped: 4_994 });
  expect(skips()).toBe(1);
});

test("acknowledges what the screen has shown, not every chunk", () => {
  const { attached, output, sentOf } = scene();
  attached(0);
  output("x".repeat(1_000), 1_000);
  expect(sentOf("terminal:ack")).toEqual([]);
  output("x".repeat(40_000), 41_000);
  expect(sentOf("terminal:ack")).toEqual([{ type: "terminal:ack", terminalId: "t1", offset: 41_000 }]);
});

describe("[WS-41] the size follows the client that is used", () => {
  test("a client that only looks on sends none, and shows that of the other", () => {
    const { link, attached, sentOf, sizes } = scene();
    attached(0);
    link.placeChanged();
    link.sizeTold({ columns: 120, rows: 40 });
    expect(sentOf("terminal:resize")).toEqual([]);
    expect(sizes.at(-1)).toEqual({ columns: 120, rows: 40 });
  });

  test("typing sends this client's size once, before the input; the next client's takes over", async () => {
    const { link, attached, output, sentOf, sizes, answerAll, placeIs } = scene();
    attached(0);
    link.input("a");
    link.input("b");
    expect(sentOf("terminal:resize")).toEqual([{ type: "terminal:resize", terminalId: "t1", columns: 100, rows: 30 }]);
    link.sizeTold(TERMINAL); // told before ours arrived
    link.sizeTold({ columns: 100, rows: 30 });
    await answerAll();
    expect(sizes.at(-1)).toEqual({ columns: 100, rows: 30 });
    placeIs({ columns: 90, rows: 30 });
    await answerAll();
    link.sizeTold({ columns: 90, rows: 30 });
    expect(sizes.at(-1)).toEqual({ columns: 90, rows: 30 });
    output("x", 1, { size: { columns: 60, rows: 20 } });
    placeIs({ columns: 95, rows: 30 });
    expect([sizes.at(-1), sentOf("terminal:resize").length]).toEqual([{ columns: 60, rows: 20 }, 2]);
    link.use();
    expect(sentOf("terminal:resize").at(-1)).toMatchObject({ columns: 95 });
  });
});

test("[WS-41] while another client types, this one keeps showing that one's size", async () => {
  const { link, attached, sentOf, sizes, answerAll } = scene();
  attached(0);
  link.use();
  await answerAll(); // the server has only remembered it
  expect([sizes, sentOf("terminal:resize").length]).toEqual([[{ columns: 80, rows: 24 }], 1]);
  link.input("a");
  link.sizeTold({ columns: 100, rows: 30 });
  expect(sizes.at(-1)).toEqual({ columns: 100, rows: 30 });
});

test("a long paste is sent in pieces that the server takes", () => {
  const { link, attached, sentOf } = scene();
  attached(0);
  link.input("x".repeat(150_000));
  const pieces = sentOf("terminal:input").map((one) => ("data" in one ? String(one.data).length : 0));
  expect(pieces).toEqual([65_536, 65_536, 18_928]);
});

test("[WS-39] text of a server that is older than binary frames is shown, too", () => {
  const { link, attached, shown, sizes } = scene();
  void link.attach();
  attached(0);
  link.receive({ type: "terminal:output", terminalId: "t1", data: "é\r\n", offset: 4, columns: 60, rows: 20 });
  link.receive({ type: "terminal:output", terminalId: "another", data: "x", offset: 9 });
  expect([shown, sizes.at(-1)]).toEqual([["é\r\n"], { columns: 60, rows: 20 }]);
});
