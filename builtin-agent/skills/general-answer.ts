import type { ContentBlock } from "@agentclientprotocol/sdk";
import type { Turn } from "../turn/turn.ts";
import type { Skill } from "./skill.ts";

/** For everything that is no command: friendly, short, and honest about what was seen. */
export function generalAnswer(turn: Turn, near: Skill | undefined): void {
  const seen = turn.context.prompt.flatMap((block) => describeBlock(block) ?? []);
  const lines = [
    ...(seen.length > 0 ? ["I received:", "", ...seen.map((line) => `- ${line}`), ""] : []),
    ...(near ? [`That is nearly \`${near.usage}\`: ${near.summary}`, ""] : []),
    "I am the built-in guide and have no model, so I only know a few words: `list`, `read <file>`, `search <text>`,",
    "`run <command>`, `plan`, `think` and some more. Say **`help`** to see them all.",
  ];
  if (turn.isDetailed) lines.push("", "For real work choose another agent; I am here to show you around.");
  turn.say(lines.join("\n"));
}

function describeBlock(block: ContentBlock): string | undefined {
  switch (block.type) {
    case "text":
      return undefined;
    case "image":
      return `an image (${block.mimeType}, ${decodedBytes(block.data)} bytes)`;
    case "audio":
      return `a sound (${block.mimeType}, ${decodedBytes(block.data)} bytes)`;
    case "resource_link":
      return `a link to \`${block.name}\` (${block.uri})`;
    case "resource":
      return "text" in block.resource
        ? `\`${block.resource.uri}\` with ${block.resource.text.length} characters`
        : `\`${block.resource.uri}\` with ${decodedBytes(block.resource.blob)} bytes`;
    default:
      return block satisfies never;
  }
}

function decodedBytes(base64: string): number {
  return Buffer.byteLength(base64, "base64");
}
