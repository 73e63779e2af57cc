import { z } from "zod/mini";
import { ignore } from "../../../lib/ignore.ts";
import { ElicitationId } from "../../../protocol/ids.ts";
import type { Json } from "../../../protocol/json.ts";
import { asObject, type JsonObject } from "../read-json.ts";

const Message = z.custom<JsonObject>((value) => asObject(value) !== null);

/** What a session on a connection has in mind beside what is stored. */
export const SessionNote = z.object({
  agentSessionId: z.string(),
  /** Keys of prompts that wait for their answer. */
  prompts: z.array(z.string()),
  steered: z.array(z.string()),
  isCancelled: z.boolean(),
  /** Calls with output that an empty content would take away. */
  shown: z.array(z.string()),
  /** Calls whose command has printed something in a terminal of the agent's own. */
  printed: z.array(z.string()),
  growing: z.nullable(z.string()),
  /** Terminals of ours. */
  terminals: z.array(z.string()),
});
export type SessionNote = z.infer<typeof SessionNote>;

/** What one server tells the next about a connection, so that the lines it came from need not be kept. */
export const AcpNote = z.object({
  version: z.literal(1),
  initialized: Message,
  /** Requests of the agent's that wait for an answer, as they came. */
  asked: z.array(z.object({ offset: z.int(), message: Message })),
  sessions: z.array(SessionNote),
  /** Pages the user may be visiting, by the agent's name of them. */
  pages: z.array(z.object({ name: z.string(), elicitationId: ElicitationId, agentSessionId: z.nullable(z.string()) })),
});
export type AcpNote = z.infer<typeof AcpNote>;

export interface AcpFailure {
  readonly code: number;
  readonly message: string;
}

/** Called synchronously, line by line, in the order of the wire. */
export interface AcpHooks {
  onUpdate(agentSessionId: string, update: Json): void;
  onPermissionRequest(asked: Asked, params: JsonObject): void;
  onPermissionWithdrawn(offset: number, params: JsonObject): void;
  onQuestion(asked: Asked, params: JsonObject): void;
  onQuestionWithdrawn(offset: number): void;
  /** `name` is the agent's own for the page that was visited. */
  onQuestionCompleted(name: string): void;
  /** A request of the agent's; a ClientRequestError becomes its answer. */
  onRequest(method: string, params: JsonObject): Promise<object>;
  onPromptAnswer(key: string, result: JsonObject | null, failure: AcpFailure | null): void;
  /** Much has gone through: a good moment for a checkpoint. */
  onCheckpointDue(): void;
  /** Only while catching up: what an earlier server had noted, said, and been answered. */
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

/** Something the agent wants from the user. */
export interface Asked {
  /** The line it came in: its name, the same under every server. */
  readonly offset: number;
  /** An earlier server has answered it. */
  readonly isAnswered: boolean;
}
