import { z } from "zod/mini";
import { CliType, ElicitationId, EntryId, TurnId } from "./ids.ts";
import { Json } from "./json.ts";

export const FIELDS_MAX = 50;
export const FIELD_OPTIONS_MAX = 500;
/** Limit of one field of an answer, whatever the agent allows. */
export const ANSWER_CHARS_MAX = 20_000;

const Choice = z.union([z.string(), z.number(), z.boolean()]);
export const FieldOption = z.object({ value: Choice, label: z.string(), description: z.optional(z.string()) });
export type FieldOption = z.infer<typeof FieldOption>;

const base = {
  /** The agent's name for it. */
  name: z.string(),
  label: z.string(),
  description: z.optional(z.string()),
  required: z.boolean(),
};
export const TextFormat = z.enum(["email", "uri", "date", "date-time"]);
export type TextFormat = z.infer<typeof TextFormat>;

/** One field of a question, in any form of its schema. */
export const QuestionField = z.discriminatedUnion("kind", [
  z.object({
    ...base,
    kind: z.literal("text"),
    format: z.optional(TextFormat),
    /** Room for several lines. */
    long: z.optional(z.literal(true)),
    minLength: z.optional(z.number()),
    maxLength: z.optional(z.number()),
    pattern: z.optional(z.string()),
    default: z.optional(z.string()),
  }),
  z.object({
    ...base,
    kind: z.literal("number"),
    integer: z.boolean(),
    minimum: z.optional(z.number()),
    maximum: z.optional(z.number()),
    default: z.optional(z.number()),
  }),
  z.object({ ...base, kind: z.literal("boolean"), default: z.optional(z.boolean()) }),
  z.object({ ...base, kind: z.literal("choice"), options: z.array(FieldOption), default: z.optional(Choice) }),
  z.object({
    ...base,
    kind: z.literal("choices"),
    options: z.array(FieldOption),
    minItems: z.optional(z.number()),
    maxItems: z.optional(z.number()),
    default: z.optional(z.array(Choice)),
  }),
]);
export type QuestionField = z.infer<typeof QuestionField>;

/** A question of an agent to the user: a form to fill in, or a page to visit. */
export const Question = z.object({
  mode: z.enum(["form", "url"]),
  message: z.string(),
  title: z.optional(z.string()),
  description: z.optional(z.string()),
  /** The name of the sub-agent that asks; absent when the session's own agent asks. */
  subAgent: z.optional(z.string()),
  /** Its tool call, if the agent names it. */
  toolCallId: z.optional(z.string()),
  /** Of a form; read from `requestedSchema`, which is kept unchanged. */
  fields: z.array(QuestionField),
  requestedSchema: z.optional(Json),
  /** Of a page: always http or https. Only the user opens it. */
  url: z.optional(z.string()),
});
export type Question = z.infer<typeof Question>;

export const PendingQuestion = z.object({
  ...Question.shape,
  elicitationId: ElicitationId,
  askedAt: z.string(),
  /** Its entry in the transcript. */
  entryId: z.optional(EntryId),
  turnId: z.optional(TurnId),
});
export type PendingQuestion = z.infer<typeof PendingQuestion>;

/** A question outside any session, asked during sign-in for example. */
export const AgentQuestion = z.object({ ...PendingQuestion.shape, cliType: CliType, agentName: z.string() });
export type AgentQuestion = z.infer<typeof AgentQuestion>;

export const QuestionAction = z.enum(["accept", "decline", "cancel"]);
export type QuestionAction = z.infer<typeof QuestionAction>;

/** How a question ended, if the user did not end it. */
export const QuestionEnd = z.enum(["withdrawn", "unwatched", "stopped"]);
export type QuestionEnd = z.infer<typeof QuestionEnd>;

const AnswerValue = z.union([
  z.string(),
  z.number(),
  z.boolean(),
  z.array(z.union([z.string(), z.number(), z.boolean()])),
]);
export type AnswerValue = z.infer<typeof AnswerValue>;
const AnswerContent = z.record(z.string(), AnswerValue);
export type AnswerContent = z.infer<typeof AnswerContent>;
export const QuestionAnswer = z.object({ action: QuestionAction, content: z.exactOptional(AnswerContent) });
export type QuestionAnswer = Readonly<z.infer<typeof QuestionAnswer>>;
