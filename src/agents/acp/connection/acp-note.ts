import { z } from "zod/mini";
import { ElicitationId } from "../../../protocol/ids.ts";
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
