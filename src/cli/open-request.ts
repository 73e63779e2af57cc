import { visibleBlock, visibleOneLine } from "../lib/visible-text.ts";
import { commandOf } from "../protocol/command-of.ts";
import type { Part } from "../protocol/entry.ts";
import type { ElicitationId, PermissionId, SessionId } from "../protocol/ids.ts";
import type { Json } from "../protocol/json.ts";
import { isPermission, type PendingRequest } from "../protocol/pending-request.ts";
import type { AgentQuestion, PendingQuestion, QuestionField } from "../protocol/question.ts";
import type { PermissionOption, PermissionToolCall } from "../protocol/session-parts.ts";

interface AskedPermission {
  readonly kind: "permission";
  readonly id: PermissionId;
  readonly sessionId: SessionId;
  readonly title: string;
  readonly asks: string;
  /** The exact command line, if the tool runs one. */
  readonly command?: string;
  /** Everything the agent sent about it. */
  readonly toolCall: PermissionToolCall;
  readonly note?: string;
  readonly options: readonly PermissionOption[];
}

interface AskedQuestion {
  readonly kind: "question";
  readonly id: ElicitationId;
  /** Absent if an agent asks outside any session, during sign-in for example. */
  readonly sessionId?: SessionId;
  readonly title: string;
  readonly asks: string;
  readonly url?: string;
  readonly fields: readonly QuestionField[];
}

/** An open request, as the command line shows it. */
export type OpenRequest = AskedPermission | AskedQuestion;

export function openRequestOf(sessionId: SessionId, title: string, pending: PendingRequest): OpenRequest {
  if (!isPermission(pending)) return { ...questionOf(pending), sessionId, title };
  const { permissionId: id, toolCall, options, note } = pending;
  const command = commandOf(toolCall.input);
  return {
    kind: "permission",
    id,
    sessionId,
    title,
    asks: command === null || toolCall.name.includes(command) ? toolCall.name : `${toolCall.name}: ${command}`,
    ...(command !== null && { command }),
    toolCall,
    options,
    ...(note !== undefined && { note }),
  };
}

export function agentRequestOf(question: AgentQuestion): OpenRequest {
  return { ...questionOf(question), title: question.agentName };
}

function questionOf({ elicitationId: id, message, fields, url }: PendingQuestion) {
  return { kind: "question" as const, id, asks: message, fields, ...(url !== undefined && { url }) };
}

/** `allow` and `deny` mean this once, if the agent offers that. */
export function optionFor(options: readonly PermissionOption[], answer: string): PermissionOption | undefined {
  const kind = answer === "allow" ? "allow" : answer === "deny" ? "reject" : null;
  const exact = options.find(({ optionId }) => optionId === answer);
  if (exact || kind === null) return exact;
  return options.find((one) => one.kind === `${kind}_once`) ?? options.find((one) => one.kind.startsWith(kind));
}

/** The complete request, line by line with nothing invisible: the user allows what is shown. */
export function requestWords(request: OpenRequest, indent: string): string {
  if (request.kind === "question") return visibleBlock(request.asks, indent);
  const { command, note, toolCall } = request;
  const { name, input, parts = [], locations = [] } = toolCall;
  const { command: _command, cmd: _cmd, cwd, workdir, ...rest } = isRecord(input) ? input : {};
  const given = command === undefined ? input : Object.keys(rest).length > 0 ? rest : undefined;
  return [
    ...(name.replaceAll("`", "").trim() === command ? [] : [visibleBlock(name, indent)]),
    ...(command === undefined ? [] : [`${indent}command:`, visibleBlock(command, indent)]),
    ...[cwd ?? workdir].flatMap((at) => (typeof at === "string" ? [`${indent}in ${visibleOneLine(at)}`] : [])),
    ...parts.flatMap((part) => partWords(part, indent)),
    ...(given === undefined || given === null
      ? []
      : [`${indent}input:`, visibleBlock(JSON.stringify(given, null, 2), indent)]),
    ...locations.map(({ path }) => `${indent}at ${visibleOneLine(path)}`),
    ...(note === undefined ? [] : [`${indent}note: ${visibleOneLine(note)}`]),
  ].join("\n");
}

function partWords(part: Part, indent: string): string[] {
  if (part.type === "terminal") return [];
  if (part.type === "text") return [visibleBlock(part.text, indent)];
  if (part.type !== "diff") return [`${indent}${part.type}:`, visibleBlock(JSON.stringify(part, null, 2), indent)];
  const { path, oldText, newText } = part;
  return [
    `${indent}${oldText === null ? "new file" : "edit"} ${visibleOneLine(path)}`,
    ...(oldText === null || oldText === "" ? [] : [`${indent}before:`, visibleBlock(oldText, indent)]),
    ...(newText === "" ? [] : [`${indent}after:`, visibleBlock(newText, indent)]),
  ];
}

function isRecord(value: Json | undefined): value is { [key: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
