import { expect, test } from "bun:test";
import { parseServerMessage } from "./connection.ts";

test("W-9 a message nested deeper than can be read is invalid, and no error", () => {
  const deep = "[".repeat(200_000) + "]".repeat(200_000);
  const frame = `{"type":"session:raw","sessionId":"builtin:one","seq":1,"update":${deep}}`;
  expect(parseServerMessage(frame)).toEqual({ kind: "invalid" });
  expect(parseServerMessage(frame.replace(deep, "[[1]]")).kind).toBe("message");
});
