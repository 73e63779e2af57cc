import { expect, test } from "bun:test";
import { ansiSpans } from "./ansi-spans.ts";

const ESC = "\u001b";
const show = (text: string) => ansiSpans(text).map(({ text, className }) => [text, className]);

test("colours, bold and dim become classes, and end where the terminal ends them", () => {
  expect(show(`a ${ESC}[31mred ${ESC}[1mbold${ESC}[0m plain ${ESC}[2;92mdim${ESC}[22m green${ESC}[39m.`)).toEqual([
    ["a ", ""],
    ["red ", "a-red"],
    ["bold", "a-red a-bold"],
    [" plain ", ""],
    ["dim", "a-green a-dim"],
    [" green", "a-green"],
    [".", ""],
  ]);
});

test("other control sequences are dropped, and their text kept", () => {
  expect(
    show(`${ESC}[2K${ESC}[1Gdone ${ESC}]8;;https://example.com${ESC}\\link${ESC}]8;;\u0007 ${ESC}[38;5;208mx`),
  ).toEqual([
    ["done ", ""],
    ["link", ""],
    [" ", ""],
    ["x", ""],
  ]);
});

test("text overwritten by a progress bar is dropped", () => {
  expect(show("10%\r50%\r100%\ndone\r\n")).toEqual([["100%\ndone\n", ""]]);
});
