import type { ContentBlock } from "@agentclientprotocol/sdk";
import type { ModelMessage } from "./model-message.ts";
import { bounded } from "./model-tool.ts";

type UserPart = Extract<ModelMessage, { role: "user" }>["content"][number];

const ATTACHED_CHARACTERS_MAX = 100_000;

/** What the user sent, as the model takes it: pictures as pictures, files as their text. */
export function userMessage(prompt: readonly ContentBlock[]): ModelMessage {
  return { role: "user", content: prompt.map(userPart) };
}

function userPart(block: ContentBlock): UserPart {
  switch (block.type) {
    case "text":
      return { type: "text", text: block.text };
    case "image":
      return { type: "file", mediaType: block.mimeType, data: block.data };
    case "audio":
      return { type: "text", text: `[a sound, ${block.mimeType}, left out]` };
    case "resource_link":
      return { type: "text", text: `[the file ${block.name}: ${block.uri}]` };
    case "resource": {
      const { resource } = block;
      if (!("text" in resource)) return { type: "text", text: `[the file ${resource.uri}, which is no text]` };
      return { type: "text", text: `[the file ${resource.uri}]\n${bounded(resource.text, ATTACHED_CHARACTERS_MAX)}` };
    }
    default:
      return block satisfies never;
  }
}
