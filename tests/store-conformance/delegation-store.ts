import { describe, expect, it } from "bun:test";
import type { Delegation } from "../../src/ports/delegation-store.ts";
import type { Delegator } from "../../src/protocol/delegation.ts";
import { Program, SessionId } from "../../src/protocol/ids.ts";
import { EMPTY_CONFIG, type Turn } from "../../src/protocol/session-parts.ts";
import { LogWriter } from "../core/log-writer.ts";
import { BINDING, SESSION, sessionRow, turnId } from "../core/names.ts";
import { type OpenStores, openScene } from "./open-scene.ts";

const STARTED_AT = "2026-01-01T00:00:00.000Z";
const id = (name: string) => SessionId.parse(`builtin:${name}`);

async function scene(open: OpenStores) {
  const at = await openScene(open);
  const writers = new Map<string, LogWriter>();
  const make = async (by: Delegator, name: string, extra: Partial<Delegation> = {}): Promise<LogWriter> => {
    const parentId = SessionId.safeParse(by).data ?? null;
    const binding = { ...BINDING, agentSessionId: name };
    await at.log.create(sessionRow(id(name)), binding, null, { parentId, rootId: by, depth: 1, budget: {}, ...extra });
    const writer = new LogWriter(() => at.log, id(name));
    writers.set(name, writer);
    return writer;
  };
  const turn = async (name: string, state: Turn["state"], turn = "t", lastActiveAt = "2026-01-01T00:00:02.000Z") =>
    await writers
      .get(name)
      ?.write([{ type: "session:turn", turn: { state, turnId: turnId(turn), startedAt: STARTED_AT } }], {
        lastActiveAt,
      });
  return Object.assign(at, { make, turn });
}

export function describeDelegationStore(name: string, open: OpenStores): void {
  describe(`${name}: DelegationStore`, () => {
    it("O-6 returns parents and children, oldest first, over a restart; a program and its absence are two delegators", async () => {
      await using at = await scene(open);
      const program = Program.parse("@one");
      const budget = { turns: 3, cost: 0.5 };
      await at.make(SESSION, "a", { budget });
      await at.make(SESSION, "b");
      await at.make(id("a"), "below", { rootId: SESSION, depth: 2 });
      await at.make(program, "of a program");
      await at.make(null, "of none");
      await at.reopen();
      const { delegations } = at.stores;
      expect(await delegations.get(SESSION)).toBeNull();
      expect(await delegations.get(id("a"))).toEqual({ parentId: SESSION, rootId: SESSION, depth: 1, budget });
      expect(await delegations.get(id("below"))).toMatchObject({ parentId: id("a"), rootId: SESSION, depth: 2 });
      expect(await delegations.get(id("of a program"))).toMatchObject({ parentId: null, rootId: program });
      expect(await delegations.children(SESSION)).toEqual([id("a"), id("b")]);
      expect(await delegations.children(program)).toEqual([id("of a program")]);
      expect(await delegations.children(null)).toEqual([id("of none")]);
      expect((await at.log.row(id("below")))?.parentId).toBe(id("a"));
    });

    it("O-6 killed and archived children are no longer live, and still children", async () => {
      await using at = await scene(open);
      const killed = await at.make(SESSION, "killed");
      const archived = await at.make(SESSION, "archived");
      await at.make(SESSION, "live");
      const ofProgram = await at.make(null, "of a program");
      await at.make(null, "also");
      await killed.write([], { binding: { ...BINDING, agentSessionId: "killed", state: "closed" } });
      await archived.write([{ type: "session:archived" }]);
      await ofProgram.write([{ type: "session:archived" }]);
      const { delegations } = at.stores;
      expect(await delegations.liveChildren(SESSION)).toEqual([id("live")]);
      expect(await delegations.children(SESSION)).toEqual([id("killed"), id("archived"), id("live")]);
      expect(await delegations.liveOfPrograms()).toEqual([id("also")]);
    });

    it("O-6 children that go on although their parent was ended are orphans", async () => {
      await using at = await scene(open);
      const parent = await at.make(SESSION, "parent");
      await at.make(id("parent"), "child", { rootId: SESSION, depth: 2 });
      const ended = await at.make(id("parent"), "ended", { rootId: SESSION, depth: 2 });
      await ended.write([{ type: "session:archived" }]);
      expect(await at.stores.delegations.orphans()).toEqual([]);
      await parent.write([], { binding: { ...BINDING, agentSessionId: "parent", state: "closed" } });
      expect(await at.stores.delegations.orphans()).toEqual([id("child")]);
    });

    it("O-7 sessions with armed waits are found after a restart, and no longer when they were woken", async () => {
      await using at = await scene(open);
      await at.make(SESSION, "a");
      const wait = { waitId: "w", agentIds: [id("a")], until: "all", armedAt: STARTED_AT } as const;
      await at.writer.write([{ type: "session:waits", items: [{ ...wait, agentIds: [...wait.agentIds] }] }]);
      await at.reopen();
      expect(await at.stores.delegations.waiting()).toEqual([SESSION]);
      expect((await at.log.row(SESSION))?.waitsForAgents).toBe(true);
      await at.writer.write([{ type: "session:waits", items: [] }]);
      expect(await at.stores.delegations.waiting()).toEqual([]);
    });

    it("X-20 counts a turn once, however often it is reported, and the time until its last event", async () => {
      await using at = await scene(open);
      const { delegations } = at.stores;
      await at.make(null, "a");
      for (const state of ["running", "running", "idle"] as const) await at.turn("a", state);
      await at.turn("a", "running", "u");
      expect(await delegations.running(null)).toEqual([id("a")]);
      await at.reopen();
      expect(await at.stores.delegations.spentBy(id("a"))).toEqual({ turns: 2, tokens: 0, cost: 0, workMs: 2_000 });
      await at.turn("a", "idle", "u", "2026-01-01T00:00:00.500Z");
      expect((await at.stores.delegations.spentBy(id("a"))).workMs).toBe(2_500);
      expect(await at.stores.delegations.running(null)).toEqual([]);
    });

    it("X-20 usage is that of the session and of all below it, at any depth, and of no other session", async () => {
      await using at = await scene(open);
      for (const [by, child] of [
        [SESSION, "a"],
        [id("a"), "b"],
        [id("b"), "c"],
        [SESSION, "beside"],
      ] as const) {
        const writer = await at.make(by, child, { rootId: SESSION });
        await at.turn(child, "running");
        const usage = { used: 5, size: 100, tokens: 10, cost: { amount: 0.25, currency: "USD" } };
        await writer.write([{ type: "session:config", config: { ...EMPTY_CONFIG, usage } }]);
      }
      const spent = async (sessionId: SessionId) => {
        const { turns, tokens, cost } = await at.stores.delegations.spentBy(sessionId);
        return [turns, tokens, cost];
      };
      expect(await spent(id("c"))).toEqual([1, 10, 0.25]);
      expect(await spent(id("a"))).toEqual([3, 30, 0.75]);
      expect(await spent(SESSION)).toEqual([4, 40, 1]);
      expect(await spent(id("nobody"))).toEqual([0, 0, 0]);
      expect((await at.stores.delegations.running(SESSION)).toSorted()).toEqual(
        ["a", "b", "beside", "c"].map((one) => id(one)),
      );
    });

    it("O-6 a session that could not be created delegates nothing", async () => {
      await using at = await scene(open);
      await at.make(SESSION, "a");
      await expect(at.make(SESSION, "a")).rejects.toThrow();
      expect(await at.stores.delegations.children(SESSION)).toEqual([id("a")]);
    });
  });
}
