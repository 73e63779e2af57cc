import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { parseJson } from "../../../src/lib/parse-json.ts";
import { loadConfigFile } from "../../../src/operations/config-file.ts";
import type { Json } from "../../../src/protocol/json.ts";
import { rule } from "../engine/broken-rule.ts";
import { fuzzTarget } from "../engine/fuzz-target.ts";
import { mutateJson } from "../engine/mutate-json.ts";
import { mutateText } from "../engine/mutate-text.ts";
import { checkPlain, checkUnpolluted } from "../engine/unpolluted.ts";

const SAMPLE = {
  agents: {
    mine: {
      name: "Mine",
      command: "mine",
      args: ["--acp"],
      env: { KEY: "v" },
      process: "per-session",
      retryMs: [1, 2],
    },
    builtin: { env: { MODEL: "x" }, permissions: "edits" },
  },
  pool: { idleMs: 1_000, processesMax: 3 },
  mcpServers: { files: { command: "files", args: [] }, web: { url: "https://example.com", headers: { a: "b" } } },
  orchestration: { offered: true, depthMax: 2, budget: {} },
};
const POOL = {
  samples: [SAMPLE],
  words:
    "agents mine builtin name command args env process retryMs pool idleMs mcpServers url headers orchestration".split(
      " ",
    ),
};
const isJson = (text: string) => parseJson(text) !== undefined;
/** Comments and trailing commas are accepted. */
const isRelaxedJson = (text: string) => /\/[/*]|,\s*[}\]]|\ufeff/.test(text);
/** One for each worker; it goes with the run's other temporary files. */
let folder: string | null = null;

/** A settings file that a person, a program or a bad disk wrote: what is wrong is reported, and never allows more. */
export const configFile = fuzzTarget({
  name: "config-file",
  weight: 0.3,
  shape: z.object({ text: z.string() }),
  make(source) {
    let config: Json = SAMPLE;
    for (let changes = source.below(4); changes > 0; changes -= 1) config = mutateJson(source, config, POOL);
    const text = JSON.stringify(config);
    return { text: source.isOneIn(5) ? mutateText(source, text, ["{", "}", ",", '"', "//", "\ufeff"]) : text };
  },
  check({ text }) {
    folder ??= mkdtempSync(join(tmpdir(), "liminal-fuzz-"));
    const path = join(folder, "config.json");
    writeFileSync(path, text);
    const loaded = loadConfigFile(path);
    for (const problem of loaded.problems)
      rule(
        /, line \d+: ./.test(problem) && problem.startsWith(path),
        "a problem names file, line and reason",
        () => problem,
      );
    if (!isJson(text)) {
      rule(loaded.problems.length > 0 || isRelaxedJson(text), "text that is no JSON is reported");
    }
    for (const { id, command, env, installHint } of loaded.agents) {
      rule(
        command === null ? installHint !== undefined : command.length > 0 && command[0] !== "",
        "an agent has a command, or the reason why it has none",
        () => id,
      );
      checkPlain(env);
    }
    checkPlain(loaded.builtinEnv);
    rule(loaded.pool.processesMax >= 1 && loaded.pool.idleMs >= 100, "limits are limits");
    checkUnpolluted();
  },
});
