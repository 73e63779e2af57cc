import { describe, expect, it } from "bun:test";
import { roundsOf, type SeededRandom, seededRandom } from "../../../tests/support/seeded-random.ts";
import { packEnd, packUri, withoutPack } from "../../protocol/conversation-pack.ts";
import type { Entry, UserEntry } from "../../protocol/entry.ts";
import { EntryId, SessionId, TurnId } from "../../protocol/ids.ts";
import { itemOf, PACK_CHARS_MAX, type PackInput, packBudgetChars, packConversation } from "./pack-conversation.ts";

const AT = "2026-05-01T10:20:30.000Z";
const URI = packUri(SessionId.parse("builtin:reader"));
const AGENT = "Liminal Guide";

function words(random: SeededRandom, charsMax: number): string {
  const text = Array.from({ length: 1 + random.between(0, 12) }, () => `w${random.between(0, 1_000)}`).join(
    random.fraction() < 0.2 ? "\n" : " ",
  );
  return text.repeat(1 + random.between(0, Math.floor(charsMax / text.length)));
}

function conversation(random: SeededRandom): Entry[] {
  const entries: Entry[] = [];
  const turns = random.between(1, 20);
  for (let turn = 0; turn < turns; turn++) {
    const base = () => ({ entryId: EntryId.parse(`e${entries.length}`), turnId: TurnId.parse(`t${turn}`) });
    entries.push({ ...base(), type: "user", content: words(random, 3_000), timestamp: AT });
    for (let step = random.between(0, 6); step > 0; step--) {
      const tool = { toolCallId: `c${entries.length}`, name: "Run", status: "complete", content: "" } as const;
      entries.push(
        random.fraction() < 0.3
          ? { ...base(), type: "thinking", content: words(random, 500) }
          : {
              ...base(),
              type: "tool-call",
              ...tool,
              kind: "execute",
              input: { command: "ls" },
              result: words(random, 900),
            },
      );
    }
    entries.push({ ...base(), type: "assistant", content: words(random, 4_000), timestamp: AT });
  }
  return entries;
}

function inputOf(entries: readonly Entry[], budgetChars: number): PackInput {
  const first = entries.find((entry): entry is UserEntry => entry.type === "user") ?? null;
  return {
    uri: URI,
    title: "Fix it",
    entries: entries.map((entry) => ({ entry, agent: AGENT })),
    first,
    older: 0,
    budgetChars,
  };
}

describe("CV-18 a pack", () => {
  it("never exceeds its budget, never cuts inside an item, and is the same for the same entries", () => {
    for (let round = 0; round < roundsOf(300); round++) {
      const random = seededRandom(`pack-${round}`);
      const entries = conversation(random);
      const budget = packBudgetChars(random.fraction() < 0.3 ? null : random.between(0, 80_000));
      const pack = packConversation(inputOf(entries, budget));
      expect(pack?.content.length).toBeLessThanOrEqual(budget);
      expect(pack?.context.chars).toBe(pack?.content.length ?? -1);
      expect(packConversation(inputOf(structuredClone(entries), budget))).toEqual(pack);
      let rest = pack?.content ?? "";
      // Whole items, oldest first; what is left then are headings, and lines for turns that did not fit.
      for (const entry of entries) {
        const item = itemOf(entry, AGENT);
        if (item !== null) rest = rest.replace(item, () => "");
      }
      for (const line of rest.split("\n")) {
        const isKnown =
          /^(?:$|liminal:|#|This is history|\d+ turns are told|- |\(An? (?:message|answer) of \d+|End of )/.test(line);
        expect({ round, line, isKnown }).toEqual({ round, line, isKnown: true });
      }
      const told = entries.filter((entry) => pack?.content.includes(itemOf(entry, AGENT) ?? "\u0000"));
      const last = entries.at(-1);
      if (
        last &&
        (itemOf(last, AGENT)?.length ?? 0) + 800 <
          budget - (entries.findLast(({ type }) => type === "user")?.content.length ?? 0)
      )
        expect(told).toContain(last);
    }
  });

  it("includes the last turn, the first request, the open plan and the files before older turns", () => {
    const at = (id: string, turn: string) => ({ entryId: EntryId.parse(id), turnId: TurnId.parse(turn) });
    const entries: Entry[] = [
      { ...at("a", "1"), type: "user", content: "Build a bridge.", timestamp: AT },
      { ...at("b", "1"), type: "assistant", content: "x".repeat(30_000), timestamp: AT },
      {
        ...at("p", "1"),
        type: "plan",
        content: "",
        items: [{ content: "Paint it", priority: "high", status: "pending" }],
      },
      { ...at("c", "2"), type: "user", content: "Now the railing.", timestamp: AT },
      {
        ...at("d", "2"),
        type: "tool-call",
        toolCallId: "1",
        name: "Edit",
        status: "complete",
        content: "",
        kind: "edit",
        parts: [{ type: "diff", path: "src/rail.ts", oldText: "a\n", newText: "b\nc\n" }],
      },
      { ...at("e", "2"), type: "assistant", content: "The railing stands.", timestamp: AT },
    ];
    const { content = "", context } = packConversation(inputOf(entries, 4_000)) ?? {};
    for (const told of [
      "Build a bridge.",
      "Now the railing.",
      "The railing stands.",
      "- [ ] Paint it",
      "- src/rail.ts",
      "- edit src/rail.ts +2 −1",
      "(in short: 0 tool calls, an answer of 30000 characters)",
    ])
      expect(content).toContain(told);
    expect(context).toMatchObject({ turns: 2, omitted: 0 });
    expect(content.startsWith(URI)).toBe(true);
    expect(content.endsWith(packEnd(URI))).toBe(true);
    expect(packConversation(inputOf([], PACK_CHARS_MAX))).toBeNull();
  });

  it("is separated from the user's message in a replay, as text, as a link and in a tag", () => {
    const { content = "" } = packConversation(inputOf(conversation(seededRandom("replay")), 9_000)) ?? {};
    for (const replayed of [
      `hi\n\n${content}`,
      `hi\n<context ref="${URI}">\n${content}\n</context>`,
      `hi[@builtin](${URI})\n${content}`,
    ])
      expect(withoutPack(replayed)).toBe("hi");
    expect(withoutPack("what is liminal://conversation/?")).toBe("what is liminal://conversation/?");
  });

  it("takes at most a quarter of the context", () => {
    expect([null, 200_000, 16_000, 10].map(packBudgetChars)).toEqual([48_000, 48_000, 12_000, 2_000]);
  });
});
