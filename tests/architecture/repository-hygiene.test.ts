import { describe, expect, test } from "bun:test";
import { deadDocPaths, namedBy } from "./doc-paths.ts";
import { machinePaths, registryAddresses } from "./repository-hygiene.ts";

describe("hygiene", () => {
  const path = (...parts: string[]) => ["", ...parts].join("/");

  test.each([
    [path("home", "grace", "project"), 1],
    [path("Users", "grace", "project"), 1],
    [`cd ${path("home", "grace")}`, 1],
    [["C:", "Users", "Grace"].join("\\"), 1],
    [path("srv", "checkout", "src"), 1],
    [path("home", "user", "project"), 0],
    ["src/home/view/tab.tsx", 0],
    [path("tmp", "project"), 0],
  ])("machine path %s", (text, count) => {
    expect(machinePaths({ path: "docs/a.md", text }, [path("srv", "checkout", "")])).toHaveLength(count);
  });

  test.each([
    ["[a](guide.md) and [b](../README.md#start), [c](https://x.y/z.md)", 0],
    ["[a](gone.md)", 1],
    ["`lib/a.ts`, `src/lib`, `lib/`, `docs/guide.md`, `session/update`", 0],
    ["`lib/gone.ts` and `src/gone`", 2],
    ["`npm run check`", 0],
    ["`npm run gone`", 1],
  ])("a document with %s", (text, count) => {
    const named = namedBy(["README.md", "docs/guide.md", "src/lib/a.ts"], { check: "x" });
    expect(deadDocPaths({ path: "docs/a.md", text }, named)).toHaveLength(count);
  });

  test("registries in a lockfile or a configuration", () => {
    expect(registryAddresses({ path: "package-lock.json", text: '{ "resolved": "https://x" }' })).toHaveLength(1);
    expect(registryAddresses({ path: "package-lock.json", text: '{ "integrity": "sha512-x" }' })).toEqual([]);
    expect(registryAddresses({ path: ".npmrc", text: "registry=https://x" })).toHaveLength(1);
    expect(registryAddresses({ path: ".npmrc", text: "omit-lockfile-registry-resolved=true" })).toEqual([]);
  });
});
