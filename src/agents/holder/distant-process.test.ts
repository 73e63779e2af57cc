import { describe, expect, it } from "bun:test";
import { DistantProcess } from "./distant-process.ts";
import { HOLDER_VERSION } from "./holder-orders.ts";
import { encodeRecord, KIND, type RecordKind, readRecords } from "./journal-record.ts";

/** A process whose holder is played record by record. */
function scene() {
  const lines: string[] = [];
  let sent: Uint8Array[] = [];
  const distant = new DistantProcess({
    checkpointBytes: 1_000,
    kill: () => false,
    removeFiles: () => undefined,
    leave: () => undefined,
  });
  distant.process.listen({ onLine: (line) => lines.push(line), onStderr: () => undefined, onTooLong: () => undefined });
  distant.process.takePast();
  const holder = (kind: RecordKind, offset: number, text = "") => distant.receive(encodeRecord({ kind, offset, text }));
  return {
    distant,
    lines,
    holder,
    connect(takenCount: number) {
      sent = [];
      distant.opened((bytes) => sent.push(bytes));
      const hello = { version: HOLDER_VERSION, pid: 1, agentPid: 2, isStopping: false, stderrTail: "", takenCount };
      holder(KIND.hello, 0, JSON.stringify(hello));
    },
    /** What was sent to the holder over the newest channel. */
    sent: () =>
      sent.flatMap((bytes) => readRecords(bytes).records).map(({ kind, offset, text }) => [kind, offset, text]),
  };
}

describe("[SC-27] a process behind a connection that is cut", () => {
  it("gets exactly the lines that its holder has not taken, also when the confirmation was lost", () => {
    const { distant, connect, holder, sent } = scene();
    distant.process.write("before the first hello");
    connect(0);
    for (const line of ["two", "three", "four"]) distant.process.write(line);
    holder(KIND.taken, 1);
    distant.cut();
    distant.process.write("while it is cut");
    connect(3);
    expect(sent()).toEqual([
      [KIND.out, 4, "four"],
      [KIND.out, 5, "while it is cut"],
    ]);
  });

  it("passes each line of the journal on once, wherever it was cut", () => {
    const { distant, connect, holder, lines } = scene();
    connect(0);
    holder(KIND.in, 1, "one");
    holder(KIND.in, 2, "two");
    const third = encodeRecord({ kind: KIND.in, offset: 3, text: "three" });
    distant.receive(third.subarray(0, 10));
    distant.cut();
    connect(0);
    for (const [index, text] of ["one", "two", "three", "four"].entries()) holder(KIND.in, index + 1, text);
    expect(lines).toEqual(["one", "two", "three", "four"]);
  });

  it("repeats a note only where it cannot cover a line that was sent after it", () => {
    const { distant, connect, sent } = scene();
    connect(0);
    distant.process.write("one");
    distant.process.checkpoint(7, "covers one", 0);
    distant.process.write("two");
    distant.process.checkpoint(9, "covers two", 0);
    distant.cut();
    connect(2);
    expect(sent()).toEqual([[KIND.note, 9, "covers two"]]);
  });

  it("is stopped and released over the next connection", () => {
    const { distant, connect, sent } = scene();
    connect(0);
    distant.cut();
    void distant.process.stop("now");
    void distant.process.release();
    connect(0);
    expect(sent()).toEqual([
      [KIND.stop, 0, "now"],
      [KIND.release, 0, ""],
    ]);
    distant.gone("over");
  });

  it.each([
    ["a hello that is no JSON", KIND.hello, "{"],
    ["a hello of another form", KIND.hello, "{}"],
    ["an end that is no JSON", KIND.exit, "ended"],
    ["an end of another form", KIND.exit, "{}"],
  ] as const)("is read no further after %s", (_, kind, text) => {
    const { distant, connect, holder, lines } = scene();
    connect(0);
    expect(holder(kind, 1, text)).toBe(false);
    holder(KIND.in, 2, "more");
    expect(lines).toEqual([]);
    distant.gone("over");
  });
});
