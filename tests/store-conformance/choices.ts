import { describe, expect, it } from "bun:test";
import type { AgentLimits } from "../../src/protocol/conversations.ts";
import { CliType, ProjectId } from "../../src/protocol/ids.ts";
import { BUILTIN, NOW, PROJECT } from "../core/names.ts";
import { type OpenStores, openScene } from "./open-scene.ts";

const limits = (percent: number): AgentLimits => ({
  account: "me@example.com",
  windows: [{ name: "5 hours", used: percent / 100, resetsAt: NOW }],
});
const CODEX = CliType.parse("codex");

export function describeAgentChoices(name: string, open: OpenStores): void {
  describe(`${name}: AgentChoices and ProcessChoices`, () => {
    it("X-7 keeps the last choice of each option by agent, with its type, over a restart", async () => {
      await using at = await openScene(open);
      expect((await at.stores.choices.of(BUILTIN)).size).toBe(0);
      await at.stores.choices.remember(BUILTIN, "model", "small");
      await at.stores.choices.remember(BUILTIN, "model", "large");
      await at.stores.choices.remember(BUILTIN, "fast", false);
      await at.stores.choices.remember(BUILTIN, "says", "false");
      await at.stores.choices.remember(CODEX, "model", "other");
      await at.reopen();
      expect(Object.fromEntries(await at.stores.choices.of(BUILTIN))).toEqual({
        model: "large",
        fast: false,
        says: "false",
      });
      expect(Object.fromEntries(await at.stores.choices.of(CODEX))).toEqual({ model: "other" });
    });

    it("[X-60] keeps favourite models by agent, each once, over a restart", async () => {
      await using at = await openScene(open);
      for (const model of ["large", "small", "large"]) await at.stores.choices.setFavourite(BUILTIN, model, true);
      await at.stores.choices.setFavourite(CODEX, "other", true);
      await at.stores.choices.setFavourite(BUILTIN, "small", false);
      await at.reopen();
      expect(await at.stores.choices.favourites(BUILTIN)).toEqual(["large"]);
      expect(await at.stores.choices.favourites(CODEX)).toEqual(["other"]);
    });

    it("keeps how the processes of an agent are started, and nothing for others", async () => {
      await using at = await openScene(open);
      expect((await at.stores.choices.processes()).size).toBe(0);
      await at.stores.choices.chooseProcess(CODEX, "per-session");
      await at.stores.choices.chooseProcess(BUILTIN, "per-session");
      await at.stores.choices.chooseProcess(BUILTIN, "shared");
      await at.reopen();
      expect(Object.fromEntries(await at.stores.choices.processes())).toEqual({
        [CODEX]: "per-session",
        [BUILTIN]: "shared",
      });
    });

    it("keeps the last report about the limits of an agent's account, over a restart", async () => {
      await using at = await openScene(open);
      expect((await at.stores.choices.limits()).size).toBe(0);
      await at.stores.choices.rememberLimits(BUILTIN, limits(10));
      await at.stores.choices.rememberLimits(BUILTIN, limits(20));
      await at.reopen();
      expect(Object.fromEntries(await at.stores.choices.limits())).toEqual({ [BUILTIN]: limits(20) });
    });
  });
}

export function describeToolChoices(name: string, open: OpenStores): void {
  describe(`${name}: ToolChoices`, () => {
    it("keeps which tool servers were switched on or off, by project, over a restart", async () => {
      await using at = await openScene(open);
      const other = ProjectId.parse("project-2");
      await at.stores.projects.add({ id: other, path: "/other", name: "other", addedAt: NOW });
      expect((await at.stores.toolChoices.of(PROJECT)).size).toBe(0);
      await at.stores.toolChoices.choose(PROJECT, "files", true);
      await at.stores.toolChoices.choose(PROJECT, "web", true);
      await at.stores.toolChoices.choose(PROJECT, "web", false);
      await at.stores.toolChoices.choose(other, "web", true);
      await at.reopen();
      expect(Object.fromEntries(await at.stores.toolChoices.of(PROJECT))).toEqual({ files: true, web: false });
      expect(Object.fromEntries(await at.stores.toolChoices.of(other))).toEqual({ web: true });
    });
  });
}
