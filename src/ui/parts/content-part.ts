import type { Part } from "../../protocol/entry.ts";
import type { SessionId } from "../../protocol/ids.ts";
import { mentionedSession } from "../../protocol/session-mention.ts";
import { createElement } from "../create-element.ts";
import { createIcon } from "../icons/create-icon.ts";
import { isInlineImage, resolveLinkTarget } from "../markdown/link-target.ts";
import { markZoomable } from "../markdown/zoomable-image.ts";
import { attachmentName } from "../words/attachment-name.ts";
import { createBlock, markScrollable } from "./block.ts";
import { createDiffBlock, type DiffLook } from "./diff-block.ts";

const AUDIO_TYPE = /^audio\/[a-z0-9.+-]+$/i;
const BASE64 = /^[a-z0-9+/=\s]*$/i;

/** Structured content of an agent or a user; unknown kinds are shown as JSON, never dropped. */
export function createContentPart(part: Part, look: DiffLook = {}): HTMLElement {
  switch (part.type) {
    case "text":
      return createElement("p", "part-text", part.text);
    case "diff":
      return createDiffBlock(part, look);
    case "terminal":
      return createElement("p", "part-text muted", "Terminal output");
    case "image":
      return createImage(part.mimeType, part.data, part.uri, attachmentName(part));
    case "audio":
      return createAudio(part.mimeType, part.data);
    case "link":
      return createLink(part.uri, part.title ?? part.name, part.description);
    case "resource":
      return createResource(part);
    case "unknown":
      return createSource("Unsupported content type", JSON.stringify(part.raw, null, 2));
    default:
      return part satisfies never;
  }
}

/** A resource from the agent: text as text, images and audio as such, anything else as a download. */
function createResource(part: Extract<Part, { type: "resource" }>): HTMLElement {
  const { uri, mimeType = "", text, blob } = part;
  if (text !== undefined) return createSource(attachmentName(part), text);
  if (blob === undefined) return createLink(uri, uri);
  if (mimeType.startsWith("image/")) return createImage(mimeType, blob, uri, attachmentName(part));
  if (mimeType.startsWith("audio/")) return createAudio(mimeType, blob);
  const name = decodedName(uri);
  const size = Math.round((blob.length * 3) / 4).toLocaleString("en");
  if (!BASE64.test(blob)) return createLink(uri, name);
  const link = createElement("a", "part-link", createIcon("file", "icon-sm"), `Save ${name} (${size} bytes)`);
  // The type is ours: the browser must never show or run it, only save it.
  link.href = `data:application/octet-stream;base64,${blob.replaceAll(/\s/g, "")}`;
  link.download = name;
  link.title = uri;
  return link;
}

function decodedName(uri: string): string {
  return uri.split(/[/\\]/).at(-1) || "file";
}

function createImage(mimeType: string, data: string, uri: string | undefined, name: string): HTMLElement {
  const source = `data:${mimeType};base64,${data.replaceAll(/\s/g, "")}`;
  if (!isInlineImage(source)) return createLink(uri ?? "", uri ?? `Image (${mimeType})`);
  const image = createElement("img", "part-image");
  image.src = source;
  image.alt = name;
  image.decoding = "async";
  markZoomable(image);
  return image;
}

function createAudio(mimeType: string, data: string): HTMLElement {
  if (!AUDIO_TYPE.test(mimeType) || !BASE64.test(data)) return createElement("p", "part-text", `Audio (${mimeType})`);
  const audio = createElement("audio", "part-audio");
  audio.controls = true;
  audio.src = `data:${mimeType};base64,${data}`;
  return audio;
}

/** The frame handles the click by the button's data attribute. */
function createMention(sessionId: SessionId, title: string): HTMLElement {
  const button = createElement("button", "part-link", createIcon("message", "icon-sm"), title);
  button.type = "button";
  button.title = `Open the session "${title}"`;
  button.dataset["session"] = sessionId;
  return button;
}

/** Only safe addresses become links; others are shown as text. */
function createLink(uri: string, name: string, description = ""): HTMLElement {
  const sessionId = mentionedSession(uri);
  if (sessionId !== null) return createMention(sessionId, name);
  const target = resolveLinkTarget(uri);
  const words = name === "" ? uri : name;
  const title = description === "" ? uri : `${description}\n${uri}`;
  if (target.kind === "path") {
    const button = createElement("button", "part-link", createIcon("file", "icon-sm"), words);
    button.type = "button";
    button.title = title;
    button.dataset["file"] = target.path;
    button.setAttribute("aria-haspopup", "menu");
    return button;
  }
  if (target.kind !== "url") {
    const chip = createElement("span", "part-link", createIcon("file", "icon-sm"), words);
    chip.title = title;
    return chip;
  }
  const link = createElement("a", "part-link", createIcon("open", "icon-sm"), words);
  link.href = target.href;
  link.target = "_blank";
  link.rel = "noopener noreferrer";
  link.title = title;
  return link;
}

function createSource(title: string, text: string): HTMLElement {
  const body = markScrollable(createElement("pre", "code", text), title);
  return createBlock([createElement("span", "path", title)], body);
}
