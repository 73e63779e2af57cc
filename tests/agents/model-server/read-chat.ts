import { z } from "zod";
import type { ModelRequest, Said } from "./model-request.ts";

const Content = z.union([
  z.string(),
  z.array(z.looseObject({ type: z.string(), text: z.string().optional() })),
  z.null(),
]);
const Message = z.looseObject({
  role: z.string(),
  content: Content.optional(),
  tool_calls: z.array(z.unknown()).optional(),
});
type Message = z.infer<typeof Message>;
const Body = z.looseObject({
  model: z.string(),
  stream: z.boolean().default(false),
  messages: z.array(Message),
  tools: z.array(z.looseObject({ function: z.looseObject({ name: z.string() }) })).default([]),
});

/** A body of POST /v1/chat/completions. */
export function readChat(body: unknown): ModelRequest {
  const { model, stream, messages, tools } = Body.parse(body);
  return {
    model,
    streams: stream,
    wantsJson: false,
    tools: tools.map((tool) => ({ name: tool.function.name, freeform: false })),
    said: messages.flatMap(saidIn),
  };
}

function saidIn({ role, content, tool_calls = [] }: Message): Said[] {
  const blocks = typeof content === "string" ? [{ type: "text", text: content }] : (content ?? []);
  const texts = blocks.flatMap(({ type, text }) => (type === "text" && text !== undefined ? [text] : []));
  const images = blocks.filter(({ type }) => type === "image_url").length;
  if (role === "tool") return [{ by: "tool", texts, images, calls: 0 }];
  if (role === "assistant") return [{ by: "assistant", texts, images: 0, calls: tool_calls.length }];
  return role === "user" ? [{ by: "user", texts, images, calls: 0 }] : [];
}
