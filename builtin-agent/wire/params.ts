import { statSync } from "node:fs";
import { isAbsolute } from "node:path";
import type { ContentBlock } from "@agentclientprotocol/sdk";
import { isObject, type JsonObject, stringAt } from "./json.ts";
import { invalidParams } from "./rpc-error.ts";

/** A required string. */
export function requiredString(params: JsonObject, key: string): string {
  const value = stringAt(params, key);
  if (value === undefined || value === "") throw invalidParams(`"${key}" must be a non-empty string.`);
  return value;
}

/** The session's directory: absolute and existing, since every skill works inside it. */
export function requiredDirectory(params: JsonObject): string {
  const cwd = requiredString(params, "cwd");
  if (!isAbsolute(cwd)) throw invalidParams(`"cwd" must be an absolute path, not ${cwd}.`);
  if (!statSync(cwd, { throwIfNoEntry: false })?.isDirectory()) throw invalidParams(`${cwd} is not a directory.`);
  return cwd;
}

/** The prompt's blocks; a block of an unknown kind is refused rather than silently dropped. */
export function requiredPrompt(params: JsonObject): ContentBlock[] {
  const { prompt } = params;
  if (!Array.isArray(prompt)) throw invalidParams(`"prompt" must be an array of content blocks.`);
  return prompt.map(parseContentBlock);
}

/** Parses one block as one of the five kinds in ACP. */
export function parseContentBlock(block: unknown): ContentBlock {
  if (!isObject(block)) throw invalidParams("A content block must be an object.");
  switch (block["type"]) {
    case "text":
      return { type: "text", text: textField(block, "text") };
    case "image":
      return { type: "image", data: textField(block, "data"), mimeType: textField(block, "mimeType") };
    case "audio":
      return { type: "audio", data: textField(block, "data"), mimeType: textField(block, "mimeType") };
    case "resource_link":
      return parseResourceLink(block);
    case "resource":
      return parseResource(block["resource"]);
    default:
      throw invalidParams(`Unknown content block type ${JSON.stringify(block["type"])}.`);
  }
}

function parseResourceLink(block: JsonObject): ContentBlock {
  const mimeType = stringAt(block, "mimeType");
  const link = { type: "resource_link" as const, uri: textField(block, "uri"), name: textField(block, "name") };
  return mimeType === undefined ? link : { ...link, mimeType };
}

function parseResource(resource: unknown): ContentBlock {
  if (!isObject(resource)) throw invalidParams(`"resource" must be an object.`);
  const mimeType = stringAt(resource, "mimeType");
  const rest = mimeType === undefined ? {} : { mimeType };
  const uri = textField(resource, "uri");
  const text = stringAt(resource, "text");
  if (text !== undefined) return { type: "resource", resource: { uri, text, ...rest } };
  return { type: "resource", resource: { uri, blob: textField(resource, "blob"), ...rest } };
}

/** Unlike ids, texts may be empty. */
function textField(block: JsonObject, key: string): string {
  const value = stringAt(block, key);
  if (value === undefined) throw invalidParams(`"${key}" must be a string.`);
  return value;
}
