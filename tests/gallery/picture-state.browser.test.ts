import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { launchChromium } from "../support/chromium.ts";
import { tempDir } from "../support/temp-dir.ts";
import { pictureState } from "./picture-state.ts";

test("a state whose page throws ends with that error, and with its server, although it is never reached", async () => {
  await using browser = await launchChromium();
  await using dir = await tempDir();
  let origin = () => "";
  const pictures = pictureState(
    browser,
    {
      name: "broken",
      shows: "a page that throws",
      seed: "empty",
      reach: async (stage) => {
        origin = () => stage.server.origin;
        expect(origin()).toStartWith("http");
        await stage.app.page.evaluate("setTimeout(() => { throw new Error('it broke'); })");
        await stage.app.page.getByText("what never comes").waitFor({ timeout: 0 });
      },
    },
    dir.path,
  );
  await expect(pictures).rejects.toThrow("it broke");
  expect(browser.contexts()).toEqual([]);
  expect(origin).toThrow("the server does not run");
});

test("a name that no state has is refused with the names of all, and nothing is written", async () => {
  await using dir = await tempDir();
  const folder = dir.join("pictures");
  const run = Bun.spawn([process.execPath, join(import.meta.dir, "take-pictures.ts"), folder, "no-such-state"], {
    stdout: "pipe",
    stderr: "pipe",
  });
  expect(await run.exited).toBe(1);
  const said = await new Response(run.stderr).text();
  expect(said).toContain("There is no state no-such-state.");
  expect(said.split("\n")).toContain("schedule-wrong");
  expect(existsSync(folder)).toBe(false);
});
