import { z } from "zod/mini";
import { ignore } from "../../../lib/ignore.ts";
import { ElicitationId } from "../../../protocol/ids.ts";
import type { Json } from "../../../protocol/json.ts";
import { asObject, type JsonObject } from "../read-json.ts";

const Message = z.custom<JsonObject>((value) => asObject(value) !== null);

const memory = {
  /** Tool calls with output that an empty content would clear. */
  shown: z.array(z.string()),
  /** Tool calls whose command has printed to the agent's own terminal. */
  printed: z.array(z.string()),
  growing: z.nullable(z.string()),
};

/** A sub-agent that the agent has reported. */
export const ChildNote = z.object({
  id: z.string(),
  parentId: z.string(),
  title: z.string(),
  isRunning: z.boolean(),
  ...memory,
});
export type ChildNote = z.infer<typeof ChildNote>;

/** State of a session on a connection beyond what is stored. */
export const SessionNote = z.object({
  agentSessionId: z.string(),
  /** Keys of open prompts. */
  prompts: z.array(z.string()),
  steered: z.array(z.string()),
  isCancelled: z.boolean(),
  ...memory,
  /** Terminals of ours. */
  terminals: z.array(z.string()),
  /** Absent in notes of earlier servers. */
  children: z.optional(z.array(ChildNote)),
});
export type SessionNote = z.infer<typeof SessionNote>;

/** What one server hands to the next about a connection, so that older lines need not be kept. */
export const AcpNote = z.object({
  version: z.literal(1),
  initialized: Message,
  /** Open requests of the agent, unchanged. */
  asked: z.array(z.object({ offset: z.int(), message: Message })),
  sessions: z.array(SessionNote),
  /** Pages the user may have open, by the agent's name for them. */
  pages: z.array(z.object({ name: z.string(), elicitationId: ElicitationId, agentSessionId: z.nullable(z.string()) })),
});
export type AcpNote = z.infer<typeof AcpNote>;

export interface AcpFailure {
  readonly code: number;
  readonly message: string;
  /** As the agent sent it. */
  readonly data?: Json | undefined;
}

/** Called synchronously, line by line, in the order of the wire. */
export interface AcpHooks {
  onUpdate(agentSessionId: string, update: Json): void;
  /** The agent reports whose account it works with. */
  onAccount(params: JsonObject): void;
  onPermissionRequest(asked: Asked, params: JsonObject): void;
  onPermissionWithdrawn(offset: number, params: JsonObject): void;
  onQuestion(asked: Asked, params: JsonObject): void;
  onQuestionWithdrawn(offset: number): void;
  /** `name`: the agent's name for the page. */
  onQuestionCompleted(name: string): void;
  /** A request of the agent; a ClientRequestError becomes its answer. */
  onRequest(method: string, params: JsonObject): Promise<object>;
  onPromptAnswer(key: string, result: JsonObject | null, failure: AcpFailure | null): void;
  /** Many lines have passed: time for a checkpoint. */
  onCheckpointDue(): void;
  /** Only during journal replay: notes, messages and answers of an earlier server. */
  onNote(note: AcpNote): void;
  onPastPrompt(agentSessionId: string, key: string): void;
  onPastSteer(agentSessionId: string, key: string): void;
  onPastCancel(agentSessionId: string): void;
  onPastTerminal(agentSessionId: string, terminalId: string): void;
  onPastAnswer(method: string, params: JsonObject, result: JsonObject): void;
}

/** For a process that ends with this server: there is no journal to replay, and no later server. */
export const NO_PAST = {
  onCheckpointDue: ignore("nothing is kept"),
  onNote: ignore("no previous record"),
  onPastPrompt: ignore("no earlier messages"),
  onPastSteer: ignore("no earlier messages"),
  onPastCancel: ignore("no earlier messages"),
  onPastTerminal: ignore("no earlier messages"),
  onPastAnswer: ignore("no earlier messages"),
};

/** A request of the agent to the user. */
export interface Asked {
  /** The line it came in: its id, the same under every server. */
  readonly offset: number;
  /** An earlier server answered it. */
  readonly isAnswered: boolean;
}
