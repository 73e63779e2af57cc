import { visibleOneLine } from "../lib/visible-text.ts";
import type { AnswerContent, AnswerValue, FieldOption, QuestionField } from "../protocol/question.ts";
import { type CommandLine, wrongUsage } from "./command-line.ts";
import { CliError, EXIT, type ExitCode } from "./exit-codes.ts";
import { allSessions, findSession } from "./find-session.ts";
import { agentRequestOf, type OpenRequest, openRequestOf, optionFor, requestWords } from "./open-request.ts";
import { print } from "./print.ts";
import { connect, type ServerLink } from "./server-link.ts";
import { oneLine, paint, Styled, styled } from "./terminal.ts";

/** Lists open requests, or answers one. */
export async function permit(line: CommandLine): Promise<ExitCode> {
  using link = await connect(line.env);
  const requests = await openRequests(line, link);
  const [wanted, answer, ...fields] = line.args;
  if (wanted === undefined) {
    print(
      line,
      { requests },
      requests.length > 0
        ? Styled.join(
            requests.map((one) => described(one, requests)),
            "\n",
          )
        : "No pending requests.",
    );
    return EXIT.done;
  }
  const request = chosen(requests, wanted);
  if (line.text("reason") !== undefined && (answer === undefined || request.kind !== "permission"))
    throw wrongUsage(line, "--reason only works when denying a permission: liminal permit <request> deny --reason …");
  if (answer === undefined) print(line, { requests: [request] }, described(request, requests));
  else {
    const given =
      request.kind === "permission"
        ? await decide(line, link, request, answer)
        : await reply(line, link, request, answer, fields);
    print(line, { id: request.id, answer: given }, `Answered: ${given}.`);
  }
  return EXIT.done;
}

export async function openRequests(line: CommandLine, link: ServerLink): Promise<readonly OpenRequest[]> {
  const only = line.text("session");
  const sessionIds = only === undefined ? await waitingSessions(link) : [await findSession(link, only)];
  const histories = await Promise.all(
    sessionIds.map((sessionId) => link.ask("session:history", { type: "session:open", sessionId, limit: 1 })),
  );
  const ofSessions = histories.flatMap(({ sessionId, title, pending }) =>
    pending.map((request) => openRequestOf(sessionId, title, request)),
  );
  return only === undefined ? [...ofSessions, ...(link.hello.questions ?? []).map(agentRequestOf)] : ofSessions;
}

async function waitingSessions(link: ServerLink) {
  return (await allSessions(link)).filter(({ turn }) => turn.state !== "idle").map(({ id }) => id);
}

function chosen(requests: readonly OpenRequest[], wanted: string): OpenRequest {
  const exact = requests.find(({ id }) => id === wanted);
  if (exact) return exact;
  const matches = requests.filter(({ id }) => id.startsWith(wanted) || id.endsWith(wanted));
  const [first, ...others] = matches;
  if (first && others.length === 0) return first;
  const problem = first
    ? `"${wanted}" matches ${matches.length} requests. Type more of the id.`
    : `No pending request "${wanted}". It may have been answered elsewhere.`;
  throw new CliError(EXIT.failed, `${problem} List pending requests with: liminal permit`, "REQUEST_NOT_PENDING");
}

async function decide(
  line: CommandLine,
  link: ServerLink,
  request: Extract<OpenRequest, { kind: "permission" }>,
  answer: string,
): Promise<string> {
  const reason = line.text("reason");
  const { id: permissionId, sessionId, options } = request;
  const option = optionFor(options, answer);
  if (!option) {
    const known = ["allow", "deny", ...options.map(({ optionId }) => optionId)].join(", ");
    throw wrongUsage(line, `"${answer}" is not a valid answer. Choose one of: ${known}.`);
  }
  const { optionId, kind } = option;
  if (reason !== undefined && (reason.trim() === "" || !kind.startsWith("reject")))
    throw wrongUsage(line, "--reason needs text, and only works with deny.");
  await link.act({
    type: "permission:respond",
    sessionId,
    permissionId,
    optionId,
    ...(reason !== undefined && { reason }),
  });
  return optionId;
}

async function reply(
  line: CommandLine,
  link: ServerLink,
  request: Extract<OpenRequest, { kind: "question" }>,
  answer: string,
  fields: readonly string[],
): Promise<string> {
  const { id: elicitationId, sessionId } = request;
  const action = answer === "accept" || answer === "decline" || answer === "cancel" ? answer : null;
  if (action === null) throw wrongUsage(line, `"${answer}" is not a valid answer. Choose accept, decline or cancel.`);
  await link.act({
    type: "elicitation:respond",
    elicitationId,
    action,
    ...(sessionId !== undefined && { sessionId }),
    ...(action === "accept" && request.fields.length > 0 && { content: answersOf(request.fields, fields) }),
  });
  return action;
}

const SHORT_ID_CHARS_MIN = 6;

/** The shortest unique end of a request's id, because most ids start alike. */
export function shortRequestId(id: string, all: readonly string[]): string {
  for (let chars = SHORT_ID_CHARS_MIN; chars < id.length; chars += 1) {
    const end = id.slice(-chars);
    // One that begins with a dash would be parsed as an option.
    if (!end.startsWith("-") && all.every((other) => other === id || !(other.endsWith(end) || other.startsWith(end))))
      return end;
  }
  return id;
}

function described(request: OpenRequest, all: readonly OpenRequest[]): Styled {
  const { kind, title } = request;
  const id = shortRequestId(
    request.id,
    all.map((one) => one.id),
  );
  const head = styled`${paint("cyan", id)}  ${kind}  ${paint("bold", oneLine(title))}\n${requestWords(request, "    ")}\n`;
  const answers = (known: readonly string[]) => styled`    ${paint("dim", "answers:")} ${known.join(", ")}\n`;
  if (request.kind === "permission")
    return styled`${head}${answers(["allow", "deny", ...request.options.map(({ optionId }) => optionId)])}`;
  const words = request.fields.map(
    ({ name, label, kind: type, required }) =>
      `    ${oneLine(name)}= (${type}${required ? ", required" : ""}) ${oneLine(label)}\n`,
  );
  const url = request.url === undefined ? "" : `    ${visibleOneLine(request.url)}\n`;
  return styled`${head}${url}${words.join("")}${answers(["accept", "decline", "cancel"])}`;
}

/** `name=value` arguments as the answers to a form; the server checks that they are complete. */
export function answersOf(fields: readonly QuestionField[], words: readonly string[]): AnswerContent {
  return Object.fromEntries(words.map((word) => answerOf(fields, word)));
}

function answerOf(fields: readonly QuestionField[], word: string): [string, AnswerValue] {
  const at = word.indexOf("=");
  const field = fields.find(({ name }) => name === word.slice(0, Math.max(0, at)));
  if (!field) {
    const known = fields.map(({ name }) => `${name}=…`).join(" ");
    throw new CliError(EXIT.usage, `"${word}" does not match a field of this question. Fields: ${known}`, "USAGE");
  }
  return [field.name, valueFor(field, word.slice(at + 1))];
}

function valueFor(field: QuestionField, text: string): AnswerValue {
  switch (field.kind) {
    case "text":
      return text;
    case "number":
      return numberOf(field.name, text);
    case "boolean":
      return /^(true|yes|y|1)$/i.test(text);
    case "choice":
      return choiceOf(field.options, text);
    case "choices":
      return text === "" ? [] : text.split(",").map((one) => choiceOf(field.options, one.trim()));
    default:
      return field satisfies never;
  }
}

function numberOf(name: string, text: string): number {
  const number = Number(text);
  if (text.trim() !== "" && Number.isFinite(number)) return number;
  throw new CliError(EXIT.usage, `Invalid value "${text}" for ${name}: expected a number.`, "USAGE");
}

/** By value or by label; anything else is refused by the server. */
function choiceOf(options: readonly FieldOption[], text: string): string | number | boolean {
  return options.find(({ value, label }) => String(value) === text || label === text)?.value ?? text;
}
