import { describe, expect, it } from "bun:test";
import { SessionId } from "../../protocol/ids.ts";
import { KeptTabs, keptFromTabs, tabsFromKept } from "./kept-tabs.ts";
import { closeTab, keepTabs, moveTab, NO_TABS, type OpenTabs, openTab, tabBeside } from "./open-tabs.ts";

const A = SessionId.parse("builtin:a");
const B = SessionId.parse("builtin:b");
const C = SessionId.parse("builtin:c");
const abc = (active: SessionId | null): OpenTabs => ({ order: [A, B, C], active });

describe("open tabs", () => {
  it("[TC-4.1a] [TC-4.1b] opening adds a tab, a second one becomes active and the first stays", () => {
    const one = openTab(NO_TABS, A);
    expect(one).toEqual({ order: [A], active: A });
    expect(openTab(one, B)).toEqual({ order: [A, B], active: B });
  });

  it("[TC-2.3b] [TC-4.3a] [TC-4.3b] an open one is activated in place, and the count does not grow", () => {
    expect(openTab(abc(C), A)).toEqual(abc(A));
  });

  it("[TC-4.4b] closing the active one activates the next, else the previous", () => {
    expect(closeTab(abc(B), B)).toEqual({ order: [A, C], active: C });
    expect(closeTab(abc(C), C)).toEqual({ order: [A, B], active: B });
  });

  it("closing another one keeps the active one; closing an unknown one changes nothing", () => {
    expect(closeTab(abc(B), A)).toEqual({ order: [B, C], active: B });
    const tabs: OpenTabs = { order: [A], active: A };
    expect(closeTab(tabs, B)).toBe(tabs);
  });

  it("[TC-4.4c] closing the last one leaves none active", () => {
    expect(closeTab({ order: [A], active: A }, A)).toEqual(NO_TABS);
  });

  it("[TC-1.3b] drops the tabs of deleted sessions, and shows a neighbour of the active one", () => {
    expect(keepTabs(abc(B), (id) => id === C)).toEqual({ order: [C], active: C });
    expect(keepTabs(abc(B), (id) => id === A)).toEqual({ order: [A], active: A });
    expect(keepTabs(abc(B), () => false)).toEqual(NO_TABS);
  });

  it("[TC-4.6a] moves a tab to a position counted without it", () => {
    expect(moveTab(abc(A), C, 1).order).toEqual([A, C, B]);
    expect(moveTab(abc(A), A, 2).order).toEqual([B, C, A]);
    expect(moveTab(abc(A), B, 99).order).toEqual([A, C, B]);
    expect(moveTab(abc(A), B, -1).order).toEqual([B, A, C]);
  });

  it("wraps around the ends", () => {
    expect(tabBeside(abc(C), 1)).toBe(A);
    expect(tabBeside(abc(A), -1)).toBe(C);
    expect(tabBeside(NO_TABS, 1)).toBeNull();
  });
});

describe("stored tabs", () => {
  it("[TC-4.6b] [TC-4.7a] are restored unchanged", () => {
    const tabs: OpenTabs = { order: [C, A, B], active: A };
    expect(tabsFromKept(KeptTabs.parse(JSON.parse(JSON.stringify(keptFromTabs(tabs)))))).toEqual(tabs);
  });

  it("are repaired if inconsistent: the order names only open ones, each once, and one is active", () => {
    expect(tabsFromKept({ openTabs: [A, B, B], activeTab: C, tabOrder: [C, B] })).toEqual({ order: [B, A], active: B });
  });
});
