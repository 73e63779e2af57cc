import { expect, test } from "bun:test";
import { mediaSource, plainOutput } from "./entry-words.ts";

test("a line keeps the last written text, and no control character", () => {
  expect(plainOutput("10%\r20%\r30%\nnext\r\nend\r")).toBe("30%\nnext\nend");
  expect(plainOutput("ab\r\r\n\rc\u001b[31m\u0007d")).toBe("ab\ncd");
});

test("an endless line is read once, and not from each of its characters", () => {
  const long = "a".repeat(3_000_000);
  expect(plainOutput(long) === long).toBe(true);
  expect(plainOutput(`${long}\rb`)).toBe("b");
});

test("an image of blanks only is ignored, however many", () => {
  expect(mediaSource("image", "image/png", `${" ".repeat(1_000_000)}!`)).toBeNull();
  expect(mediaSource("image", "image/png", "A A=\n=")).toBe("data:image/png;base64,AA==");
});
