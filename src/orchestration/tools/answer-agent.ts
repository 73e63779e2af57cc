import { z } from "zod";
import { isPermission, type PendingRequest, requestIdOf } from "../../protocol/pending-request.ts";
import type { PendingQuestion } from "../../protocol/question.ts";
import type { PendingPermission, PermissionOption } from "../../protocol/session-parts.ts";
import type { SessionService } from "../../sessions/session-service.ts";
import type { ChildView } from "../child-info.ts";
import { AgentIdInput, defineTool, type ToolContext } from "../tool.ts";
import { accepted, ToolError } from "../tool-error.ts";

const FIELD_CHARS_MAX = 20_000;

const Value = z.union([z.string().max(FIELD_CHARS_MAX), z.number(), z.boolean()]);
const input = {
  agentId: AgentIdInput,
  permissionId: z.string().max(200).optional().describe("Required if it has more than one open request."),
  elicitationId: z.string().max(200).optional().describe("Required if it has more than one open request."),
  optionId: z.string().max(200).optional().describe("One of the permission's options; or use answer."),
  answer: z.enum(["allow", "deny", "cancel"]).optional().describe("Applies once. For a question, deny declines it."),
  content: z
    .record(z.string(), z.union([Value, z.array(Value)]))
    .optional()
    .describe("The fields of a question, by name."),
};
type Input = z.infer<z.ZodObject<typeof input>>;
type Command = Parameters<SessionService["execute"]>[0];

/** The option kinds for each answer; the one-time kind comes first. */
const ONCE = { allow: ["allow_once"], deny: ["reject_once", "reject_always"], cancel: [] } as const;

export const answerAgent = defineTool({
  name: "answer_agent",
  title: "Answer an agent's question",
  needs: "work",
  description:
    "Answers a permission request or question of one of your agents. You can only allow what this session itself may do " +
    "without asking; the user must answer anything else. You can always deny.",
  input,
  output: { success: z.boolean() },
  run: async (context, given) => {
    const view = await context.children.find(given.agentId);
    const id = context.commandId("answer");
    if (id !== undefined && (await context.sessions.isDone(id))) return { success: true };
    const asked = requestOf(view, given);
    const command = isPermission(asked)
      ? await permissionAnswer(context, view, asked, given)
      : questionAnswer(view, asked, given);
    accepted(await context.sessions.execute({ ...command, ...(id !== undefined && { commandId: id }) }));
    return { success: true };
  },
});

function requestOf({ state: { pending } }: ChildView, { permissionId, elicitationId }: Input): PendingRequest {
  const named = permissionId ?? elicitationId;
  const asked = named === undefined ? pending : pending.filter((one) => requestIdOf(one) === named);
  const [first, ...others] = asked;
  if (!first) throw new ToolError("This agent has no such open request. See get_agent_status for its open requests.");
  if (others.length === 0) return first;
  throw new ToolError(
    `permissionId: it has ${asked.length} open requests. Choose one: ${asked.map(requestIdOf).join(", ")}.`,
  );
}

async function permissionAnswer(
  context: ToolContext,
  view: ChildView,
  asked: PendingPermission,
  given: Input,
): Promise<Command> {
  const option = given.answer === "cancel" ? null : optionOf(asked, given);
  if (option && !option.kind.startsWith("reject")) await refuseBeyondOwnRights(context, view, asked);
  const choice = option ? { optionId: option.optionId } : ({ outcome: "cancelled" } as const);
  return { type: "permission:respond", sessionId: view.row.id, permissionId: asked.permissionId, ...choice };
}

function questionAnswer({ row }: ChildView, { elicitationId, mode }: PendingQuestion, given: Input): Command {
  const base = { type: "elicitation:respond", sessionId: row.id, elicitationId } as const;
  if (given.answer === "cancel") return { ...base, action: "cancel" };
  if (given.answer === "deny") return { ...base, action: "decline" };
  if (mode === "url") throw new ToolError("Only the user can open a page. Deny it, or let the user answer.");
  if (given.content === undefined)
    throw new ToolError("content: pass the question's fields by name, or deny it. See get_agent_status.");
  return { ...base, action: "accept", content: given.content };
}

function optionOf({ options }: PendingPermission, { optionId, answer }: Input): PermissionOption {
  const kinds: readonly string[] = answer === undefined ? [] : ONCE[answer];
  const found = options.find((one) => (optionId === undefined ? kinds.includes(one.kind) : one.optionId === optionId));
  if (found) return found;
  const offered = options.map((one) => `${one.optionId} (${one.name})`).join(", ");
  throw new ToolError(`optionId: choose one of its options: ${offered}.`);
}

async function refuseBeyondOwnRights(
  { caller, policy }: ToolContext,
  view: ChildView,
  asked: PendingPermission,
): Promise<void> {
  if (caller === null) return;
  const verdict = await policy.evaluate({ id: caller, cwd: view.binding.cwd }, asked.toolCall);
  if (verdict.answer !== "allow")
    throw new ToolError(`Only the user can allow this: this session would have to ask too. ${verdict.why}`);
}
