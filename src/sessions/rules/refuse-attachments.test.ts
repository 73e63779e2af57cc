import { describe, expect, it } from "bun:test";
import { commandId } from "../../../tests/core/names.ts";
import type { Part } from "../../protocol/entry.ts";
import {
  ATTACHMENT_BYTES_MAX,
  MESSAGE_ATTACHMENT_BYTES_MAX,
  QUEUE_ATTACHMENT_BYTES_MAX,
} from "../../protocol/limits.ts";
import { refuseAttachments, refuseQueue } from "./refuse-attachments.ts";

const image = (data = "aGVsbG8h", mimeType = "image/png"): Part => ({ type: "image", mimeType, data });
const ofBytes = (bytes: number): Part => image("A".repeat(Math.ceil((bytes * 4) / 3 / 4) * 4));
const NONE = { image: false, audio: false, embeddedContext: false, steering: false };
const codeOf = (...parts: readonly Part[]) => refuseAttachments(parts, undefined)?.code ?? null;
const whyNot = (part: Part, abilities = NONE) => refuseAttachments([part], abilities)?.details ?? null;

describe("[X-7] attachments before they reach a fact", () => {
  it("accept listed types, whole, and from agents that have not stated what they accept", () => {
    const file: Part = { type: "resource", uri: "attachment:///a.txt", text: "hi" };
    const link: Part = { type: "link", uri: "file:///demo/a.ts", name: "a.ts" };
    const sound: Part = { type: "audio", mimeType: "audio/wav", data: "AAAA" };
    expect(codeOf(image(), sound, file, link, { type: "text", text: "x" })).toBeNull();
  });

  it.each<[string, Part]>([
    ["a script in a picture", image("PHN2Zz4=", "image/svg+xml")],
    ["a page", image("AAAA", "text/html")],
    ["no base64", image("not base64!!")],
    ["base64 that was cut off", image("aGVsbG8")],
    ["nothing at all", image("")],
    ["a link that runs code", { type: "link", uri: "javascript:alert(1)", name: "x" }],
    ["a file without its text", { type: "resource", uri: "file:///a" }],
    ["a diff", { type: "diff", path: "a", oldText: null, newText: "b" }],
    ["a terminal", { type: "terminal", terminalId: "t" }],
    ["something unknown", { type: "unknown", raw: {} }],
  ])("refuse %s", (_what, part) => {
    expect(codeOf(part)).toBe("INVALID_MESSAGE");
  });

  it("are limited in size per attachment, per message and per queue", () => {
    expect(codeOf(ofBytes(ATTACHMENT_BYTES_MAX - 3))).toBeNull();
    expect(codeOf(ofBytes(ATTACHMENT_BYTES_MAX + 3))).toBe("LIMIT_EXCEEDED");
    const half = ofBytes(MESSAGE_ATTACHMENT_BYTES_MAX / 2 + 3);
    expect([codeOf(half), codeOf(half, half)]).toEqual([null, "LIMIT_EXCEEDED"]);
    const items = (count: number) =>
      Array.from({ length: count }, (_, index) => ({
        commandId: commandId(`${index}`),
        content: "",
        attachments: [half],
      }));
    const fits = Math.floor(QUEUE_ATTACHMENT_BYTES_MAX / (MESSAGE_ATTACHMENT_BYTES_MAX / 2 + 6));
    expect([refuseQueue(items(fits)), refuseQueue(items(fits + 1))?.code]).toEqual([null, "LIMIT_EXCEEDED"]);
  });

  it("are refused by the agent's stated abilities", () => {
    expect(whyNot(image())).toContain("does not accept images");
    expect(whyNot({ type: "audio", mimeType: "audio/wav", data: "AAAA" })).toContain("does not accept audio");
    expect(whyNot({ type: "resource", uri: "x", text: "y" })).toContain("only as links");
    expect(whyNot({ type: "link", uri: "file:///a", name: "a" })).toBeNull();
  });
});
