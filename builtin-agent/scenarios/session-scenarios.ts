import type { Scenario } from "./scenario.ts";

/** How sessions start and are restored. */
export const sessionScenarios: readonly Scenario[] = [
  {
    name: "auth-required",
    summary: "`session/new`, load and resume answer -32000 until `authenticate`; one sign-in method is offered.",
    quirks: { authRequired: true },
  },
  {
    name: "refused-new",
    summary: "`session/new` answers -32603.",
    quirks: { refusedNew: true },
  },
  {
    name: "update-before-new",
    summary: "`available_commands_update` comes before the answer of `session/new`.",
    quirks: { updateBeforeNew: true },
  },
  {
    name: "permission-after-new",
    summary: "A permission request right after `session/new`, outside any turn.",
    quirks: { permissionAfterNew: true },
  },
  {
    name: "late-replay",
    summary: "`session/load` replays after its answer.",
    quirks: { replayAfterAnswer: true },
  },
  {
    name: "leaky-replay",
    summary:
      "`session/load` replays without ids and with context, calls and results as text, most of it after its answer.",
    quirks: { leakyReplay: true },
  },
  {
    name: "replay-on-resume",
    summary: "`session/resume` replays, which it must not.",
    quirks: { replayOnResume: true },
  },
];
