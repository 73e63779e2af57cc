import type { z } from "zod";
import { brokenRule } from "./broken-rule.ts";
import { readCorpus } from "./corpus.ts";
import { shrink } from "./shrink.ts";
import { baseOf, Source } from "./source.ts";

/** One part of the product, how to make inputs for it, and what must be true for every one of them. */
interface TargetParts<Input> {
  readonly name: string;
  /** How many executions it gets for each one of a target of weight 1: the quicker it is, the more. */
  readonly weight: number;
  /** What an input is: stored ones may be old, and shrunk ones are anything. */
  readonly shape: z.ZodType<Input>;
  readonly make: (source: Source, corpus: readonly Input[]) => Input;
  /** Throws when a rule is broken. */
  readonly check: (input: Input) => void | Promise<void>;
}

export interface Finding {
  readonly target: string;
  readonly seed: string;
  readonly index: number;
  /** What went wrong, in words that stay the same while the input shrinks. */
  readonly rule: string;
  readonly details: string;
  readonly input: unknown;
}

export interface FuzzTarget {
  readonly name: string;
  readonly weight: number;
  readonly corpusSize: number;
  /** What case number `index` is made of. */
  inputOf(seed: string, index: number): unknown;
  /** One execution; null when all rules hold. */
  run(seed: string, index: number): Promise<Finding | null> | null;
  /** The rule that a stored input breaks; null when all hold. */
  replay(input: unknown): Promise<string | null>;
  shrink(finding: Finding): Promise<Finding>;
}

/** A target whose kind of input is its own business. */
export function fuzzTarget<Input>({ name, weight, shape, make, check }: TargetParts<Input>): FuzzTarget {
  const corpus = readCorpus(name).map(({ input }) => shape.parse(input));
  let known: { seed: string; base: number } | null = null;
  const inputOf = (seed: string, index: number): Input => {
    if (known?.seed !== seed) known = { seed, base: baseOf(seed, name) };
    return make(new Source(known.base, index), corpus);
  };
  const replay = async (input: unknown) => {
    const parsed = shape.safeParse(input);
    if (!parsed.success) return `no input of this target: ${parsed.error.issues[0]?.message}`;
    const broken = await brokenBy(() => check(parsed.data));
    return broken?.rule ?? null;
  };
  const found = (seed: string, index: number, error: unknown): Finding => ({
    target: name,
    seed,
    index,
    ...brokenRule(error),
    input: inputOf(seed, index),
  });
  return {
    name,
    weight,
    corpusSize: corpus.length,
    inputOf,
    replay,
    run(seed, index) {
      try {
        const checked = check(inputOf(seed, index));
        if (!(checked instanceof Promise)) return null;
        return checked.then(
          () => null,
          (error: unknown) => found(seed, index, error),
        );
      } catch (error) {
        return Promise.resolve(found(seed, index, error));
      }
    },
    async shrink(finding) {
      const fails = async (input: unknown) => {
        const parsed = shape.safeParse(input);
        return parsed.success && (await brokenBy(() => check(parsed.data)))?.rule === finding.rule;
      };
      const input = await shrink(finding.input, fails);
      const parsed = shape.parse(input);
      return { ...finding, ...(await brokenBy(() => check(parsed))), input };
    },
  };
}

async function brokenBy(check: () => void | Promise<void>): Promise<ReturnType<typeof brokenRule> | null> {
  try {
    await check();
    return null;
  } catch (error) {
    return brokenRule(error);
  }
}
