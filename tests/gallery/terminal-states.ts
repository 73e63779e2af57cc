import type { Locator } from "playwright-core";
import { type PlayedService, type PlayedTerminal, playTerminals } from "../support/played-terminals.ts";
import { waitFor } from "../support/wait-for.ts";
import type { GalleryStage, GalleryState } from "./gallery-state.ts";
import { PROJECT } from "./seed-workspace.ts";
import { tellStory } from "./session-states.ts";

const ESC = "\u001b";
const colour = (code: number, text: string) => `${ESC}[${code}m${text}${ESC}[0m`;
const dim = (text: string) => colour(90, text);
const PROMPT = `${colour(34, "atlas-api")} ${colour(32, "main")} $ `;

const SHELL_OUTPUT = [
  `${PROMPT}git status --short`,
  ` ${colour(31, "M")} src/retry/retry-after.ts`,
  `${colour(32, "A")}  docs/runbook.md`,
  `${PROMPT}bun test src/retry`,
  `${colour(32, "(pass)")} seconds and HTTP dates ${dim("[0.42ms]")}`,
  `${colour(32, "(pass)")} a date in the past is no wait ${dim("[0.11ms]")}`,
  "",
  ` ${colour(32, "14 pass")}`,
  ` ${dim("0 fail")}`,
  PROMPT,
].join("\r\n");

const SERVICE_OUTPUT = [
  `${dim("10:02:11")} ${colour(32, "ready")}  api on ${colour(36, "http://localhost:4173")} in 412 ms`,
  `${dim("10:02:14")} ${colour(34, "POST")}   /v2/hooks/deliver ${colour(32, "202")} ${dim("8 ms")}`,
  `${dim("10:02:14")} ${colour(33, "warn")}   hook_91 failed with 503, retry 1 of 8 in 212 ms`,
  `${dim("10:02:15")} ${colour(31, "error")}  hook_91 retry failed: TypeError: headers.get is not a function`,
  "             at headerOf (src/retry/retry-after.ts:20:32)",
  "             at retryAfter (src/retry/retry-after.ts:3:17)",
  `${dim("10:02:15")} ${colour(33, "warn")}   hook_91 kept in the dead letter queue, no retry left`,
  `${dim("10:02:19")} ${colour(34, "GET")}    /healthz ${colour(32, "200")} ${dim("1 ms")}`,
  "",
].join("\r\n");

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();

const TERMINALS: readonly PlayedTerminal[] = [
  { project: PROJECT, output: SHELL_OUTPUT },
  {
    project: PROJECT,
    kind: "service",
    title: "dev",
    output: SERVICE_OUTPUT,
    worktreeId: null,
  },
  {
    project: PROJECT,
    worktreeId: "w1",
    cwd: "/home/ada/.liminal-worktrees/atlas-api/webhook-backoff",
    output: `${colour(34, "webhook-backoff")} $ `,
  },
  { project: "liminal-web", output: `${colour(34, "liminal-web")} $ ` },
];

const SERVICES: readonly PlayedService[] = [
  {
    project: PROJECT,
    state: "running",
    terminalId: "played-1",
    port: 4173,
    url: "http://localhost:4173",
    startedAt: minutesAgo(4.5),
    restarts: 2,
    lastEnd: { exitCode: 1, at: minutesAgo(4.6) },
  },
  { project: PROJECT, name: "worker", command: "bun run worker --queue hooks", state: "stopped" },
  {
    project: PROJECT,
    name: "docs",
    command: "bunx vitepress dev docs --port $PORT --strictPort && echo the documentation is served on its own port",
    state: "asks",
  },
];

/** The dock below the story. */
async function openDock(
  stage: GalleryStage,
  terminals: readonly PlayedTerminal[],
  services: readonly PlayedService[] = [],
): Promise<Locator> {
  const { app } = stage;
  await playTerminals(app.page, { terminals, services });
  await app.refresh();
  await tellStory(stage);
  const dock = app.page.getByRole("region", { name: "Terminal" });
  // What is kept, not what is drawn yet: the key would close a dock that is about to open.
  const isOpen = await app.page.evaluate<boolean>(`localStorage.getItem("liminal:dock-open") === "true"`);
  if (!isOpen) await app.page.keyboard.press("Control+`");
  await dock.waitFor();
  return dock;
}

async function show(dock: Locator, name: string, text: string): Promise<void> {
  await dock.getByRole("tab", { name, exact: true }).click();
  await waitFor(
    async () => (await dock.locator(".xterm-rows:visible").allInnerTexts()).join("\n").replaceAll("\u00a0", " "),
    (seen) => seen.includes(text),
    `"${text}" in the terminal`,
  );
}

/** The terminal dock. */
export const TERMINAL_STATES: readonly GalleryState[] = [
  {
    name: "terminal-tabs",
    shows: "terminals of a project, of a worktree and of another project",
    reach: async (stage) => {
      const dock = await openDock(stage, TERMINALS);
      await show(dock, "zsh atlas-api", "14 pass");
    },
  },
  {
    name: "terminal-service",
    shows: "a service that runs, and what can be done with its selected output",
    reach: async (stage) => {
      const dock = await openDock(stage, TERMINALS, SERVICES);
      await show(dock, "dev atlas-api", "no retry left");
      const line = dock.locator(".xterm-rows:visible > div", { hasText: "retry failed" });
      // A terminal that gets its size at this moment drops what is selected.
      await waitFor(
        async () => {
          await line.click({ clickCount: 3, force: true });
          return dock.getByRole("button", { name: "Ask about this" }).isVisible();
        },
        (isShown) => isShown,
        "what can be done with the selected output",
      );
    },
  },
  {
    name: "terminal-services",
    shows: "the services of a project, one of which waits for consent",
    reach: async (stage) => {
      const dock = await openDock(stage, TERMINALS, SERVICES);
      await show(dock, "zsh atlas-api", "14 pass");
      await dock.getByRole("button", { name: /^Services/ }).click();
      await stage.app.page.getByRole("button", { name: "Run docs" }).waitFor();
    },
  },
  {
    name: "terminal-search",
    shows: "a search in the output of a terminal",
    reach: async (stage) => {
      const dock = await openDock(stage, TERMINALS, SERVICES);
      await show(dock, "dev atlas-api", "no retry left");
      await stage.app.page.keyboard.press("Control+Shift+F");
      await dock.getByRole("textbox", { name: "Search terminal output" }).fill("hook_91");
      await dock.getByText("1 of 3").waitFor();
      await stage.app.page.keyboard.press("Enter");
      await dock.getByText("2 of 3").waitFor();
    },
  },
  {
    name: "terminal-ended",
    shows: "a shell that has ended with an exit code",
    reach: async (stage) => {
      const ended = { exitCode: 130, at: minutesAgo(1) };
      const dock = await openDock(stage, [{ ...TERMINALS[0], project: PROJECT, output: SHELL_OUTPUT, end: ended }]);
      await dock.getByText("Ended with exit code 130").waitFor();
      await show(dock, "zsh atlas-api", "14 pass");
    },
  },
  {
    name: "terminal-empty",
    shows: "the dock without a terminal",
    reach: async (stage) => {
      const dock = await openDock(stage, []);
      await dock.getByText("No terminal open").waitFor();
    },
  },
];
