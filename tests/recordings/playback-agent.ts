// Plays an agent's side of a recording: bun playback-agent.ts <recording> <file that counts the starts>.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { z } from "zod";
import { PROJECT } from "./transcript.ts";

/** Started in an agent's place. */
export const PLAYBACK_AGENT = import.meta.path;

const Id = z.union([z.string(), z.number()]);
const Message = z.looseObject({ id: Id.optional(), method: z.string().optional() });
type Message = z.infer<typeof Message>;
const LIST = "session/list";
/** `in` was said to the agent, `out` by it. */
const Line = z.union([z.object({ in: Message }), z.object({ out: Message })]);
type Line = z.infer<typeof Line>;

/** What the server says, taken in the order of the recording rather than of arrival. */
class Inbox {
  readonly #messages: Message[] = [];
  #wake: () => void = () => undefined;
  #isOver = false;

  push(message: Message): void {
    this.#messages.push(message);
    this.#wake();
  }

  end(): void {
    this.#isOver = true;
    this.#wake();
  }

  /** The first that matches; null when the server has hung up instead. */
  async take(matches: (message: Message) => boolean): Promise<Message | null> {
    for (;;) {
      const at = this.#messages.findIndex(matches);
      if (at !== -1) return this.#messages.splice(at, 1)[0] ?? null;
      if (this.#isOver) return null;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}

async function play(lines: readonly Line[], inbox: Inbox): Promise<void> {
  const ids = new Map<string | number, string | number>();
  let project = PROJECT;
  for (const line of lines) {
    if ("out" in line) {
      const { id, method } = line.out;
      const answered = method === undefined && id !== undefined ? { id: ids.get(id) ?? id } : {};
      process.stdout.write(`${JSON.stringify({ ...line.out, ...answered }).replaceAll(PROJECT, project)}\n`);
      continue;
    }
    const expected = line.in;
    const isAnswer = expected.method === undefined;
    const said = await inbox.take((message) =>
      isAnswer ? message.method === undefined && message.id === expected.id : message.method === expected.method,
    );
    if (!said) return;
    if (expected.id !== undefined && said.id !== undefined) ids.set(expected.id, said.id);
    project = z.object({ params: z.object({ cwd: z.string() }) }).safeParse(said).data?.params.cwd ?? project;
  }
}

/** Each start plays its own part: an agent that was killed goes on in a new process. */
function partOf(recording: string, countFile: string): Line[] {
  const started = existsSync(countFile) ? Number(readFileSync(countFile, "utf8")) : 0;
  writeFileSync(countFile, String(started + 1));
  const lines = readFileSync(recording, "utf8").trimEnd().split("\n");
  const parts: Line[][] = [];
  for (const text of lines) {
    const line = Line.parse(JSON.parse(text));
    if ("in" in line && line.in.method === "initialize") parts.push([]);
    parts.at(-1)?.push(line);
  }
  return parts[started] ?? [];
}

async function listen(inbox: Inbox, part: readonly Line[]): Promise<void> {
  const isRecorded = part.some((line) => "in" in line && line.in.method === LIST);
  for await (const line of console) {
    const message = Message.parse(JSON.parse(line));
    if (message.method === LIST && !isRecorded) answerList(message, part);
    else inbox.push(message);
  }
  inbox.end();
}

/** Recordings are older than the question whether the agent's copy has changed: nobody else went on with these. */
function answerList({ id }: Message, part: readonly Line[]): void {
  const Resumed = z.object({ in: z.object({ params: z.object({ sessionId: z.string(), cwd: z.string() }) }) });
  const sessions = part.flatMap((line) => {
    const { sessionId, cwd } = Resumed.safeParse(line).data?.in.params ?? {};
    return sessionId === undefined ? [] : [{ sessionId, cwd, updatedAt: "2000-01-01T00:00:00.000Z" }];
  });
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, result: { sessions } })}\n`);
}

if (import.meta.main) {
  const [recording, countFile] = process.argv.slice(2);
  if (recording === undefined || countFile === undefined)
    throw new Error("playback-agent.ts <recording> <file that counts the starts>");
  const inbox = new Inbox();
  const part = partOf(recording, countFile);
  const listening = listen(inbox, part);
  await play(part, inbox);
  await listening;
}
