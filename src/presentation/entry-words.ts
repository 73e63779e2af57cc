import type { ToolCallEntry } from "../protocol/entry.ts";
import type { Json } from "../protocol/json.ts";

export const TOOL_STATUS_WORDS: Readonly<Record<ToolCallEntry["status"], string>> = {
  running: "still running",
  complete: "done",
  error: "failed",
  cancelled: "cancelled",
};

/** The input of a tool; a single command is shown as such. */
export function inputText(input: Json): string {
  if (typeof input === "string") return input;
  return JSON.stringify(input, null, 2);
}

/** 2026-03-01T12:00:00.000Z reads as 2026-03-01 12:00 UTC. */
export function timeText(time: string): string {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return time;
  return `${date.toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

/** Types that are only images or audio: an SVG is an active document. */
const SHOWN: Readonly<Record<"image" | "audio", ReadonlySet<string>>> = {
  image: new Set(["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif", "image/bmp"]),
  audio: new Set(["audio/wav", "audio/x-wav", "audio/mpeg", "audio/mp4", "audio/ogg", "audio/webm", "audio/flac"]),
};

/** A safe `data:` address; null for anything but a plain image or audio. */
export function mediaSource(kind: "image" | "audio", mimeType: string, data: string): string | null {
  const type = mimeType.toLowerCase();
  const bare = data.replace(/\s+/g, "");
  return SHOWN[kind].has(type) && /^[A-Za-z0-9+/]+={0,2}$/.test(bare) ? `data:${type};base64,${bare}` : null;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const ANSI = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-Z\\-_])/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g;

/** Terminal output as text: no colours, no cursor moves, no bells; a line keeps its last written text. */
export function plainOutput(text: string): string {
  return text.replace(ANSI, "").split("\n").map(lastWritten).join("\n").replace(CONTROLS, "");
}

/** A carriage return restarts the line, unless it is at its end. By hand: a pattern would try from every character. */
function lastWritten(line: string): string {
  let end = line.length;
  while (line.charAt(end - 1) === "\r") end -= 1;
  return line.slice(end === 0 ? 0 : line.lastIndexOf("\r", end - 1) + 1, end);
}
