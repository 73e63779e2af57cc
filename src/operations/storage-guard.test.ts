import { expect, it } from "bun:test";
import { SessionId } from "../protocol/ids.ts";
import { warnOfShortLogs } from "./storage-guard.ts";

const ignored = () => undefined;

it("X-2 a log that ends before what a page has shown is reported once per session, with a limit", () => {
  const said: string[] = [];
  const warn = warnOfShortLogs({ info: ignored, warn: (text) => said.push(text), error: ignored });
  const sessionId = SessionId.parse("builtin:one");
  warn(sessionId, 15, 9);
  warn(sessionId, 16, 9);
  expect(said).toEqual([expect.stringContaining("(15 facts shown, 9 stored)")]);
  for (let index = 0; index < 1_000; index++) warn(SessionId.parse(`builtin:${index}`), 2, 1);
  expect(said).toHaveLength(100);
});
