import { describe, expect, test } from "bun:test";
import { roundsOf, type SeededRandom, seededRandom } from "../../../tests/support/seeded-random.ts";
import { Screen } from "../../../tests/terminals/screen.ts";
import { OutputRing } from "./output-ring.ts";

const KEPT_BYTES = 8 * 1024;
const COLUMNS = 60;
const ROWS = 12;
const LETTERS = ["a", "B", "7", " ", "é", "漢", "🙂", "e\u0301", "─", "\t"];

/**
 * What programs write, as pieces that must not be cut. Underlines and links are tested apart: with a restored cursor,
 * xterm shows them by rules of its own.
 */
function randomPiece(random: SeededRandom): string {
  const number = (most: number) => random.between(1, most);
  const colour = () =>
    random.pick([`3${random.between(0, 7)}`, `38;5;${number(255)}`, `48;2;${number(255)};0;9`, "39"]);
  return random.pick([
    () => random.pick(LETTERS),
    () => random.pick(LETTERS),
    () => random.pick(LETTERS),
    () => "\r\n",
    () => "\r",
    () => `\x1b[${random.pick(["0", "", "1", "2", "3", "7", "9", "22", "27", "53"])}m`,
    () => `\x1b[${colour()}m`,
    () => `\x1b[${number(5)}${random.pick([..."ABCD"])}`,
    () => `\x1b[${number(ROWS)};${number(COLUMNS)}H`,
    () => `\x1b[${random.pick(["", "1"])}${random.pick(["K", "J"])}`,
    () =>
      `\x1b[?${random.pick(["1", "7", "25", "66", "1000", "1002", "1006", "2004", "1004"])}${random.pick(["h", "l"])}`,
    () => random.pick(["\x1b(0", "\x1b(B", "\x1b)0", "\x0e", "\x0f", "\x1b=", "\x1b>", "\x1b7", "\x1b[4h", "\x1b[4l"]),
    () => `\x1b[${number(4)};${ROWS - number(4)}r`,
    () => "\x1b[r",
    () => random.pick(["\x1b]0;title é\x07", "\x1b]8;;\x1b\\", "\x1b]52;c;aGk=\x07", "\x1bPq#0;2\x1b\\", "\x1b[ q"]),
    () => random.pick(["\x1b[?1049h", "\x1b[?1049l", "\x1b[?2026h\x1b[?2026l", "\x1b[!p"]),
  ])();
}

/** As a program does that draws the whole screen; it relies on every mode and attribute set before. */
function repaint(random: SeededRandom): string[] {
  return Array.from({ length: ROWS }, (_, row) => [
    `\x1b[${row + 1};1H`,
    "\x1b[2K",
    ...Array.from({ length: 8 }, () => random.pick(LETTERS.slice(0, 5))),
  ]).flat();
}

async function shownBy(feed: (screen: Screen) => void): Promise<string> {
  using screen = new Screen(COLUMNS, ROWS);
  feed(screen);
  return await screen.state();
}

function replay(ring: OutputRing, screen: Screen): void {
  const { columns, rows } = ring.sizeAt(ring.start);
  screen.resize(columns, rows);
  screen.write(ring.prelude());
  for (let at = ring.start; at < ring.end; ) {
    const bytes = ring.read(at, 1_000);
    const size = ring.sizeAt(at);
    screen.resize(size.columns, size.rows);
    screen.write(bytes.slice());
    at += bytes.byteLength;
  }
}

describe("the kept output of a terminal", () => {
  test("[WS-39] replayed, it gives the same screen, attributes and modes as all of the output", async () => {
    const random = seededRandom("terminal replay");
    for (let round = 0; round < roundsOf(200); round++) {
      const ring = new OutputRing(KEPT_BYTES, { columns: COLUMNS, rows: ROWS });
      const pieces = Array.from({ length: random.between(100, 5_000) }, () => randomPiece(random));
      // What was set stays set, long after the sequence that set it is gone.
      if (random.fraction() < 0.7) for (let line = 0; line < 400; line++) pieces.push("quiet output, one line\r\n");
      pieces.push(...repaint(random));
      const output = Buffer.from(pieces.join(""));
      for (let at = 0; at < output.byteLength; ) {
        const length = random.between(1, 3_000);
        ring.append(output.subarray(at, at + length));
        at += length;
      }
      const all = await shownBy((screen) => screen.write(output));
      expect(await shownBy((screen) => replay(ring, screen))).toBe(all);
    }
  });

  test("[WS-39] no character and no escape sequence is cut at its start, however it arrived", () => {
    const random = seededRandom("terminal cuts");
    for (let round = 0; round < roundsOf(200); round++) {
      const ring = new OutputRing(1024, { columns: COLUMNS, rows: ROWS });
      const boundaries = new Set([0]);
      let end = 0;
      for (let count = 0; count < 600; count++) {
        // Two sequences, or two characters, may be parted.
        const piece = randomPiece(random).replace("\x1b[?2026h", "").replace("\r", "").normalize("NFC");
        const bytes = Buffer.from(piece);
        for (let at = 0; at < bytes.byteLength; ) {
          const length = random.between(1, 5);
          ring.append(bytes.subarray(at, at + length));
          at += length;
        }
        end += bytes.byteLength;
        boundaries.add(end);
        expect(boundaries.has(ring.start)).toBe(true);
      }
    }
  });

  test("[WS-39] a size is replayed where it changed", async () => {
    const ring = new OutputRing(KEPT_BYTES, { columns: 20, rows: 6 });
    const line = Buffer.from(`${"x".repeat(30)}\r\n`);
    ring.append(line);
    ring.resized({ columns: COLUMNS, rows: ROWS });
    ring.append(line);
    const stayed = await shownBy((screen) => {
      screen.resize(20, 6);
      screen.write(line);
      screen.write("");
      screen.resize(COLUMNS, ROWS);
      screen.write(line);
    });
    expect(await shownBy((screen) => replay(ring, screen))).toBe(stayed);
  });

  test("[WS-39] an underlined link that began before the kept output continues", async () => {
    const ring = new OutputRing(KEPT_BYTES, { columns: COLUMNS, rows: ROWS });
    const output = Buffer.from(`\x1b[1;4:3;58;5;9m\x1b]8;;http://127.0.0.1/\x1b\\${"linked text\r\n".repeat(2_000)}`);
    ring.append(output);
    const all = await shownBy((screen) => screen.write(output));
    expect(all).toContain(";4");
    expect(await shownBy((screen) => replay(ring, screen))).toBe(all);
  });

  test("an endless picture or title is passed over, not printed", async () => {
    const ring = new OutputRing(1024, { columns: COLUMNS, rows: ROWS });
    ring.append(Buffer.from(`\x1bPq${"~".repeat(5_000)}`));
    ring.append(Buffer.from("\x1b\\after"));
    using screen = new Screen(COLUMNS, ROWS);
    replay(ring, screen);
    expect((await screen.text()).trim()).toBe("after");
  });
});
