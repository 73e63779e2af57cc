import { frameScenarios } from "./frame-scenarios.ts";
import { lifecycleScenarios } from "./lifecycle-scenarios.ts";
import { recordScenarios } from "./record-scenarios.ts";
import { requestScenarios } from "./request-scenarios.ts";
import type { Scenario } from "./scenario.ts";
import { sessionScenarios } from "./session-scenarios.ts";
import { toolCallScenarios } from "./tool-call-scenarios.ts";

/** Every scenario, as `--scenario <name>` and as the prompt `scenario <name>`. */
export const SCENARIOS: readonly Scenario[] = [
  ...lifecycleScenarios,
  ...sessionScenarios,
  ...frameScenarios,
  ...toolCallScenarios,
  ...requestScenarios,
  ...recordScenarios,
];
