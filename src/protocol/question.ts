import { z } from "zod/mini";
import { CliType, ElicitationId, EntryId, TurnId } from "./ids.ts";
import { Json } from "./json.ts";

export const FIELDS_MAX = 50;
export const FIELD_OPTIONS_MAX = 500;
/** In one field of an answer, whatever the agent would take. */
export const ANSWER_CHARS_MAX = 20_000;

const Choice = z.union([z.string(), z.number(), z.boolean()]);
export const FieldOption = z.object({ value: Choice, label: z.string(), description: z.optional(z.string()) });
export type FieldOption = z.infer<typeof FieldOption>;

const base = {
  /** The name the agent knows it by. */
  name: z.string(),
  label: z.string(),
  description: z.optional(z.string()),
  required: z.boolean(),
};
export const TextFormat = z.enum(["email", "uri", "date", "date-time"]);
export type TextFormat = z.infer<typeof TextFormat>;

/** One thing an agent wants to know, whichever way its schema put it. */
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

export type AnswerValue = string | number | boolean | (string | number | boolean)[];
export type AnswerContent = Record<string, AnswerValue>;

/** What an agent asks of the user: to fill in a form, or to visit a page. */
export const Question = z.object({
  mode: z.enum(["form", "url"]),
  message: z.string(),
  title: z.optional(z.string()),
  description: z.optional(z.string()),
  /** The tool call it belongs to, if the agent says so. */
  toolCallId: z.optional(z.string()),
  /** Of a form; read from `requestedSchema`, which is kept as it came. */
  fields: z.array(QuestionField),
  requestedSchema: z.optional(Json),
  /** Of a page: always http or https. Nothing opens it before the user says so. */
  url: z.optional(z.string()),
});
export type Question = z.infer<typeof Question>;

export const PendingQuestion = z.object({
  ...Question.shape,
  elicitationId: ElicitationId,
  askedAt: z.string(),
  /** Where the transcript tells of it. */
  entryId: z.optional(EntryId),
  turnId: z.optional(TurnId),
});
export type PendingQuestion = z.infer<typeof PendingQuestion>;

/** A question of an agent's that belongs to no session, asked while one signs in for example. */
export const AgentQuestion = z.object({ ...PendingQuestion.shape, cliType: CliType, agentName: z.string() });
export type AgentQuestion = z.infer<typeof AgentQuestion>;

export const QuestionAction = z.enum(["accept", "decline", "cancel"]);
export type QuestionAction = z.infer<typeof QuestionAction>;

/** How a question ended, when it was not the user who ended it. */
export const QuestionEnd = z.enum(["withdrawn", "unwatched", "stopped"]);
export type QuestionEnd = z.infer<typeof QuestionEnd>;

export interface QuestionAnswer {
  readonly action: QuestionAction;
  readonly content?: AnswerContent;
}
