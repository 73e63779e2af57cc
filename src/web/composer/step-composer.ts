import type { Part } from "../../protocol/entry.ts";
import {
  type ComposerEvent,
  type ComposerState,
  type ComposerStep,
  isMentioned,
  NOTHING_ATTACHED,
  type Outgoing,
} from "./composer-state.ts";

/** What happens to the composer, and what it asks for. Pure: ids and the state of the turn come with the event. */
export function stepComposer(before: ComposerState, event: ComposerEvent): ComposerStep {
  const { state, effects } = step(before, event);
  return { state: noteMentions(before, state), effects };
}

function step(state: ComposerState, event: ComposerEvent): ComposerStep {
  switch (event.type) {
    case "typed":
      return stay({
        ...state,
        text: event.text,
        isCancelArmed: false,
        recalled: null,
        isRepeat: state.isRepeat && event.text !== "",
      });
    case "submitted":
      return submit(state, event);
    case "attached":
      return stay({
        ...state,
        attachments: [...state.attachments, ...event.parts.filter((part) => !isThere(state, part))],
      });
    case "detached":
      return stay({ ...state, attachments: state.attachments.filter((part) => part !== event.part) });
    case "confirmed":
      return stay({ ...state, outgoing: state.outgoing.filter(({ commandId }) => !event.commandIds.has(commandId)) });
    case "refused":
      return stay(takeBack({ ...state, error: event.message }, event.commandId));
    case "draft-received":
      return stay(receiveDraft(state, event));
    case "draft-kept":
      return stay({ ...state, keptDraft: event.content, keptAttachments: event.attachments });
    case "queued-taken":
      return stay(putBack({ ...state, error: null }, event.item));
    case "message-taken":
      return stay({ ...putBack({ ...state, error: null }, event), isRepeat: true });
    case "recalled":
      return stay({ ...state, text: event.text, recalled: event.back, isCancelArmed: false });
    case "escape-pressed":
      return pressEscape(state, event.isTurnActive);
    case "escape-forgotten":
      return stay({ ...state, isCancelArmed: false });
    case "error-dismissed":
      return stay({ ...state, error: null });
    default:
      return event satisfies never;
  }
}

function stay(state: ComposerState): ComposerStep {
  return { state, effects: [] };
}

function submit(state: ComposerState, event: Extract<ComposerEvent, { type: "submitted" }>): ComposerStep {
  const content = event.content ?? state.text;
  const isTyped = event.content === undefined;
  const attachments = isTyped ? state.attachments.filter((part) => goesOut(state, part)) : [];
  if (content.trim() === "" && attachments.length === 0) return stay(state);
  const message: Outgoing = {
    commandId: event.commandId,
    content,
    ...(attachments.length > 0 ? { attachments } : {}),
    place: event.isTurnActive ? "queue" : "transcript",
    ...(event.steers && event.isTurnActive ? { steers: true } : {}),
  };
  const left = isTyped
    ? { text: "", attachments: NOTHING_ATTACHED, mentioned: new Set<string>(), recalled: null, isRepeat: false }
    : {};
  const next = { ...state, ...left, outgoing: [...state.outgoing, message], error: null, isCancelArmed: false };
  return { state: next, effects: [{ type: "send", message }] };
}

/** A file whose mention was deleted is not meant any more. */
function goesOut({ text, mentioned }: ComposerState, part: Part): boolean {
  return part.type !== "link" || !mentioned.has(part.uri) || isMentioned(text, part);
}

/** The same file mentioned twice is linked once. */
function isThere({ attachments }: ComposerState, part: Part): boolean {
  return part.type === "link" && attachments.some((one) => one.type === "link" && one.uri === part.uri);
}

/** Remembers which links have stood in the text. */
function noteMentions(before: ComposerState, state: ComposerState): ComposerState {
  if (state.attachments.length === 0 || (state.text === before.text && state.attachments === before.attachments))
    return state;
  const seen = state.attachments.flatMap((part) =>
    part.type === "link" && isMentioned(state.text, part) ? [part.uri] : [],
  );
  return seen.every((uri) => state.mentioned.has(uri))
    ? state
    : { ...state, mentioned: new Set([...state.mentioned, ...seen]) };
}

/** A refused message goes back where it was written. */
function takeBack(state: ComposerState, commandId: Outgoing["commandId"] | undefined): ComposerState {
  const refused = state.outgoing.find((message) => message.commandId === commandId);
  if (refused === undefined) return state;
  return putBack({ ...state, outgoing: state.outgoing.filter((message) => message !== refused) }, refused);
}

/** Before whatever was typed since: neither text is lost. */
function putBack(state: ComposerState, message: Pick<Outgoing, "content" | "attachments">): ComposerState {
  return {
    ...state,
    text: state.text.trim() === "" ? message.content : `${message.content}\n\n${state.text}`,
    attachments: [...(message.attachments ?? []), ...state.attachments],
    recalled: null,
  };
}

/** The draft of another window, or of before, never overwrites what is being typed here. */
function receiveDraft(state: ComposerState, event: Extract<ComposerEvent, { type: "draft-received" }>): ComposerState {
  const { content, attachments = state.keptAttachments } = event;
  const isUntouched = state.text === state.keptDraft && state.attachments === state.keptAttachments;
  const kept = { ...state, keptDraft: content, keptAttachments: attachments };
  return isUntouched ? { ...kept, text: content, attachments, recalled: null } : kept;
}

function pressEscape(state: ComposerState, isTurnActive: boolean): ComposerStep {
  if (!isTurnActive) return stay({ ...state, isCancelArmed: false });
  if (!state.isCancelArmed) return stay({ ...state, isCancelArmed: true });
  return { state: { ...state, isCancelArmed: false }, effects: [{ type: "cancel" }] };
}
