import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import manifest from "../../package.json" with { type: "json" };

const ROOT = join(import.meta.dirname, "../..");
const lock = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8"));
type Locked = {
  readonly dev?: boolean;
  readonly hasInstallScript?: boolean;
  readonly resolved?: string;
  readonly engines?: { readonly node?: string };
};
const packages: readonly (readonly [string, Locked])[] = Object.entries(lock.packages);

test("an install runs no script of ours, and none of a package that users get (E6)", () => {
  expect(Object.keys(manifest.scripts).filter((name) => /^(?:pre|post)?(?:install|prepare)$/.test(name))).toEqual([]);
  expect(packages.filter(([, { dev, hasInstallScript }]) => !dev && hasInstallScript).map(([name]) => name)).toEqual(
    [],
  );
});

test("every build of Bun is an optional dependency of the same version, and the lock names no registry (E6)", () => {
  const versions = Object.entries(manifest.optionalDependencies);
  expect(versions.length).toBeGreaterThanOrEqual(12);
  expect(versions.filter(([name]) => !name.startsWith("@oven/bun-"))).toEqual([]);
  expect(new Set(versions.map(([, version]) => version)).size).toBe(1);
  expect(Object.keys(lock.packages[""].optionalDependencies).sort()).toEqual(versions.map(([name]) => name).sort());
  expect(packages.filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
});

test("no package that users get asks for a newer Node than we do (E6)", () => {
  const [, ours = ""] = /^>=(\d+)$/.exec(manifest.engines.node) ?? [];
  const wants = (range: string) =>
    range.split("||").some((part) => Number(/\d+/.exec(part)?.[0] ?? 0) <= Number(ours) && !/^\s*<\s*\d/.test(part));
  const newer = packages.filter(([, { dev, engines }]) => !dev && engines?.node !== undefined && !wants(engines.node));
  expect(newer.map(([name]) => name)).toEqual([]);
});
