import type { Part } from "../../../protocol/entry.ts";
import type { Json } from "../../../protocol/json.ts";
import type { PromptAbilities } from "../../../protocol/session-parts.ts";
import { asNumber, asObject, asString, type JsonObject } from "../read-json.ts";

/** Converts one ACP content block to a part; unknown kinds are kept unchanged. */
export function translateContent(block: Json | undefined): Part | null {
  const content = asObject(block);
  if (!content || block === undefined) return null;
  const text = asString(content["text"]);
  const data = asString(content["data"]);
  const mimeType = asString(content["mimeType"]);
  const uri = asString(content["uri"]);
  switch (content["type"]) {
    case "text":
      return text === undefined ? { type: "unknown", raw: block } : { type: "text", text };
    case "image":
      if (data === undefined) break;
      return { type: "image", data, mimeType: mimeType ?? "image/png", ...(uri !== undefined && { uri }) };
    case "audio":
      if (data === undefined) break;
      return { type: "audio", data, mimeType: mimeType ?? "audio/wav" };
    case "resource_link":
      if (uri === undefined) break;
      return translateLink(content, uri);
    case "resource": {
      const resource = asObject(content["resource"]);
      const resourceUri = asString(resource?.["uri"]);
      if (resourceUri === undefined) break;
      const resourceText = asString(resource?.["text"]);
      const blob = asString(resource?.["blob"]);
      const resourceType = asString(resource?.["mimeType"]);
      return {
        type: "resource",
        uri: resourceUri,
        ...(resourceType !== undefined && { mimeType: resourceType }),
        ...(resourceText !== undefined && { text: resourceText }),
        ...(blob !== undefined && { blob }),
      };
    }
  }
  return { type: "unknown", raw: block };
}

function translateLink(content: { readonly [key: string]: Json | undefined }, uri: string): Part {
  const title = asString(content["title"]);
  const mimeType = asString(content["mimeType"]);
  const description = asString(content["description"]);
  const size = asNumber(content["size"]);
  return {
    type: "link",
    uri,
    name: asString(content["name"]) ?? uri,
    ...(title !== undefined && { title }),
    ...(mimeType !== undefined && { mimeType }),
    ...(description !== undefined && { description }),
    ...(size !== undefined && { size }),
  };
}

/** Converts a message to prompt blocks: text first, then attachments. */
export function promptBlocks(content: string, attachments: readonly Part[]): readonly object[] {
  const parts: readonly Part[] = content === "" ? attachments : [{ type: "text", text: content }, ...attachments];
  return parts.map(promptBlock).filter((block) => block !== null);
}

/** Converts a part to the equivalent ACP block; null if a prompt cannot carry it. */
export function promptBlock(part: Part): { readonly [key: string]: unknown } | null {
  switch (part.type) {
    case "text":
      return { type: "text", text: part.text };
    case "image":
      return { type: "image", data: part.data, mimeType: part.mimeType };
    case "audio":
      return { type: "audio", data: part.data, mimeType: part.mimeType };
    case "link": {
      const { type: _, ...link } = part;
      return { type: "resource_link", ...link };
    }
    case "resource": {
      const { uri, mimeType, text, blob } = part;
      const content = blob === undefined ? { text: text ?? "" } : { blob };
      return { type: "resource", resource: { uri, ...(mimeType !== undefined && { mimeType }), ...content } };
    }
    case "diff":
    case "terminal":
    case "unknown":
      return null;
    default:
      return part satisfies never;
  }
}

/** Which blocks a prompt may contain, from `initialize`. Capabilities that are not stated are not offered. */
export function readAbilities(answer: JsonObject): PromptAbilities {
  const prompt = asObject(asObject(answer["agentCapabilities"])?.["promptCapabilities"]);
  const steering = asObject(asObject(answer["_meta"])?.["steering"]);
  return {
    image: prompt?.["image"] === true,
    audio: prompt?.["audio"] === true,
    embeddedContext: prompt?.["embeddedContext"] === true,
    steering: steering?.["supported"] === true,
  };
}

/** Any other answer means no: some agents answer unknown methods with an empty result. */
export function steeringOutcome(result: JsonObject | null): "joined" | "elsewhere" | "not-taken" {
  const outcome: Json | undefined = asString(result?.["outcome"]);
  if (outcome === "injected") return "joined";
  return outcome === "startedNewTurn" ? "elsewhere" : "not-taken";
}
