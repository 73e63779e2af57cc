import { z } from "zod";
import type { ModelRequest, Said } from "./model-request.ts";

const Block = z.looseObject({ type: z.string(), text: z.string().optional(), content: z.unknown().optional() });
type Block = z.infer<typeof Block>;
const Body = z.looseObject({
  model: z.string(),
  stream: z.boolean().default(false),
  messages: z.array(z.looseObject({ role: z.string(), content: z.union([z.string(), z.array(Block)]) })),
  tools: z.array(z.looseObject({ name: z.string() })).default([]),
  output_config: z.looseObject({ format: z.unknown().optional() }).optional(),
});

/** A body of POST /v1/messages. */
export function readAnthropic(body: unknown): ModelRequest {
  const { model, stream, messages, tools, output_config } = Body.parse(body);
  return {
    model,
    streams: stream,
    wantsJson: output_config?.format !== undefined,
    tools: tools.map(({ name }) => ({ name, freeform: false })),
    said: messages.flatMap(({ role, content }) => {
      const blocks: Block[] = typeof content === "string" ? [{ type: "text", text: content }] : content;
      return role === "assistant" ? [saidByModel(blocks)] : saidByUser(blocks);
    }),
  };
}

function saidByModel(blocks: readonly Block[]): Said {
  const calls = blocks.filter(({ type }) => type === "tool_use").length;
  return { by: "assistant", texts: textsOf(blocks), images: 0, calls };
}

/** Tool results stand in the user's messages, before what the user said. */
function saidByUser(blocks: readonly Block[]): Said[] {
  const results = blocks.filter(({ type }) => type === "tool_result");
  const texts = textsOf(blocks);
  const images = blocks.filter(({ type }) => type === "image").length;
  return [
    ...results.map(({ content }): Said => ({ by: "tool", texts: contentTexts(content), images: 0, calls: 0 })),
    ...(texts.length + images > 0 ? [{ by: "user" as const, texts, images, calls: 0 }] : []),
  ];
}

function textsOf(blocks: readonly Block[]): string[] {
  return blocks.flatMap(({ type, text }) => (type === "text" && text !== undefined ? [text] : []));
}

function contentTexts(content: unknown): string[] {
  return typeof content === "string" ? [content] : textsOf(z.array(Block).safeParse(content).data ?? []);
}
