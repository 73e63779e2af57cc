import type { ComposerEvent, ComposerState, ComposerStep, Outgoing } from "./composer-state.ts";

/** What happens to the composer, and what it asks for. Pure: ids and the state of the turn come with the event. */
export function stepComposer(state: ComposerState, event: ComposerEvent): ComposerStep {
  switch (event.type) {
    case "typed":
      return stay({ ...state, text: event.text, isCancelArmed: false });
    case "submitted":
      return submit(state, event);
    case "confirmed":
      return stay({ ...state, outgoing: state.outgoing.filter(({ commandId }) => !event.commandIds.has(commandId)) });
    case "refused":
      return stay(takeBack({ ...state, error: event.message }, event.commandId));
    case "draft-received":
      return stay(receiveDraft(state, event.content));
    case "draft-kept":
      return stay({ ...state, keptDraft: event.content });
    case "queued-taken":
      return stay(putBack({ ...state, error: null }, event.item));
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
  const attachments = isTyped ? state.attachments : [];
  if (content.trim() === "" && attachments.length === 0) return stay(state);
  const message: Outgoing = {
    commandId: event.commandId,
    content,
    ...(attachments.length > 0 ? { attachments } : {}),
    place: event.isTurnActive ? "queue" : "transcript",
  };
  const left = isTyped ? { text: "", attachments: [] } : {};
  const next = { ...state, ...left, outgoing: [...state.outgoing, message], error: null, isCancelArmed: false };
  return { state: next, effects: [{ type: "send", message }] };
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
  };
}

/** The draft of another window, or of before, never overwrites what is being typed here. */
function receiveDraft(state: ComposerState, content: string): ComposerState {
  const isUntouched = state.text === state.keptDraft;
  return { ...state, keptDraft: content, text: isUntouched ? content : state.text };
}

function pressEscape(state: ComposerState, isTurnActive: boolean): ComposerStep {
  if (!isTurnActive) return stay({ ...state, isCancelArmed: false });
  if (!state.isCancelArmed) return stay({ ...state, isCancelArmed: true });
  return { state: { ...state, isCancelArmed: false }, effects: [{ type: "cancel" }] };
}
