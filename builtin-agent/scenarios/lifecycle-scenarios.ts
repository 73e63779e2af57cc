import { ToolCall } from "../turn/tool-call.ts";
import type { Scenario } from "./scenario.ts";

const CRASH_EXIT_CODE = 1;
const NOISE_LINES = 5_000;
const NOISE_LINE_CHARACTERS = 200;
/** Processes that a test leaves behind end by themselves. */
const LEFTOVER_SECONDS = "300";

/** How a process starts, how it ends, and what it leaves behind. */
export const lifecycleScenarios: readonly Scenario[] = [
  {
    name: "crash-at-start",
    summary: "Writes the reason to stderr and exits with 1 before reading anything.",
    atStart: () => {
      process.stderr.write("liminal-guide: cannot start: the scenario says so\n");
      process.exit(CRASH_EXIT_CODE);
    },
  },
  {
    name: "hang-at-start",
    summary: "Never answers `initialize`.",
    quirks: { silentInitialize: true },
  },
  {
    name: "initialize-error",
    summary: "Answers `initialize` with -32603.",
    quirks: { refusedInitialize: true },
  },
  {
    name: "future-version",
    summary: "Answers `initialize` with protocol version 99.",
    quirks: { futureVersion: true },
  },
  {
    name: "crash-mid-turn",
    summary: "One chunk and a running tool call, then exit 1.",
    onPrompt: async (turn) => {
      turn.say("This turn will not end well.");
      new ToolCall(turn, { title: "Walk the plank", name: "walk", kind: "other", rawInput: {} }).run();
      await turn.settled();
      process.stderr.write("liminal-guide: crashed in the middle of a turn, as asked\n");
      process.exit(CRASH_EXIT_CODE);
    },
  },
  {
    name: "deaf-to-exit",
    summary: "Keeps running after stdin is closed and after SIGTERM; only SIGKILL ends it.",
    quirks: { deafToExit: true },
    onPrompt: (turn) => {
      turn.say("I will not leave by myself.");
      return undefined;
    },
  },
  {
    name: "stderr-noise",
    summary: `Writes ${NOISE_LINES} lines to stderr while it answers.`,
    onPrompt: async (turn) => {
      turn.say("Noise on stderr: ");
      const line = `${"noise ".repeat(NOISE_LINE_CHARACTERS / 6)}\n`;
      const noise = Array.from({ length: NOISE_LINES }, (_, index) => `${index + 1} ${line}`).join("");
      // Waits until the pipe has taken it: an exit right after must not truncate it.
      await new Promise<void>((taken) => process.stderr.write(noise, () => taken()));
      turn.say("done.");
      return undefined;
    },
  },
  {
    name: "spawn-children",
    summary: "Leaves a child process and a daemon in its own session running and prints `child <pid> daemon <pid>`.",
    onPrompt: (turn) => {
      const quiet = { stdin: "ignore", stdout: "ignore", stderr: "ignore" } as const;
      const child = Bun.spawn(["sleep", LEFTOVER_SECONDS], quiet);
      const daemon = Bun.spawn(["sleep", LEFTOVER_SECONDS], { ...quiet, detached: true });
      child.unref();
      daemon.unref();
      turn.say(`child ${child.pid} daemon ${daemon.pid}`);
      return undefined;
    },
  },
];
