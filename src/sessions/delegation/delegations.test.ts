import { describe, expect, it } from "bun:test";
import { BINDING, PROJECT, sessionRow } from "../../../tests/core/names.ts";
import { openStore, type TestStore } from "../../../tests/core/open-store.ts";
import { NO_CONTINUATION } from "../../ports/session-log.ts";
import type { Delegator } from "../../protocol/delegation.ts";
import { SessionId, TurnId } from "../../protocol/ids.ts";
import { EMPTY_SESSION } from "../../protocol/session-schema.ts";
import { SqliteDelegationStore } from "../../store/sqlite-delegation-store.ts";
import { Delegations, isRefusal, TREE_LIMITS, type TreeLimits } from "./delegations.ts";

const id = (name: string) => SessionId.parse(`builtin:${name}`);

function scene(store: TestStore, limits: Partial<TreeLimits> = {}) {
  const delegations = new Delegations({
    store: store.delegations,
    limits: { ...TREE_LIMITS, ...limits },
    keepChildren: false,
  });
  /** Creates a child as the session service does: admitted, stored, counted. */
  const make = async (parentId: Delegator, name: string, budget = {}): Promise<boolean> => {
    const admitted = await delegations.admitChild(parentId, budget, id(name));
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
  it("O-6 counts levels from the top, and includes reserved slots", async () => {
    await using store = await openStore();
    await store.log.create(sessionRow(id("top")), BINDING, null);
    const { make, delegations } = scene(store, { depthMax: 2, childrenMax: 2 });
    expect([await make(id("top"), "a"), await make(id("a"), "b"), await make(id("b"), "c")]).toEqual([
      true,
      true,
      false,
    ]);
    expect(await store.delegations.get(id("b"))).toEqual({
      parentId: id("a"),
      rootId: id("top"),
      depth: 2,
      budget: {},
    });
    const promised = await delegations.admitChild(id("top"), {}, id("promised"));
    expect(await make(id("top"), "one too many")).toBe(false);
    if (!isRefusal(promised)) promised[Symbol.dispose]();
    expect([await make(id("top"), "d"), await make(id("top"), "e")]).toEqual([true, false]);
    expect(await make(null, "outside")).toBe(true);
    expect(await store.delegations.children(null)).toEqual([id("outside")]);
  });

  it("O-6 agents asked for at once share the places that are left", async () => {
    await using store = await openStore();
    await store.log.create(sessionRow(id("top")), BINDING, null);
    const { delegations } = scene(store, { childrenMax: 2, runningMax: 3 });
    const admitted = async (admit: (nth: number) => Promise<Parameters<typeof isRefusal>[0]>) =>
      (await Promise.all(Array.from({ length: 6 }, (_, nth) => admit(nth)))).filter((one) => !isRefusal(one)).length;
    expect(await admitted((nth) => delegations.admitChild(id("top"), {}, id(`child ${nth}`)))).toBe(2);
    expect(await admitted(() => delegations.admitTurn(id("top"), null))).toBe(3);
  });

  it("O-6 an agent that is stored while places are counted is not overlooked", async () => {
    await using store = await openStore();
    await store.log.create(sessionRow(id("top")), BINDING, null);
    let onCounted = async (): Promise<void> => undefined;
    const liveChildren = async (by: Delegator) => {
      const live = await store.delegations.liveChildren(by);
      await onCounted();
      return live;
    };
    const slow = { ...store, delegations: Object.assign(new SqliteDelegationStore(store.db), { liveChildren }) };
    const { delegations } = scene(slow, { childrenMax: 1 });
    const first = await delegations.admitChild(id("top"), {}, id("a"));
    if (isRefusal(first)) throw new Error("a place is free");
    onCounted = async () => {
      onCounted = async () => undefined;
      await store.log.create(sessionRow(id("a")), BINDING, null, first.delegation);
      first[Symbol.dispose]();
    };
    expect(isRefusal(await delegations.admitChild(id("top"), {}, id("b")))).toBe(true);
  });

  it("O-6 an agent that is stored and still holds its place counts once", async () => {
    await using store = await openStore();
    await store.log.create(sessionRow(id("top")), BINDING, null);
    const { delegations, make, turn } = scene(store, { childrenMax: 2, runningMax: 2 });
    const first = await delegations.admitChild(id("top"), {}, id("a"));
    if (isRefusal(first)) throw new Error("a place is free");
    await store.log.create(sessionRow(id("a")), BINDING, null, first.delegation);
    expect(await make(id("top"), "b")).toBe(true);
    const working = await delegations.admitTurn(id("top"), null);
    if (isRefusal(working)) throw new Error("a place is free");
    working.child = id("a");
    await turn("a", "running");
    expect(isRefusal(await delegations.admitTurn(id("b"), id("b")))).toBe(false);
    expect(isRefusal(await delegations.admitTurn(id("top"), null))).toBe(true);
  });

  it("X-20 the budget of any ancestor stops work below it, and none beside it", async () => {
    await using store = await openStore();
    const { make, turn, delegations } = scene(store);
    await make(null, "a", { turns: 1 });
    await make(id("a"), "b");
    await make(null, "c");
    await turn("b", "running");
    await turn("b", "idle");
    expect(isRefusal(await delegations.admitTurn(id("b"), id("b")))).toBe(true);
    expect(await make(id("a"), "d")).toBe(false);
    expect(isRefusal(await delegations.admitTurn(id("c"), id("c")))).toBe(false);
  });
});
