import { describe, expect, it } from "bun:test";
import type { Entry } from "../protocol/entry.ts";
import { EntryId, ProjectId, SessionId } from "../protocol/ids.ts";
import { OWNER_ID } from "../protocol/people.ts";
import { PersonId } from "../protocol/person-ref.ts";
import { EMPTY_SESSION, type SessionState } from "../protocol/session-schema.ts";
import { RunningLimits, type RunningMax } from "./running-limits.ts";

const [ANN, BEN] = [PersonId.parse("ann"), PersonId.parse("ben")];
const [HERE, BOX] = [ProjectId.parse("here"), ProjectId.parse("box")];
const NO_LIMIT: RunningMax = { perPerson: null, perPlace: null };

function working(by: { person?: PersonId; author?: "parent" } = {}): SessionState {
  const entry: Entry = {
    type: "user",
    entryId: EntryId.parse("e"),
    content: "x",
    timestamp: "2026-01-01T00:00:00.000Z",
    ...(by.person && { person: { id: by.person, name: by.person } }),
    ...(by.author && { author: by.author }),
  };
  return { ...EMPTY_SESSION, turn: { state: "running" }, open: [entry] };
}

function scene(max: Partial<RunningMax>) {
  const sessions: { id: SessionId; state: SessionState; projectId: ProjectId }[] = [];
  const limits = new RunningLimits({
    max: { ...NO_LIMIT, ...max },
    sessions: () => sessions,
    placeOf: (project) => (project === BOX ? "box" : "here"),
  });
  return {
    limits,
    add(state: SessionState = EMPTY_SESSION, projectId = HERE) {
      const session = { id: SessionId.parse(`builtin:${sessions.length}`), state, projectId };
      sessions.push(session);
      return session;
    },
  };
}

const wordsOf = (admitted: Disposable | { message: string }) => ("message" in admitted ? admitted.message : "admitted");

describe("[SC-45] RunningLimits", () => {
  it("a person has at most the limit of working sessions, and the refusal names the limit", () => {
    const { limits, add } = scene({ perPerson: 2 });
    for (const person of [ANN, ANN, BEN]) add(working({ person }));
    expect(wordsOf(limits.admit(add(), ANN))).toBe(
      "Over the limit of 2 for sessions that work at the same time for one person. Wait until one of them has ended, or stop it. The limit is in config.json of the server.",
    );
    expect(wordsOf(limits.admit(add(), BEN))).toBe("admitted");
  });

  it("a place has at most its limit, for any person, and other places are not counted", () => {
    const { limits, add } = scene({ perPlace: 2 });
    add(working({ person: ANN }), BOX);
    add(working({ author: "parent" }), BOX);
    expect(wordsOf(limits.admit(add(EMPTY_SESSION, BOX), BEN))).toContain("at box");
    expect(wordsOf(limits.admit(add(EMPTY_SESSION, BOX), null))).toContain("Over the limit of 2");
    expect(wordsOf(limits.admit(add(), BEN))).toBe("admitted");
  });

  it("two that start at the same moment do not overlook each other, and one that failed to start is not counted", () => {
    const { limits, add } = scene({ perPerson: 1 });
    const first = limits.admit(add(), ANN);
    expect(wordsOf(limits.admit(add(), ANN))).toContain("one person");
    if ("code" in first) throw new Error("it was not admitted");
    first[Symbol.dispose]();
    expect(wordsOf(limits.admit(add(), ANN))).toBe("admitted");
  });

  it("a working session accepts more messages, and sessions that agents start count for no person", () => {
    const { limits, add } = scene({ perPerson: 1 });
    const own = add(working({ person: ANN }));
    add(working({ author: "parent" }));
    expect(wordsOf(limits.admit(own, ANN))).toBe("admitted");
    expect(wordsOf(limits.admit(add(), null))).toBe("admitted");
    expect(wordsOf(limits.admit(add(), BEN))).toBe("admitted");
  });

  it("messages without a person are the owner's, and without limits nothing is refused", () => {
    const { limits, add } = scene({ perPerson: 1 });
    add(working());
    expect(wordsOf(limits.admit(add(), OWNER_ID))).toContain("one person");
    const free = scene({});
    for (let count = 0; count < 50; count += 1) free.add(working());
    expect(wordsOf(free.limits.admit(free.add(), OWNER_ID))).toBe("admitted");
  });
});
