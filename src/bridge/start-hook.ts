import { createHash } from "node:crypto";
import type { IncomingHooks } from "../access/incoming-hooks.ts";
import type { Refusal } from "../protocol/errors.ts";
import { CommandId, SessionId } from "../protocol/ids.ts";
import { hookPrompt, type ShownHook } from "../protocol/incoming-hooks.ts";
import type { Answer } from "../sessions/answer.ts";
import { answerMessage, type MessageDeps } from "./answer-message.ts";

interface HookCall {
  /** The body sent by the caller. */
  readonly text: string;
  /** The same key returns the same session. */
  readonly key: string;
}

type Started =
  | { readonly sessionId: SessionId; readonly refusal?: never }
  | { readonly refusal: Refusal; readonly sessionId?: never };

/** Creates a session with the hook's prompt, and records the result for the list. */
export async function startHook(
  deps: MessageDeps,
  hooks: IncomingHooks,
  { projectId, cliType, template, name }: ShownHook,
  { text, key }: HookCall,
): Promise<Started> {
  const id = createHash("sha256").update(`${name}\n${key}`).digest("base64url");
  const commandOf = (step: string) => CommandId.parse(`hook-${step}-${id}`);
  const created = await answerMessage(deps, {
    ...{ type: "session:create", projectId, cliType, title: `Hook ${name}`, waitForAgent: false },
    commandId: commandOf("create"),
  });
  const sessionId = sessionOf(created);
  if (sessionId === null) return failed(hooks, name, created);
  // A call that is repeated after a crash sends only what was not sent; the mark is the same then.
  const sent = await answerMessage(deps, {
    ...{ type: "session:send", sessionId, content: hookPrompt(template, text, `data-${id.slice(0, 16)}`) },
    commandId: commandOf("send"),
  });
  if (sent.kind === "refused") return failed(hooks, name, sent);
  hooks.ended(name, { sessionId });
  return { sessionId };
}

function sessionOf(created: Answer): SessionId | null {
  const isMade = created.kind === "message" || created.kind === "repeated";
  return isMade ? (SessionId.safeParse(Reflect.get(created.message, "sessionId")).data ?? null) : null;
}

function failed(hooks: IncomingHooks, name: string, answer: Answer): Started {
  if (answer.kind !== "refused") throw new Error(`a hook was answered with ${answer.kind}`);
  hooks.ended(name, { problem: answer.refusal.message });
  return { refusal: answer.refusal };
}
