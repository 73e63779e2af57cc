import { expect, test } from "bun:test";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { serverAt } from "../../src/places/place-links.ts";
import { RunnerProcess } from "../places/dialling.ts";
import { expectSoon } from "../support/expect-soon.ts";
import { tempDir } from "../support/temp-dir.ts";
import { START, startTestServer } from "../support/test-server.ts";
import { git } from "../workspace/git-scene.ts";
import { startAgent } from "./app-page.ts";
import { axeViolations } from "./axe-violations.ts";
import { useChromium } from "./use-chromium.ts";

const chromium = useChromium();
const readJson = (path: string): unknown => JSON.parse(readFileSync(path, "utf8"));

test("[SC-27] [SC-35] a place is added and checked, a project there is chosen and marked, and a cut connection is shown", async () => {
  await using server = await startTestServer();
  await using dir = await tempDir();
  const there = dir.path;
  mkdirSync(join(there, "app"));
  git(join(there, "app"), "init", "-q", "-b", "main");
  git(join(there, "app"), "commit", "-q", "--allow-empty", "-m", "first");
  await using app = await chromium.open(server);
  const { page } = app;

  await page.keyboard.press("Control+,");
  const settings = app.dialog("Settings");
  await settings.getByRole("button", { name: "Add a place" }).click();
  const form = settings.getByRole("form", { name: "New place" });
  await form.getByRole("textbox", { name: "Name" }).fill("box");
  await form.getByRole("combobox", { name: "Kind of place" }).selectOption("command");
  const words = form.getByRole("textbox", { name: /one per line/ });
  await words.fill("/bin/false");
  await form.getByRole("button", { name: "Test" }).click();
  await form.getByText("No runner answers at box").waitFor();
  // While the gate is there, the machine cannot be reached.
  const gate = join(there, "gate");
  const wait = 'while [ -e "$0" ]; do sleep 0.1; done; exec "$@"';
  await words.fill(["/bin/sh", "-c", wait, gate, "/usr/bin/env", `HOME=${there}`, ...START, "runner"].join("\n"));
  await form.getByRole("button", { name: "Save" }).click();
  await form.waitFor({ state: "hidden" });
  await settings.getByRole("button", { name: "Check box" }).click();
  await settings.getByText(/^Connected/).waitFor();
  expect(await axeViolations(page)).toEqual([]);
  await page.keyboard.press("Escape");
  await settings.waitFor({ state: "hidden" });

  await app.projects.getByRole("button", { name: "Add project", exact: true }).click();
  const add = app.dialog("Add project");
  await add.getByRole("combobox", { name: "Machine" }).selectOption("box");
  await add.getByRole("option", { name: "app" }).click();
  await expectSoon(() => add.getByRole("textbox", { name: "Directory" }).inputValue()).toBe("box:~/app/");
  await add.getByRole("button", { name: "Add", exact: true }).click();
  await add.waitFor({ state: "hidden" });
  const project = app.projects.getByRole("button", { name: "app at box" });
  await project.waitFor();

  const picker = await app.pickAgent("app (box)");
  await picker.getByText("on main").waitFor();
  await page.keyboard.press("Alt+t");
  await picker.getByRole("radio", { name: "In its own worktree", checked: true }).waitFor();
  await startAgent(picker);
  await picker.waitFor({ state: "hidden" });
  const session = await app.shownSession();
  await session.frame.locator(".head-place").getByText("box").waitFor();
  await session.say("stream 600 words at 40/s");
  await session.frame
    .getByText(/\bw20\b/)
    .first()
    .waitFor();
  const { server: id } = z.object({ server: z.string() }).parse(readJson(join(server.dataDir, "places.json")));
  const state = join(there, ".liminal-runner", serverAt(id, "box"), "state.json");
  writeFileSync(gate, "");
  process.kill(z.object({ pid: z.int() }).parse(readJson(state)).pid, "SIGKILL");
  await session.frame.getByText("The connection to box was lost. The agent works on.").waitFor();
  rmSync(gate);
  await session.untilIdle();
  await session.untilSaid(Array.from({ length: 600 }, (_, index) => `w${index + 1}`).join(" "));
  await session.frame.getByText("The agent works on.").waitFor({ state: "hidden" });

  await app.projects.getByRole("button", { name: "Worktrees of app (box)" }).click();
  const worktrees = page.locator(".worktrees-page");
  await worktrees.getByTitle(new RegExp(`^box:${there}/.liminal-worktrees/`)).waitFor();
  await worktrees.getByText("1 worktree").waitFor();
  expect(await axeViolations(page)).toEqual([]);
});

test("[SC-49] a fence is added with what it lets in, and shown, edited and corrected on the page", async () => {
  await using server = await startTestServer();
  await using app = await chromium.open(server);
  const { page } = app;
  const saved = () => readJson(join(server.dataDir, "config.json"));
  await page.keyboard.press("Control+,");
  const settings = app.dialog("Settings");
  await settings.getByRole("button", { name: "Add a place" }).click();
  const form = settings.getByRole("form", { name: "New place" });
  await form.getByRole("textbox", { name: "Name" }).fill("fenced");
  await form.getByRole("combobox", { name: "Kind of place" }).selectOption("fence");
  await form.getByText("an agent cannot ask a model elsewhere").waitFor();
  await form.getByRole("textbox", { name: "May read" }).fill("tools");
  await form.getByRole("button", { name: "Save" }).click();
  await form.getByText("Enter paths that begin with / or ~.").waitFor();
  await form.getByRole("textbox", { name: "May read" }).fill("~/tools\n\n/srv/models\n");
  await form.getByRole("textbox", { name: "Gets these variables" }).fill("API_KEY");
  await form.getByRole("combobox", { name: "Network" }).selectOption("on");
  expect(await axeViolations(page)).toEqual([]);
  await form.getByRole("button", { name: "Save" }).click();
  await form.waitFor({ state: "hidden" });
  await settings.getByText("this machine, fenced in, with network").waitFor();
  const read = ["~/tools", "/srv/models"];
  expect(saved()).toEqual({ places: { fenced: { kind: "fence", network: true, read, variables: ["API_KEY"] } } });

  await settings.getByRole("button", { name: "Edit fenced" }).click();
  const edited = settings.getByRole("form", { name: "Place fenced" });
  expect(await edited.getByRole("textbox", { name: "May read" }).inputValue()).toBe(read.join("\n"));
  await edited.getByRole("textbox", { name: "May read" }).fill("");
  await edited.getByRole("combobox", { name: "Network" }).selectOption("off");
  await edited.getByRole("button", { name: "Save" }).click();
  await edited.waitFor({ state: "hidden" });
  await settings.getByText("this machine, fenced in, without network").waitFor();
  expect(saved()).toEqual({ places: { fenced: { kind: "fence", network: false, variables: ["API_KEY"] } } });
});

test("[SC-35] a place with a pod for each session is added and changed; a template in config.json stays there", async () => {
  const spec = { containers: [{ name: "agent", image: "private", env: [{ name: "KEY", value: "secret" }] }] };
  await using server = await startTestServer({
    prepare: (dataDir) =>
      writeFileSync(
        join(dataDir, "config.json"),
        JSON.stringify({ places: { written: { kind: "kubernetes", pod: spec, namespace: "agents" } } }),
      ),
  });
  await using app = await chromium.open(server);
  await app.page.keyboard.press("Control+,");
  const settings = app.dialog("Settings");
  await settings.getByRole("button", { name: "Add a place" }).click();
  const form = settings.getByRole("form", { name: "New place" });
  await form.getByRole("textbox", { name: "Name" }).fill("pods");
  await form.getByRole("combobox", { name: "Kind of place" }).selectOption("kubernetes");
  await form.getByRole("button", { name: "Save" }).click();
  await form.getByText("Enter the file of a pod template, or a pool of sandboxes.").waitFor();
  await form.getByRole("textbox", { name: "Pod template" }).fill("~/pod.yaml");
  await form.getByRole("textbox", { name: "Idle limit in minutes" }).fill("soon");
  await form.getByRole("button", { name: "Save" }).click();
  await form.getByText("Idle limit: expected whole minutes.").waitFor();
  await form.getByRole("textbox", { name: "Idle limit in minutes" }).fill("90");
  expect(await axeViolations(app.page)).toEqual([]);
  await form.getByRole("button", { name: "Save" }).click();
  await form.waitFor({ state: "hidden" });
  await settings.getByText("a Kubernetes pod for each session, from ~/pod.yaml").waitFor();

  await settings.getByRole("button", { name: "Edit written" }).click();
  const edited = settings.getByRole("form", { name: "Place written" });
  await edited.getByText("It stands in config.json.").waitFor();
  await edited.getByRole("textbox", { name: "Namespace" }).fill("others");
  await edited.getByRole("button", { name: "Save" }).click();
  await edited.waitFor({ state: "hidden" });
  expect(readJson(join(server.dataDir, "config.json"))).toEqual({
    places: {
      written: { kind: "kubernetes", pod: spec, namespace: "others" },
      pods: { kind: "kubernetes", pod: "~/pod.yaml", idleMinutes: 90 },
    },
  });
});

test("[SC-37] a machine that dials in is added on the page, which shows the command for it, its state, and how to be rid of it", async () => {
  await using server = await startTestServer({
    prepare: (data) => writeFileSync(join(data, "config.json"), JSON.stringify({ dialIn: { host: "127.0.0.1" } })),
  });
  await using dir = await tempDir();
  await using app = await chromium.open(server);
  const { page } = app;
  await page.keyboard.press("Control+,");
  const settings = app.dialog("Settings");
  await settings.getByRole("button", { name: "Add a place" }).click();
  const form = settings.getByRole("form", { name: "New place" });
  await form.getByRole("textbox", { name: "Name" }).fill("laptop");
  await form.getByRole("combobox", { name: "Kind of place" }).selectOption("dial-in");
  await form.getByRole("button", { name: "Test" }).waitFor({ state: "hidden" });
  await form.getByRole("button", { name: "Save" }).click();
  const panel = settings.getByRole("region", { name: "Join as laptop" });
  const command = (await panel.getByText("liminal runner --join liminal://127.0.0.1:").textContent()) ?? "";
  await settings.getByText("Not connected: No machine has joined as laptop").waitFor();
  expect(await axeViolations(page)).toEqual([]);
  await panel.getByRole("button", { name: "Close" }).click();

  const words = command.split(" ").slice(2);
  await using runner = new RunnerProcess({ home: dir.path, processes: server.processes }, ...words);
  await settings.getByText(/^Connected \(release/).waitFor();
  await settings.getByRole("button", { name: "Join as laptop" }).click();
  await panel.getByRole("button", { name: "Revoke the machine" }).click();
  await panel.waitFor({ state: "hidden" });
  await settings.getByText(/^Cannot be reached: /).waitFor();
  expect(await runner.ended()).toBe(1);
});
