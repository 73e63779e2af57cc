import { Glob } from "bun";

/** The kinds of bun tests, in the order in which they run: the fastest first. */
export const TEST_PARTS = ["unit", "integration", "browser"] as const;
export type TestPart = (typeof TEST_PARTS)[number];

const PLACES = new Glob("{src,builtin-agent,tests}/**/*.test.{ts,tsx}");

/** Folders whose tests start the real server. */
const WITH_SERVER =
  /^tests\/(cli|conformance|install|integration|lifecycle|orchestration|orchestrator|recordings|remote|security|terminals|torture|transfer)\//;

/** The test files of a part, sorted, relative to `root`; `tests/architecture` belongs to the checks. */
export function testFiles(root: string, part: TestPart): string[] {
  return [...PLACES.scanSync({ cwd: root })].filter((path) => partOf(path) === part).sort();
}

function partOf(path: string): TestPart | undefined {
  if (path.startsWith("tests/architecture/") || path.startsWith("tests/agents/")) return undefined;
  if (/\.browser\.test\.tsx?$/.test(path)) return "browser";
  return WITH_SERVER.test(path) ? "integration" : "unit";
}
