import { describe, expect, test } from "bun:test";
import type { Entry } from "../../protocol/entry.ts";
import { CommandId, EntryId } from "../../protocol/ids.ts";
import {
  type ComposerEvent,
  type ComposerState,
  EMPTY_COMPOSER,
  NOTHING_ATTACHED,
  recallMessage,
  stepComposer,
  takeMessage,
} from "./composer-state.ts";

const c1 = CommandId.parse("c1");
const after = (...events: readonly ComposerEvent[]) =>
  events.reduce<ComposerState>((state, event) => stepComposer(state, event).state, EMPTY_COMPOSER);
const typed = (text: string): ComposerEvent => ({ type: "typed", text });
const submitted: ComposerEvent = { type: "submitted", commandId: c1, isTurnActive: false };

describe("sending", () => {
  test("[TC-3.1a] a sent message leaves the composer and is pending at once", () => {
    const { state, effects } = stepComposer(after(typed("hello")), submitted);
    const message = { commandId: c1, content: "hello", place: "transcript" } as const;
    expect(effects).toEqual([{ type: "send", message }]);
    expect(state).toMatchObject({ text: "", outgoing: [message] });
  });

  test("[TC-3.1b] an empty message is not sent", () => {
    expect(stepComposer(after(typed(" \n ")), submitted)).toEqual({ state: after(typed(" \n ")), effects: [] });
  });

  test("[X-6] during a turn it waits in the queue", () => {
    expect(after(typed("next"), { ...submitted, isTurnActive: true }).outgoing).toMatchObject([{ place: "queue" }]);
  });

  test("an example prompt leaves the typed text unchanged", () => {
    expect(after(typed("mine"), { ...submitted, content: "help" })).toMatchObject({
      text: "mine",
      outgoing: [{ content: "help" }],
    });
  });

  test("a confirmed message is no longer pending", () => {
    expect(after(typed("a"), submitted, { type: "confirmed", commandIds: new Set([c1]) }).outgoing).toEqual([]);
  });

  test("a refused message returns with the reason, before newer text", () => {
    const refused: ComposerEvent = { type: "refused", commandId: c1, message: "Over the limit." };
    expect(after(typed("first"), submitted, refused)).toMatchObject({
      text: "first",
      outgoing: [],
      error: "Over the limit.",
    });
    expect(after(typed("first"), submitted, typed("second"), refused).text).toBe("first\n\nsecond");
  });

  test("a refusal of something else only shows the reason", () => {
    const state = after(typed("first"), submitted, { type: "refused", message: "No." });
    expect(state).toMatchObject({ text: "", outgoing: [{ content: "first" }], error: "No." });
  });
});

describe("drafts", () => {
  const draft = (content: string): ComposerEvent => ({ type: "draft-received", content });

  test("a stored draft is restored", () => {
    expect(after(draft("half a thought")).text).toBe("half a thought");
  });

  test("a draft never overwrites typed text", () => {
    expect(after(draft("old"), typed("old and new"), draft("from elsewhere")).text).toBe("old and new");
  });

  test("untouched text follows the draft of another window", () => {
    expect(
      after(
        typed("mine"),
        { type: "draft-kept", content: "mine", attachments: NOTHING_ATTACHED },
        draft("mine, longer"),
      ).text,
    ).toBe("mine, longer");
  });
});

describe("cancelling and the queue", () => {
  const pressed: ComposerEvent = { type: "escape-pressed", isTurnActive: true };

  test("[TC-3.7b] Esc asks once, then cancels", () => {
    const asked = stepComposer(EMPTY_COMPOSER, pressed);
    expect(asked).toMatchObject({ state: { isCancelArmed: true }, effects: [] });
    expect(stepComposer(asked.state, pressed)).toMatchObject({
      state: { isCancelArmed: false },
      effects: [{ type: "cancel" }],
    });
  });

  test("[TC-3.7c] Esc without a turn does nothing, and typing resets the first Esc", () => {
    expect(stepComposer(EMPTY_COMPOSER, { ...pressed, isTurnActive: false }).effects).toEqual([]);
    expect(after(pressed, typed("x")).isCancelArmed).toBe(false);
  });

  test("[X-6] a recalled queued message brings its attachments, and is sent with them again", () => {
    const attachments = [{ type: "text", text: "note" }] as const;
    const taken = after({
      type: "queued-taken",
      item: { commandId: c1, content: "queued", attachments: [...attachments] },
      aheadOf: [],
    });
    expect(taken).toMatchObject({ text: "queued", attachments });
    expect(stepComposer(taken, submitted).effects).toMatchObject([{ message: { content: "queued", attachments } }]);
  });

  test("[X-6] an edited message returns to its position, and the draft from before stays (A12)", () => {
    const taken: ComposerEvent = { type: "queued-taken", item: { commandId: c1, content: "queued" }, aheadOf: [c1] };
    const edited = stepComposer(after(typed("mine"), taken, typed("changed")), { ...submitted, isTurnActive: true });
    expect(edited).toMatchObject({
      state: { text: "mine", editing: null },
      effects: [{ message: { content: "changed", aheadOf: [c1], place: "queue" } }],
    });
    const ended = (hasQueue: boolean) =>
      stepComposer(after(typed("mine"), taken, typed("changed")), { type: "edit-ended", commandId: c1, hasQueue });
    expect(ended(true)).toMatchObject({
      state: { text: "mine", editing: null, isCancelArmed: false },
      effects: [{ message: { content: "queued", aheadOf: [c1] } }],
    });
    expect(ended(false)).toMatchObject({ state: { text: "changed\n\nmine", editing: null }, effects: [] });
  });

  test("[X-6] Esc ends an edit before it asks about the turn (A12)", () => {
    const recalled = after({ type: "recalled", text: "earlier", back: 1 }, pressed);
    expect(recalled).toMatchObject({ text: "", recalled: null, isCancelArmed: false });
  });
});

describe("mentions and attachments", () => {
  const link = { type: "link", uri: "file:///demo/src/a.ts", name: "src/a.ts" } as const;
  const image = { type: "image", mimeType: "image/png", data: "AAAA" } as const;
  const attached = (...parts: readonly (typeof link | typeof image)[]): ComposerEvent => ({ type: "attached", parts });
  const sentWith = (state: ComposerState) => stepComposer(state, submitted).effects;

  test("[X-7] a mention is sent as a link once, and not if its text is deleted", () => {
    const mentioned = [attached(link), typed("see @src/a.ts and @src/a.ts"), attached(link)];
    expect(after(...mentioned).attachments).toEqual([link]);
    expect(sentWith(after(...mentioned))).toMatchObject([{ message: { attachments: [link] } }]);
    expect(sentWith(after(...mentioned, typed("see nothing")))).toMatchObject([
      { message: { content: "see nothing" } },
    ]);
    expect(JSON.stringify(sentWith(after(...mentioned, typed("see nothing"))))).not.toContain("attachments");
    expect(sentWith(after(...mentioned, typed(""), typed("back: @src/a.ts")))).toMatchObject([
      { message: { attachments: [link] } },
    ]);
  });

  test("[X-7] a deleted mention is detached at once, and attached again with its text (A11)", () => {
    const longer = { type: "link", uri: "file:///demo/src/a.tsx", name: "src/a.tsx" } as const;
    const mentioned = after(attached(link), typed("see @src/a.ts."));
    expect(mentioned.attachments).toEqual([link]);
    const deleted = stepComposer(mentioned, typed("see @src/a")).state;
    expect(deleted.attachments).toEqual([]);
    expect(stepComposer(deleted, typed("see @src/a.ts")).state.attachments).toEqual([link]);
    const other = after(attached(link), typed("@src/a.ts"), { type: "attached", parts: [longer] }, typed("@src/a.tsx"));
    expect(other.attachments).toEqual([longer]);
  });

  test("[X-7] a link that was never in the text is sent anyway", () => {
    expect(sentWith(after(attached(link), typed("x")))).toMatchObject([{ message: { attachments: [link] } }]);
  });

  test("[X-7] an image can be sent without text, and can be removed again", () => {
    expect(sentWith(after(attached(image)))).toMatchObject([{ message: { content: "", attachments: [image] } }]);
    const { attachments } = after(attached(image));
    const [part] = attachments;
    expect(part && after(attached(image), { type: "detached", part }).attachments).toEqual([]);
  });

  test("a draft brings its attachments, and never overwrites those attached here", () => {
    const draft: ComposerEvent = { type: "draft-received", content: "x", attachments: [image] };
    expect(after(draft)).toMatchObject({ text: "x", attachments: [image] });
    expect(after(draft, { type: "draft-received", content: "y" })).toMatchObject({ text: "y", attachments: [image] });
    expect(after(attached(link), draft)).toMatchObject({ text: "", attachments: [link] });
  });

  test("[X-6] a message to be resent is marked until it is sent or dropped", () => {
    const taken: ComposerEvent = { type: "message-taken", content: "again", attachments: [image] };
    expect(after(taken)).toMatchObject({ text: "again", attachments: [image], isRepeat: true });
    expect(after(taken, typed("")).isRepeat).toBe(false);
    expect(after(taken, submitted).isRepeat).toBe(false);
  });

  test("[X-6] steering needs a running turn", () => {
    const steered: ComposerEvent = { ...submitted, isTurnActive: true, steers: true };
    expect(stepComposer(after(typed("now")), steered).effects).toMatchObject([{ message: { steers: true } }]);
    expect(
      JSON.stringify(stepComposer(after(typed("now")), { ...steered, isTurnActive: false }).effects),
    ).not.toContain("steers");
  });
});

const said = (id: string, content: string): Entry => ({
  type: "user",
  entryId: EntryId.parse(id),
  content,
  timestamp: "",
});
const answer: Entry = { type: "assistant", entryId: EntryId.parse("a"), content: "no", timestamp: "" };
const ENTRIES = [said("1", "first"), answer, said("2", "again"), said("3", "again"), answer, said("4", "")];

test("[X-6] own messages are recalled one by one, without repeats and empty ones", () => {
  const text = (back: number) => recallMessage(ENTRIES, back);
  expect(text(1)).toEqual({ type: "recalled", text: "again", back: 1 });
  expect(text(2)).toEqual({ type: "recalled", text: "first", back: 2 });
  expect(text(3)).toBeNull();
  expect(text(0)).toEqual({ type: "recalled", text: "", back: null });
});

test("[X-6] any user message can be sent again, an answer cannot", () => {
  expect(takeMessage(ENTRIES, "1")).toEqual({ type: "message-taken", content: "first", attachments: undefined });
  expect(takeMessage(ENTRIES, "a")).toBeNull();
  expect(takeMessage(ENTRIES, "unknown")).toBeNull();
});
