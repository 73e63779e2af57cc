/** One server-sent event. */
export interface SentEvent {
  readonly id: string | null;
  readonly type: string;
  // biome-ignore lint/suspicious/noExplicitAny: what an external program gets
  readonly data: any;
}

/** Reads a stream of server-sent events according to the standard. */
export async function* eventsOf(url: string, init: RequestInit): AsyncGenerator<SentEvent, undefined> {
  const response = await fetch(url, init);
  if (!response.ok || response.body === null) throw new Error(`no stream: ${response.status} ${await response.text()}`);
  const decoder = new TextDecoder();
  let text = "";
  for await (const bytes of response.body) {
    text += decoder.decode(bytes, { stream: true });
    for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
      const event = parseEvent(text.slice(0, end));
      text = text.slice(end + 2);
      if (event) yield event;
    }
  }
  return undefined;
}

function parseEvent(block: string): SentEvent | null {
  const fields = new Map<string, string>();
  for (const line of block.split("\n")) {
    const [, name, value] = /^(\w+): ?(.*)$/.exec(line) ?? [];
    if (name !== undefined) fields.set(name, value ?? "");
  }
  const data = fields.get("data");
  if (data === undefined) return null;
  return { id: fields.get("id") ?? null, type: fields.get("event") ?? "message", data: JSON.parse(data) };
}
