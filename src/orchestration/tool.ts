import { createHash } from "node:crypto";
import type { McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";
import { ignore } from "../lib/ignore.ts";
import type { ArmedWait, Delegator } from "../protocol/delegation.ts";
import type { MessageAuthor } from "../protocol/entry.ts";
import { REFUSE, type Refusal } from "../protocol/errors.ts";
import { CommandId, Program, type ProjectId, SessionId } from "../protocol/ids.ts";
import type { PersonId } from "../protocol/person-ref.ts";
import type { SessionService } from "../sessions/session-service.ts";
import { Children, type OrchestrationParts, type ToolNeeds } from "./children.ts";
import { accepted, refusedBy, ToolError } from "./tool-error.ts";

/** The caller: a session, or null for a program outside any session. */
export type Caller = SessionId | null;

const NAME_CHARS_MAX = 100;

/** A program by its own name. */
export function programNamed(name: string | null | undefined): Program | null {
  const plain = (name ?? "").replace(/\p{C}/gu, "").trim().slice(0, NAME_CHARS_MAX);
  return plain === "" ? null : Program.parse(`@name:${plain}`);
}

/** A program on a paired device, identified by the device's secret. */
export function programOnDevice(deviceId: string): Program {
  return Program.parse(`@device:${deviceId}`);
}

const KEY_CHARS_MAX = 200;

/** What a tool gets while it runs. */
export interface ToolContext extends OrchestrationParts {
  readonly caller: Caller;
  /** The owner of the agents: the calling session, or the calling program. */
  readonly owner: Delegator;
  readonly children: Children;
  /** A person with limited rights, whose program calls; null: nothing is hidden from the caller but by its own nature. */
  readonly person: PersonId | null;
  /** Whether the caller may use this tool in that project. */
  readonly isAllowed: (projectId: ProjectId) => boolean;
  /** Aborted when the caller has left. */
  readonly signal: AbortSignal;
  /** The caller requested progress notifications. */
  readonly wantsProgress: boolean;
  /** The id of one step of this call, the same whenever the call is repeated; undefined for a call without a key. */
  readonly commandId: (step: string) => CommandId | undefined;
}

interface ToolDefinition<Input extends z.ZodRawShape, Output extends z.ZodRawShape> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: Input;
  readonly output: Output;
  /** Of the person whose program calls. */
  readonly needs: ToolNeeds;
  /** It changes nothing. */
  readonly readOnly?: boolean;
  /** The current state as text, for a waiting caller. */
  readonly progress?: (context: ToolContext, input: z.infer<z.ZodObject<Input>>) => Promise<string>;
  readonly run: (
    context: ToolContext,
    input: z.infer<z.ZodObject<Input>>,
  ) => Promise<z.infer<z.ZodObject<Output>>> | z.infer<z.ZodObject<Output>>;
}

/** A tool that can be registered for one caller. */
export type Tool = (server: McpServer, parts: OrchestrationParts, owner: Delegator, person: PersonId | null) => void;

/** Of any length: an invalid id is answered like an unknown one. */
export const AgentIdInput = z.string().describe("The agentId returned by create_coding_agent.");

const idempotencyKey = z
  .string()
  .min(1)
  .max(KEY_CHARS_MAX)
  .optional()
  .describe("Any unique string. Repeating a call with the same key has no further effect, even after a restart.");

/** Results are structured content and the same content as text; a refusal is a tool error. */
export function defineTool<Input extends z.ZodRawShape, Output extends z.ZodRawShape>(
  definition: ToolDefinition<Input, Output>,
): Tool {
  const { name, title, description, needs, readOnly = false, run, progress } = definition;
  const input = z.object(definition.input);
  return (server, parts, owner, person) => {
    const isAllowed = (projectId: ProjectId) => person === null || parts.rights.may(person, needs, projectId);
    const caller = SessionId.safeParse(owner).data ?? null;
    // Silently dropping an argument would make the call do something else than requested.
    const inputSchema = z.strictObject({ ...definition.input, idempotencyKey });
    const outputSchema = z.looseObject(definition.output);
    // Even the output of a killed agent is kept.
    const annotations = { readOnlyHint: readOnly, destructiveHint: false, openWorldHint: false };
    server.registerTool(name, { title, description, inputSchema, outputSchema, annotations }, async (given, extra) => {
      const key = z.string().optional().parse(Reflect.get(given, "idempotencyKey"));
      const context: ToolContext = {
        ...parts,
        caller,
        owner,
        children: new Children(parts, owner, isAllowed),
        person,
        isAllowed,
        signal: AbortSignal.any([extra.mcpReq.signal, parts.stopping]),
        wantsProgress: extra.mcpReq._meta?.progressToken !== undefined,
        commandId: (step) => commandIdOf(owner, name, key, step),
      };
      const parsed = input.parse(withoutKey(given));
      using _ = reportProgress(
        extra.mcpReq,
        parts.progressEveryMs,
        async () => (await progress?.(context, parsed)) ?? `${title}: working`,
      );
      try {
        const denial = caller === null ? null : await parts.policy.ownToolDenial(caller, name);
        if (denial !== null) throw new ToolError(`A rule forbids this tool here: ${denial}. Tell the user.`);
        if (key !== undefined && !readOnly) await refuseOtherUse(parts, [owner, name, key], parsed);
        const structuredContent: Record<string, unknown> = { ...(await run(context, parsed)) };
        return { content: [{ type: "text", text: JSON.stringify(structuredContent) }], structuredContent };
      } catch (error) {
        if (!(error instanceof ToolError)) parts.onError(error);
        const text = error instanceof ToolError ? error.message : REFUSE.internal().message;
        return { content: [{ type: "text", text }], isError: true };
      }
    });
  };
}

/** The author of this call's prompts, as its session shows it. */
export function authorFor({ caller }: Pick<ToolContext, "caller">): MessageAuthor {
  return caller === null ? "program" : "parent";
}

/** A key stands for one call: with other arguments it would return the answer to another call. */
async function refuseOtherUse({ sessions }: OrchestrationParts, use: readonly unknown[], given: object): Promise<void> {
  const digest = (value: unknown) => createHash("sha256").update(JSON.stringify(value)).digest("base64url");
  if (await sessions.claimKey(`key-${digest(use)}`, digest(sorted(given)))) return;
  throw new ToolError(
    "idempotencyKey: already used for this tool with other arguments. Use a new key for another call.",
  );
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, one]) => [key, sorted(one)] as const);
  return Object.fromEntries(entries.toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

function withoutKey(given: object): object {
  return Object.fromEntries(Object.entries(given).filter(([name]) => name !== "idempotencyKey"));
}

interface ProgressListener {
  readonly _meta?: { readonly progressToken?: string | number | undefined } | undefined;
  readonly notify: (notification: { method: string; params: Record<string, unknown> }) => Promise<void>;
}

/** Clients that request progress restart their timeout with each notification. */
function reportProgress(
  { _meta, notify }: ProgressListener,
  everyMs: number,
  message: () => Promise<string>,
): Disposable {
  const progressToken = _meta?.progressToken;
  if (progressToken === undefined) return { [Symbol.dispose]: () => undefined };
  let progress = 0;
  const tell = async (count: number) => {
    const params = { progressToken, progress: count, message: await message() };
    await notify({ method: "notifications/progress", params });
  };
  const timer = setInterval(() => {
    progress += 1;
    tell(progress).catch(ignore("the caller has gone, or its agent"));
  }, everyMs);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

/** Keys of different callers and tools never collide. */
function commandIdOf(owner: Delegator, tool: string, key: string | undefined, step: string): CommandId | undefined {
  if (key === undefined) return undefined;
  const digest = createHash("sha256")
    .update(JSON.stringify([owner, tool, key, step]))
    .digest("base64url");
  return CommandId.parse(`mcp-${digest}`);
}

/** Checked first: a call that cannot be completed does nothing. */
export function refuseWake(caller: Caller, wake: boolean | undefined): void {
  if (wake && caller === null) throw new ToolError("wake: only a session can be woken. Omit wake and wait instead.");
}

/** Wakes the session when these agents have finished, unless it is notified before. */
export async function armWait(
  { caller, sessions, newId, commandId }: ToolContext,
  agentIds: readonly SessionId[],
  until: ArmedWait["until"],
): Promise<string> {
  if (caller === null) throw new ToolError("Only a session can be woken.");
  const id = commandId("wait");
  const waitId = id ?? newId();
  const wait = { waitId, agentIds: [...agentIds], until };
  accepted(
    await sessions.execute({
      type: "session:wait",
      sessionId: caller,
      wait,
      ...(id !== undefined && { commandId: id }),
    }),
  );
  return waitId;
}

interface Refused {
  readonly sessions: SessionService;
  readonly caller: Caller;
}

/** A limit stops work that the user may be waiting for: it is also shown in the session that reached it. */
export async function refuseVisibly({ sessions, caller }: Refused, refusal: Refusal): Promise<ToolError> {
  if (refusal.code === "LIMIT_EXCEEDED" && caller !== null) {
    const content = `No further agent was started. ${refusal.message}`;
    const start = await sessions.open(caller, undefined, RECENT_ENTRIES);
    const said = start?.type === "session:history" ? start.entries : [];
    const isNew = !said.some((entry) => entry.type === "notice" && entry.content === content);
    if (isNew) sessions.notice(caller, content);
  }
  return refusedBy(refusal);
}

/** Repeated only if the last notice is older than this many entries. */
const RECENT_ENTRIES = 50;
