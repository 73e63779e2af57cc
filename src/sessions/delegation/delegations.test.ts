import { describe, expect, it } from "bun:test";
import { PROJECT } from "../../../tests/core/names.ts";
import { BINDING, openStore, sessionRow, type TestStore } from "../../../tests/core/open-store.ts";
import { NO_CONTINUATION } from "../../ports/session-log.ts";
import type { Delegator } from "../../protocol/delegation.ts";
import { SessionId, TurnId } from "../../protocol/ids.ts";
import { EMPTY_SESSION } from "../../protocol/session-schema.ts";
import { Delegations, isRefusal, TREE_LIMITS, type TreeLimits } from "./delegations.ts";

const id = (name: string) => SessionId.parse(`builtin:${name}`);

function scene(store: TestStore, limits: Partial<TreeLimits> = {}) {
  const delegations = new Delegations({
    store: store.delegations,
    limits: { ...TREE_LIMITS, ...limits },
    keepChildren: false,
  });
  /** A child is made as the session service makes one: admitted, stored, counted. */
  const make = async (parentId: Delegator, name: string, budget = {}): Promise<boolean> => {
    const admitted = delegations.admitChild(parentId, budget);
    if (isRefusal(admitted)) return false;
    using _ = admitted;
    await store.log.create({ ...sessionRow(id(name)), projectId: PROJECT }, BINDING, null, admitted.delegation);
    return true;
  };
  let seq = 0;
  const turn = async (
    name: string,
    state: "running" | "idle",
    turnId = "t",
    lastActiveAt = "2026-01-01T00:00:02.000Z",
  ) => {
    seq += 1;
    const now = { state, turnId: TurnId.parse(turnId), startedAt: "2026-01-01T00:00:00.000Z" };
    await store.log.commit(id(name), {
      ...{
        facts: [{ type: "session:turn", turn: now, sessionId: id(name), seq }],
        settled: [],
        revised: [],
        outputs: [],
      },
      ...{
        snapshot: null,
        attention: null,
        receipt: null,
        binding: null,
        continuation: NO_CONTINUATION,
        lastActiveAt,
        state: { ...EMPTY_SESSION, turn: now, seq },
      },
    });
  };
  return { delegations, make, turn };
}

describe("Delegations", () => {
  it("O-6 counts levels from the top, and places that are only promised", async () => {
    await using store = await openStore();
    await store.log.create(sessionRow(id("top")), BINDING, null);
    const { make, delegations } = scene(store, { depthMax: 2, childrenMax: 2 });
    expect([await make(id("top"), "a"), await make(id("a"), "b"), await make(id("b"), "c")]).toEqual([
      true,
      true,
      false,
    ]);
    expect(store.delegations.get(id("b"))).toEqual({ parentId: id("a"), rootId: id("top"), depth: 2, budget: {} });
    const promised = delegations.admitChild(id("top"), {});
    expect(await make(id("top"), "one too many")).toBe(false);
    if (!isRefusal(promised)) promised[Symbol.dispose]();
    expect([await make(id("top"), "d"), await make(id("top"), "e")]).toEqual([true, false]);
    expect(await make(null, "outside")).toBe(true);
    expect(store.delegations.children(null)).toEqual([id("outside")]);
  });

  it("X-20 counts a turn once, however often it is told, and the time until it was last heard", async () => {
    await using store = await openStore();
    const { make, turn } = scene(store);
    await make(null, "a");
    for (const state of ["running", "running", "idle"] as const) await turn("a", state);
    await turn("a", "running", "u");
    expect(store.delegations.running(null)).toEqual([id("a")]);
    store.reopen();
    expect(store.delegations.spentBy(id("a"))).toEqual({ turns: 2, tokens: 0, cost: 0, workMs: 2_000 });
    await turn("a", "idle", "u", "2026-01-01T00:00:00.500Z");
    expect(store.delegations.spentBy(id("a")).workMs).toBe(2_500);
    expect(store.delegations.running(null)).toEqual([]);
  });

  it("X-20 the budget of any agent on the way up stops work below it, and none beside it", async () => {
    await using store = await openStore();
    const { make, turn, delegations } = scene(store);
    await make(null, "a", { turns: 1 });
    await make(id("a"), "b");
    await make(null, "c");
    await turn("b", "running");
    await turn("b", "idle");
    expect(isRefusal(delegations.admitTurn(id("b")))).toBe(true);
    expect(await make(id("a"), "d")).toBe(false);
    expect(isRefusal(delegations.admitTurn(id("c")))).toBe(false);
  });
});
