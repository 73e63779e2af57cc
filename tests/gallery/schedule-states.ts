import type { Locator } from "playwright-core";
import { CliType, ProjectId } from "../../src/protocol/ids.ts";
import { type RunState, type Schedule, ScheduleId, type ScheduleRun } from "../../src/protocol/schedules.ts";
import type { GalleryStage, GalleryState } from "./gallery-state.ts";
import { type Answers, playServer } from "./play-server.ts";
import { PROJECT } from "./seed-workspace.ts";

const projectId = ProjectId.parse(PROJECT);
const BUILTIN = CliType.parse("builtin");
const HOUR_MS = 3_600_000;
const hours = (count: number) => new Date(Date.now() + count * HOUR_MS).toISOString();

function run(id: string, hoursAgo: number, state: RunState, detail?: string): ScheduleRun {
  const [dueAt, isOpen] = [hours(-hoursAgo), ["running", "starting", "limited"].includes(state)];
  return {
    scheduleId: ScheduleId.parse(id),
    dueAt,
    state,
    startedAt: dueAt,
    ...(!isOpen && { endedAt: dueAt }),
    ...(detail !== undefined && { detail }),
  };
}

function schedule(id: string, part: Partial<Schedule> & Pick<Schedule, "name" | "prompt">): Schedule {
  return {
    projectId,
    enabled: true,
    createdAt: hours(-900),
    missed: "latest",
    cadence: { kind: "cron", cron: "0 9 * * 1-5", zone: "Europe/Berlin" },
    target: { kind: "new", cliType: BUILTIN },
    nextDueAt: hours(14),
    ...part,
    id: ScheduleId.parse(id),
  };
}

const RUNS = [
  run("a1", 10, "done"),
  run("a1", 34, "limited", "You've hit your 5-hour limit · resets 11:50pm (UTC)"),
  run("a1", 58, "failed", "The connection to the model was lost."),
  run("a1", 82, "skipped", "Liminal Builder was not running at that time."),
  run("a1", 106, "refused", "Could not start Claude Code. Check that it's installed."),
];

const listed = (): readonly Schedule[] => [
  schedule("a1", {
    name: "Update dependencies",
    prompt: "Update the dependencies one at a time, run the tests after each, and keep what passes.",
    target: { kind: "new", cliType: BUILTIN, worktree: true, policy: "edits" },
    ...(RUNS[0] && { lastRun: RUNS[0] }),
  }),
  schedule("a2", {
    name: "Look for flaky tests in the nightly builds of all packages and write down what was found",
    prompt: "Read the logs of the nightly builds and list tests that failed and passed without a change.",
    cadence: { kind: "cron", cron: "*/30 6-20 * * *", zone: "America/Argentina/Buenos_Aires" },
    nextDueAt: hours(0.4),
    lastRun: run("a2", 1, "failed", "The agent reported an error and ended this turn."),
  }),
  schedule("a3", { name: "Release notes", prompt: "Write the release notes.", enabled: false, nextDueAt: undefined }),
];

const LIST = (schedules: readonly Schedule[]) => ({ type: "schedule:list", projectId, schedules });
const PREVIEW = { type: "schedule:preview", times: [hours(14), hours(38), hours(62)] };
const ANSWERS: Answers = {
  "schedule:list": () => LIST(listed()),
  "schedule:runs": { type: "schedule:runs", scheduleId: "a1", runs: RUNS },
  "schedule:preview": PREVIEW,
};

async function openSchedules(stage: GalleryStage, answers: Answers = ANSWERS): Promise<Locator> {
  await playServer(stage.app, answers);
  await stage.app.projects.getByRole("button", { name: `Schedules of ${PROJECT}` }).click();
  const page = stage.app.page.locator(".schedules-page");
  await page.getByRole("heading", { level: 1 }).waitFor();
  return page;
}

/** Prompts at set times. */
export const SCHEDULE_STATES: readonly GalleryState[] = [
  {
    name: "schedules",
    shows: "the schedules of a project, with the history of one",
    reach: async (stage) => {
      const page = await openSchedules(stage);
      await page.getByRole("button", { name: "History of Update dependencies" }).click();
      await page.getByText("Could not start Claude Code").waitFor();
    },
  },
  {
    name: "schedules-none",
    shows: "a project without schedules",
    reach: async (stage) => {
      const page = await openSchedules(stage, { "schedule:list": () => LIST([]) });
      await page.getByRole("heading", { name: "No schedules" }).waitFor();
    },
  },
  {
    name: "schedule-new",
    shows: "a new schedule, with the times it would be due",
    reach: async (stage) => {
      const page = await openSchedules(stage);
      await page.getByRole("button", { name: "New schedule" }).click();
      const dialog = stage.app.dialog("New schedule");
      await dialog.getByLabel("Name").fill("Triage");
      await dialog.getByLabel("Prompt").fill("Sort the issues that came in since yesterday.");
      await dialog.getByText("Next:").waitFor();
    },
  },
  {
    name: "schedule-wrong",
    shows: "a cron expression that cannot be read, with the reason",
    reach: async (stage) => {
      const message =
        '"0 25 * * *" is not a cron expression: its hour is "25", so use 0 to 23, * for all, 1-5 for a range, or */2 for every second.';
      const page = await openSchedules(stage, {
        ...ANSWERS,
        "schedule:preview": { type: "error", code: "INVALID_MESSAGE", message },
      });
      await page.getByRole("button", { name: "New schedule" }).click();
      const dialog = stage.app.dialog("New schedule");
      await dialog.getByRole("combobox", { name: "Repeat" }).selectOption("custom");
      await dialog.getByLabel("Cron expression").fill("0 25 * * *");
      await dialog.getByText("is not a cron expression").waitFor();
    },
  },
];
