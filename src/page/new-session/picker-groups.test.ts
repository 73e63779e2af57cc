import { describe, expect, it } from "bun:test";
import { AgentInfo } from "../../protocol/server-messages.ts";
import { matchesFilter } from "../agents/matches-filter.ts";
import { pickerGroups } from "./picker-groups.ts";

const agent = (id: string, more: Partial<AgentInfo> = {}) =>
  AgentInfo.parse({ id, name: id, status: "idle", availability: "needs-install", capabilities: {}, ...more });
const KNOWN = [agent("claude-code"), agent("codex"), agent("builtin", { availability: "ready" })];
const REST = Array.from({ length: 8 }, (_, index) => agent(`rest-${index}`));
const ids = (agents: readonly AgentInfo[]) => agents.map(({ id }): string => id);

describe("pickerGroups", () => {
  it("[TC-2.2b] keeps few agents together, in the server's order", () => {
    expect(ids(pickerGroups(KNOWN).likely)).toEqual(["claude-code", "codex", "builtin"]);
    expect(pickerGroups(KNOWN).more).toEqual([]);
  });

  it("[TC-2.2b] puts the best known agents, and those that are usable or were tried, first, the rest below", () => {
    const mine = agent("mine", { availability: "ready" });
    const signedOut = agent("locked", { availability: "needs-sign-in" });
    const tried = agent("tried", { status: "disconnected" });
    const { likely, more } = pickerGroups([...KNOWN, mine, ...REST, signedOut, tried]);
    expect(ids(likely)).toEqual(["claude-code", "codex", "builtin", "mine", "locked", "tried"]);
    expect(ids(more)).toEqual(ids(REST));
  });
});

describe("matchesFilter", () => {
  const gemini = agent("gemini", { name: "Gemini CLI", description: "Google's command line agent." });
  it.each([
    ["", true],
    ["  GEM ", true],
    ["google cli", true],
    ["google codex", false],
  ])("%p: %p", (filter, isFound) => {
    expect(matchesFilter(gemini, filter)).toBe(isFound);
  });
});
