import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PROGRAM_VARIABLE } from "./build-program.ts";

/** The variable by which everything that a test run started can be found again. */
export const RUN_MARKER = "LIMINAL_TEST_RUN";

const XDG_FOLDERS = ["CONFIG", "DATA", "CACHE", "STATE"].map((name) => `XDG_${name}_HOME`);
/** A developer's own settings would make results depend on the machine. */
const NOT_INHERITED = /^(LIMINAL_(?!TEST_SLOWER$)|ACP_|CLAUDE_ACP_CMD$|CODEX_ACP_CMD$|CLAUDECODE$)/;

/** A home of its own for one run, and the environment that points every test to it. */
export type TestEnvironment = AsyncDisposable & {
  readonly marker: string;
  readonly env: Readonly<Record<string, string>>;
  readonly folder: string;
  /** Where the program is built for tests that start it. */
  readonly programFolder: string;
  /** Whether something used the default data directory, which in the user's home would have been real data. */
  isHomeTouched(): boolean;
};

/** Creates the folders; disposing removes them with all files of the tests. */
export async function openTestEnvironment(seed: string, rounds: string | undefined): Promise<TestEnvironment> {
  const folder = await mkdtemp(join(tmpdir(), "liminal-test-"));
  const home = join(folder, "home");
  await mkdir(join(folder, "runtime"), { mode: 0o700 });
  await mkdir(home);
  const programFolder = join(folder, "program");
  const marker = crypto.randomUUID();
  const inherited = Object.entries(process.env).filter(([name]) => !NOT_INHERITED.test(name));
  return {
    marker,
    folder,
    programFolder,
    env: Object.fromEntries([
      ...inherited.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
      ...XDG_FOLDERS.map((name) => [name, join(home, name.toLowerCase())]),
      ["HOME", home],
      ["XDG_RUNTIME_DIR", join(folder, "runtime")],
      ["LIMINAL_NO_OPEN", "1"],
      ["LIMINAL_SEED", seed],
      ...(rounds === undefined ? [] : [["LIMINAL_ROUNDS", rounds]]),
      [RUN_MARKER, marker],
      [PROGRAM_VARIABLE, join(programFolder, "main.js")],
    ]),
    isHomeTouched: () => existsSync(join(home, ".liminal-builder")),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}
