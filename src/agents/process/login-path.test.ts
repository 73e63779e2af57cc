import { describe, expect, it } from "bun:test";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { tempDir } from "../../../tests/support/temp-dir.ts";
import { joinPaths, loginPath } from "./agent-environment.ts";

const LONGER_THAN_THE_LIMIT_MS = 60_000;

/** The environment of a user whose login shell reads this profile. */
async function userWith(profile: string) {
  const dir = await tempDir();
  await writeFile(dir.join(".profile"), profile);
  return {
    dir,
    env: { SHELL: "/bin/sh", HOME: dir.path, PATH: process.env["PATH"] },
    [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose](),
  };
}

describe("loginPath", () => {
  it("is the PATH the user has in a login shell", async () => {
    await using user = await userWith('PATH="/opt/agents/bin:/with a space:/bin"');
    expect(await loginPath(user.env)).toBe("/opt/agents/bin:/with a space:/bin");
  });

  it("is found between whatever else the shell prints", async () => {
    await using user = await userWith('echo "Welcome! PATH=/nowhere"; echo warning >&2; PATH=/opt/bin');
    expect(await loginPath(user.env)).toBe("/opt/bin");
  });

  it("is unknown where there is no shell, none that can be run, or one that fails", async () => {
    expect(await loginPath({})).toBeNull();
    expect(await loginPath({ SHELL: "/no/such/shell" })).toBeNull();
    await using user = await userWith("echo noise; exit 1");
    expect(await loginPath(user.env)).toBeNull();
  });

  it("is not held up by something the profile leaves running", async () => {
    await using user = await userWith('(sleep 1; touch "$HOME/waited"; sleep 1) & PATH=/opt/bin');
    expect(await loginPath(user.env)).toBe("/opt/bin");
    expect(existsSync(user.dir.join("waited"))).toBe(false);
  });

  it(
    "does not wait for a shell that hangs",
    async () => {
      await using user = await userWith("exec sleep 300");
      expect(await loginPath(user.env)).toBeNull();
    },
    LONGER_THAN_THE_LIMIT_MS,
  );
});

describe("joinPaths", () => {
  it.each([
    { own: "/a:/b", login: "/b:/c:/a:/d", joined: "/a:/b:/c:/d" },
    { own: "/a", login: null, joined: "/a" },
    { own: undefined, login: "/a:/b", joined: "/a:/b" },
    { own: "", login: "", joined: "" },
    { own: ":/a::", login: "/a:", joined: "/a" },
  ])("$own and $login make $joined: ours first, each once, none of them empty", ({ own, login, joined }) => {
    expect(joinPaths(own, login)).toBe(joined);
  });
});
