import { describe, expect, it } from "bun:test";
import { parseCommandLine } from "./command-line.ts";
import { COMMANDS } from "./command-table.ts";
import { helpOf, overview } from "./help.ts";
import { type Column, CUT, oneLine, paint, type Screen, screenOf, styled, table, wrap } from "./terminal.ts";

const TERMINAL = { isTTY: true, columns: 80 };
const plainScreen = (columns: number | null): Screen => ({ columns, hasColour: false });
const COLUMNS: readonly Column[] = [
  { title: "ID", style: "cyan" },
  { title: "PROJECT", ...CUT },
  { title: "TITLE", ...CUT },
];
const ROWS = [
  ["3f2a9c01", "a-project-with-a-long-name", "日本語のとても長いタイトルがここにあります"],
  ["77aa", "shop", "👩‍👩‍👧‍👦 e\u0301tude of a family that is rather long"],
];

describe("X-14 the terminal (E4)", () => {
  it.each([
    ["a terminal", TERMINAL, {}, true],
    ["a pipe", {}, {}, false],
    ["NO_COLOR", TERMINAL, { NO_COLOR: "1" }, false],
    ["an empty NO_COLOR", TERMINAL, { NO_COLOR: "" }, true],
    ["TERM=dumb", TERMINAL, { TERM: "dumb" }, false],
    ["FORCE_COLOR in a pipe", {}, { FORCE_COLOR: "1" }, true],
    ["FORCE_COLOR=0", TERMINAL, { FORCE_COLOR: "0" }, false],
    ["FORCE_COLOR against NO_COLOR", TERMINAL, { FORCE_COLOR: "1", NO_COLOR: "1" }, true],
  ])("%s decides on colour", (_, stream, env, hasColour) => {
    expect(screenOf(stream, env).hasColour).toBe(hasColour);
  });

  it("a terminal has columns, a pipe and a terminal of unknown size have none", () => {
    expect(screenOf(TERMINAL, {}).columns).toBe(80);
    expect(screenOf({ columns: 80 }, {}).columns).toBeNull();
    expect(screenOf({ isTTY: true, columns: 0 }, {}).columns).toBeNull();
  });

  it("colours are ours alone: inserted text has no control sequences", () => {
    const text = styled`${paint("red", "\u001b[32mowned\u0007")} and \u009b2J`;
    expect(text.render({ hasColour: true })).toBe("\u001b[31m[32mowned\u001b[0m and 2J");
    expect(text.render({ hasColour: false })).toBe("[32mowned and 2J");
  });

  it("in a pipe a table has its full width", () => {
    expect(table(COLUMNS, ROWS, plainScreen(null)).render({ hasColour: false }).split("\n")).toEqual([
      "ID        PROJECT                     TITLE",
      `3f2a9c01  a-project-with-a-long-name  ${ROWS[0]?.[2]}`,
      `77aa      shop                        ${ROWS[1]?.[2]}`,
      "",
    ]);
  });

  it("on a terminal titles are cut with an ellipsis, by columns and not by characters", () => {
    expect(table(COLUMNS, ROWS, plainScreen(50)).render({ hasColour: false }).split("\n")).toEqual([
      "ID        PROJECT       TITLE",
      "3f2a9c01  a-project-w…  日本語のとても長いタイト…",
      "77aa      shop          👩‍👩‍👧‍👦 e\u0301tude of a family that…",
      "",
    ]);
  });

  it.each([20, 30, 40, 60, 120])("no line is wider than %d columns, and ids are complete", (columns) => {
    const shown = table(COLUMNS, ROWS, plainScreen(columns)).render({ hasColour: false });
    expect(shown.split("\n").filter((line) => Bun.stringWidth(line) > columns)).toEqual([]);
    for (const [id] of ROWS) expect(shown).toContain(String(id));
  });

  it("columns that do not fit move to the next line, complete if they may not be cut", () => {
    const path = "/home/ada/projects/a/rather/long/path";
    const columns: readonly Column[] = [{ title: "NAME" }, { title: "DIRECTORY" }];
    expect(table(columns, [["shop", path]], plainScreen(30)).render({ hasColour: false })).toBe(
      `NAME\n  DIRECTORY\nshop\n  ${path}\n`,
    );
  });

  it("lines are wrapped between words, and only if there is a width", () => {
    expect(wrap("one two three", 9, "  ")).toBe("one two\n  three");
    expect(wrap("one two three", null, "  ")).toBe("one two three");
    expect(oneLine("two\nlines")).toBe("two ⏎ lines");
  });

  it.each([40, 60, 100])("help fits %d columns, apart from examples to be copied", (columns) => {
    for (const text of [
      overview(COMMANDS, plainScreen(columns)),
      ...COMMANDS.map((one) => helpOf(one, plainScreen(columns))),
    ]) {
      const [body = ""] = text.render({ hasColour: false }).split("Examples:");
      expect(body.split("\n").filter((line) => Bun.stringWidth(line) > columns && line.trim().includes(" "))).toEqual(
        [],
      );
    }
  });

  it("help names the allowed values of every option that has a list of them, and no other value is accepted", () => {
    const known = COMMANDS.flatMap((command) => command.options.map((option) => ({ command, option })));
    const listed = known.flatMap(({ command, option }) =>
      option.choices ? [{ command, option, choices: option.choices }] : [],
    );
    expect(listed.length).toBeGreaterThan(0);
    for (const { command, option, choices } of listed) {
      const help = helpOf(command, plainScreen(null)).render({ hasColour: false });
      const isListed = help.includes(`--${option.name} <${choices.join("|")}>`);
      expect(isListed || help.replace(/\s+/g, " ").includes(`${option.help}: ${choices.join(", ")}`)).toBe(true);
      const words = Array.from({ length: command.argsMin }, () => "x");
      const parse = (value: string) => parseCommandLine(command, [...words, `--${option.name}`, value], {});
      for (const value of choices) expect(parse(value).text(option.name)).toBe(value);
      expect(() => parse(`${choices[0]}x`)).toThrow(`Did you mean ${choices[0]}?`);
    }
  });
});
