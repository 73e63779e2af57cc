import { z } from "zod";
import type { ModelRequest, Said } from "./model-request.ts";

const Item = z.looseObject({ type: z.string().default("message"), role: z.string().optional() });
type Item = z.infer<typeof Item>;
const Parts = z.array(z.looseObject({ type: z.string().optional(), text: z.string().optional() }));
const Tool = z.looseObject({ type: z.string(), name: z.string().optional() });
const Body = z.looseObject({
  model: z.string(),
  stream: z.boolean().default(false),
  input: z.array(Item),
  tools: z.array(Tool).default([]),
  text: z.looseObject({ format: z.looseObject({ type: z.string() }).optional() }).nullish(),
});

const NOTHING = { images: 0, calls: 0 };

/** A body of POST /v1/responses. */
export function readResponses(body: unknown): ModelRequest {
  const { model, stream, input, tools, text } = Body.parse(body);
  return {
    model,
    streams: stream,
    wantsJson: text?.format !== undefined && text.format.type !== "text",
    tools: tools.map(({ name, type }) => ({ name: name ?? type, freeform: type === "custom" })),
    said: input.flatMap(saidIn),
  };
}

function saidIn(item: Item): Said[] {
  if (item.type.endsWith("_call_output")) return [{ by: "tool", texts: textsOf(item["output"]), ...NOTHING }];
  if (item.type.endsWith("_call")) return [{ by: "assistant", texts: [], ...NOTHING, calls: 1 }];
  if (item.type !== "message") return [];
  const texts = textsOf(item["content"]);
  const images = (Parts.safeParse(item["content"]).data ?? []).filter(({ type }) => type === "input_image").length;
  if (item.role === "assistant") return [{ by: "assistant", texts, ...NOTHING }];
  return item.role === "user" ? [{ by: "user", texts, ...NOTHING, images }] : [];
}

function textsOf(content: unknown): string[] {
  if (typeof content === "string") return [content];
  return (Parts.safeParse(content).data ?? []).flatMap(({ text }) => text ?? []);
}
