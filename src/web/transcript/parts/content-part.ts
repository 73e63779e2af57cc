import type { Part } from "../../../protocol/entry.ts";
import { createIcon } from "../../icons/create-icon.ts";
import { isInlineImage, resolveLinkTarget } from "../../markdown/link-target.ts";
import { createElement } from "../create-element.ts";
import { createBlock, markScrollable } from "./block.ts";
import { createDiffBlock } from "./diff-block.ts";

const AUDIO_TYPE = /^audio\/[a-z0-9.+-]+$/i;
const BASE64 = /^[a-z0-9+/=\s]*$/i;

/** Structured content of an agent or a user; what we do not know is shown as it came, never dropped. */
export function createContentPart(part: Part): HTMLElement {
  switch (part.type) {
    case "text":
      return createElement("p", "part-text", part.text);
    case "diff":
      return createDiffBlock(part);
    case "terminal":
      return createElement("p", "part-text muted", "Terminal output");
    case "image":
      return createImage(part.mimeType, part.data, part.uri);
    case "audio":
      return createAudio(part.mimeType, part.data);
    case "link":
      return createLink(part.uri, part.title ?? part.name);
    case "resource":
      return part.text === undefined ? createLink(part.uri, part.uri) : createSource(part.uri, part.text);
    case "unknown":
      return createSource("Content of a kind this version does not know", JSON.stringify(part.raw, null, 2));
    default:
      return part satisfies never;
  }
}

function createImage(mimeType: string, data: string, uri: string | undefined): HTMLElement {
  const source = `data:${mimeType};base64,${data.replaceAll(/\s/g, "")}`;
  if (!isInlineImage(source)) return createLink(uri ?? "", uri ?? `Image (${mimeType})`);
  const image = createElement("img", "part-image");
  image.src = source;
  image.alt = uri ?? "Image";
  image.decoding = "async";
  return image;
}

function createAudio(mimeType: string, data: string): HTMLElement {
  if (!AUDIO_TYPE.test(mimeType) || !BASE64.test(data)) return createElement("p", "part-text", `Audio (${mimeType})`);
  const audio = createElement("audio", "part-audio");
  audio.controls = true;
  audio.src = `data:${mimeType};base64,${data}`;
  return audio;
}

/** Only addresses that can do no harm become links; the rest is shown as what it says. */
function createLink(uri: string, name: string): HTMLElement {
  const target = resolveLinkTarget(uri);
  const words = name === "" ? uri : name;
  if (target.kind !== "url") {
    const chip = createElement("span", "part-link", createIcon("file", "icon-sm"), words);
    chip.title = uri;
    return chip;
  }
  const link = createElement("a", "part-link", createIcon("open", "icon-sm"), words);
  link.href = target.href;
  link.target = "_blank";
  link.rel = "noopener noreferrer";
  link.title = uri;
  return link;
}

function createSource(title: string, text: string): HTMLElement {
  const body = markScrollable(createElement("pre", "code", text), title);
  return createBlock([createElement("span", "path", title)], body);
}
