import { describe, expect, it, test } from "bun:test";
import { Part } from "../../../protocol/entry.ts";
import { promptBlock, readAbilities, steeringOutcome, translateContent } from "./translate-content.ts";

describe("translateContent", () => {
  it.each([
    [
      { type: "text", text: "" },
      { type: "text", text: "" },
    ],
    [
      { type: "image", data: "A", mimeType: "image/gif", uri: "file:///a" },
      { type: "image", data: "A", mimeType: "image/gif", uri: "file:///a" },
    ],
    [
      { type: "image", data: "A" },
      { type: "image", data: "A", mimeType: "image/png" },
    ],
    [
      { type: "audio", data: "A" },
      { type: "audio", data: "A", mimeType: "audio/wav" },
    ],
    [
      { type: "resource_link", uri: "file:///a", name: "a", title: "A", mimeType: "text/plain", size: 3 },
      { type: "link", uri: "file:///a", name: "a", title: "A", mimeType: "text/plain", size: 3 },
    ],
    [
      { type: "resource_link", uri: "file:///a" },
      { type: "link", uri: "file:///a", name: "file:///a" },
    ],
    [
      { type: "resource", resource: { uri: "file:///a", text: "inside", mimeType: "text/plain" } },
      { type: "resource", uri: "file:///a", text: "inside", mimeType: "text/plain" },
    ],
    [
      { type: "resource", resource: { uri: "file:///a", blob: "AAAA" } },
      { type: "resource", uri: "file:///a", blob: "AAAA" },
    ],
  ])("%j", (block, part) => {
    expect(translateContent({ ...block, annotations: { priority: 1 }, _meta: {} })).toEqual(Part.parse(part));
  });

  it.each([
    { type: "hologram", data: "…" },
    { type: "text" },
    { type: "image", mimeType: "image/png" },
    { type: "audio" },
    { type: "resource_link", name: "a" },
    { type: "resource" },
    { type: "resource", resource: { text: "nowhere" } },
    {},
  ])("an incomplete block is kept unchanged: %j", (raw) => {
    expect(translateContent(raw)).toEqual({ type: "unknown", raw });
  });

  it("a value that is not an object is not a block", () => {
    for (const value of [undefined, null, "words", 7, [{ type: "text", text: "x" }]])
      expect(translateContent(value)).toBeNull();
  });
});

describe("promptBlock", () => {
  it("text, images, audio, links and resources can be sent to an agent, and are read back unchanged", () => {
    const parts: Part[] = [
      { type: "text", text: "hi" },
      { type: "image", data: "A", mimeType: "image/png" },
      { type: "audio", data: "A", mimeType: "audio/wav" },
      { type: "link", uri: "file:///a", name: "a", title: "A", mimeType: "text/plain", description: "d", size: 3 },
      { type: "resource", uri: "file:///a", text: "inside", mimeType: "text/plain" },
      { type: "resource", uri: "file:///a", blob: "AAAA", mimeType: "image/png" },
    ];
    for (const part of parts) expect(translateContent(JSON.parse(JSON.stringify(promptBlock(part))))).toEqual(part);
  });

  it("parts that only agents send are omitted", () => {
    for (const part of [
      { type: "diff", path: "a", oldText: null, newText: "" },
      { type: "terminal", terminalId: "t" },
      { type: "unknown", raw: {} },
    ] as const)
      expect(promptBlock(part)).toBeNull();
  });
});

test("X-7 a capability that an agent does not state is not offered", () => {
  const none = { image: false, audio: false, embeddedContext: false, steering: false };
  expect(readAbilities({})).toEqual(none);
  expect(
    readAbilities({ agentCapabilities: { promptCapabilities: { image: "yes" } }, _meta: { steering: {} } }),
  ).toEqual(none);
  expect(
    readAbilities({
      agentCapabilities: { promptCapabilities: { image: true, audio: true, embeddedContext: true } },
      _meta: { steering: { supported: true } },
    }),
  ).toEqual({ image: true, audio: true, embeddedContext: true, steering: true });
});

test("X-6 only an explicit confirmation means that a message joined the turn", () => {
  expect(steeringOutcome({ outcome: "injected" })).toBe("joined");
  expect(steeringOutcome({ outcome: "startedNewTurn" })).toBe("elsewhere");
  for (const answer of [null, {}, { outcome: "promptRequired" }, { outcome: "failed" }, { outcome: 1 }])
    expect(steeringOutcome(answer)).toBe("not-taken");
});
