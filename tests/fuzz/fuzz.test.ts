import { describe, expect, it } from "bun:test";
import { z } from "zod";
import { rule } from "./engine/broken-rule.ts";
import { readCorpus } from "./engine/corpus.ts";
import { fuzzTarget } from "./engine/fuzz-target.ts";
import { mutateJson } from "./engine/mutate-json.ts";
import { runCases, sharesOf } from "./engine/run-cases.ts";
import { baseOf, Source } from "./engine/source.ts";
import { TARGETS } from "./targets.ts";

/** Fixed: a round of the suite is the same everywhere, and `npm run fuzz` looks elsewhere. */
const SEED = "1";
/** About fifteen seconds of one core. */
const EXECUTIONS = 200_000;
/** No target goes without. */
const EXECUTIONS_MIN = 2_000;

describe("what was once found stays mended", () => {
  for (const target of TARGETS) {
    const inputs = readCorpus(target.name);
    if (inputs.length > 0)
      it(`${target.name}: all rules hold for the ${inputs.length} inputs of its corpus`, async () => {
        for (const { file, input } of inputs)
          expect({ file, broken: await target.replay(input) }).toEqual({ file, broken: null });
      });
  }
});

describe("a short round", () => {
  const shares = sharesOf(TARGETS, EXECUTIONS);
  for (const [at, target] of TARGETS.entries()) {
    const executions = target.name === "growth" ? 6 : Math.max(EXECUTIONS_MIN, shares[at] ?? 0);
    it(`${target.name}: all rules hold for ${executions} inputs of seed ${SEED}`, async () => {
      const findings: unknown[] = [];
      const cases = { target, seed: SEED, from: 0, to: executions, step: 1 };
      await runCases(cases, new Set(), { onFinding: (finding) => findings.push(finding) });
      expect(findings).toEqual([]);
    });
  }
});

describe("the fuzzer itself", () => {
  const words = fuzzTarget({
    name: "planted",
    weight: 1,
    shape: z.object({ words: z.array(z.string()), count: z.number() }),
    make: (source) => ({ words: source.list(0, 9, () => source.pick(["a", "bug", "c"])), count: source.below(100) }),
    check: (input) => rule(!input.words.join("").includes("bugc"), "no bug is before a c"),
  });

  it("finds what is planted, and shrinks it to what it takes", async () => {
    const findings: { input: unknown; index: number; rule: string }[] = [];
    const cases = { target: words, seed: "s", from: 0, to: 500, step: 1 };
    const report = await runCases(cases, new Set(), { onFinding: (finding) => findings.push(finding) });
    expect(report.hits).toBeGreaterThan(1);
    expect(findings.map(({ input }) => input)).toEqual([{ words: ["bug", "c"], count: 0 }]);
    const [found] = findings;
    expect(await words.replay(found?.input)).toBe("no bug is before a c");
    expect((await words.run("s", found?.index ?? 0))?.rule).toBe("no bug is before a c");
  });

  it("makes the same case from the same seed and number, whatever ran before, and others from others", () => {
    const inputs = Array.from({ length: 200 }, (_, index) => JSON.stringify(words.inputOf("s", index)));
    expect(JSON.stringify(words.inputOf("s", 77))).toBe(inputs[77] ?? "");
    expect(new Set(inputs).size).toBeGreaterThan(150);
    expect(words.inputOf("t", 77)).not.toEqual(words.inputOf("s", 77));
  });

  it("leaves the samples it changes as they are", () => {
    const sample = { a: [1, { b: "text" }], c: null };
    const before = JSON.stringify(sample);
    for (let index = 0; index < 2_000; index += 1)
      mutateJson(new Source(baseOf("s", "json"), index), sample, { samples: [sample], words: ["w"] });
    expect(JSON.stringify(sample)).toBe(before);
  });
});
