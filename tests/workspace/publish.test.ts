import { expect, test } from "bun:test";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { publishCommands } from "../../src/presentation/worktree-words.ts";
import { LocalMerging } from "../../src/workspace/merging/merging.ts";
import { git } from "./git-scene.ts";
import { commit, ENV, inGitDir, mergeScene, refusalOf } from "./merge-scene.ts";

/** A project whose remote is a bare repository, and a directory for programs that come first in PATH. */
async function publishScene(address = "https://forge.example.org/me/atlas.git") {
  const at = await mergeScene();
  const bare = at.dir.join("remote.git");
  git(at.root, "init", "-q", "--bare", "-b", "main", bare);
  git(at.root, "remote", "add", "origin", address);
  git(at.root, "config", `url.${bare}.insteadOf`, address);
  git(at.root, "push", "-q", "origin", "main");
  const tree = at.addWorktree("feature");
  await commit(tree.path, { "a.txt": "2\n" }, "Change a\n\nBecause of b.");
  const programs = at.dir.join("programs");
  await mkdir(programs);
  const env = { ...ENV, PATH: `${programs}:${ENV.PATH}` };
  return {
    ...at,
    bare,
    tree,
    merging: new LocalMerging({ root: at.dir.join("merges"), env }),
    /** Notes its arguments, one in a line. It is signed in to one host. */
    addTool: (name: string, host: string, answer: string) =>
      writeFile(
        join(programs, name),
        `#!/bin/sh\nif [ "$1" = auth ]; then [ "$4" = "${host}" ]; exit; fi\nprintf '%s\\n' "$PWD" "$@" >> ${at.dir.join(name)}.log\n${answer}\n`,
        { mode: 0o755 },
      ),
    logOf: (name: string) => readFile(at.dir.join(`${name}.log`), "utf8"),
    [Symbol.asyncDispose]: () => at[Symbol.asyncDispose](),
  };
}

const DRAFT = { title: "", body: "", into: "main" };

test("without a tool the branch is pushed, the exact command is shown before, and nothing is forced", async () => {
  await using at = await publishScene();
  const preview = await at.merging.publishPreview(at.project, at.tree, DRAFT);
  expect(preview).toMatchObject({
    ...{ branch: "feature", remote: "origin", tool: null, unpushedCommits: 1 },
    ...{ commands: ["git push --set-upstream origin feature".split(" ")], title: "Change a", body: "Because of b." },
    reason: expect.stringMatching(/^No pull request can be opened: gh is not .*glab is not /),
  });
  const run = { pullRequest: null, expect: preview.expect };
  const withRequest = { ...run, pullRequest: { title: "t", body: "b", into: "main" } };
  expect((await refusalOf(at.merging.publish(at.project, at.tree, withRequest))).message).toContain("No pull request");
  expect(git(at.bare, "for-each-ref", "--format=%(refname)").trim()).toBe("refs/heads/main");
  expect(await at.merging.publish(at.project, at.tree, run)).toMatchObject({ url: null });
  expect(git(at.bare, "rev-parse", "feature")).toBe(git(at.root, "rev-parse", "feature"));
  expect(git(at.tree.path, "rev-parse", "--abbrev-ref", "@{upstream}").trim()).toBe("origin/feature");
  // Somebody else pushes; ours is behind and must not win.
  const theirs = git(at.root, "commit-tree", "-p", "feature", "-m", "theirs", "main^{tree}").trim();
  git(at.root, "push", "-q", at.bare, `${theirs}:refs/heads/feature`);
  await commit(at.tree.path, { "a.txt": "3\n" });
  const { expect: seen } = await at.merging.publishPreview(at.project, at.tree, DRAFT);
  const refusal = await refusalOf(at.merging.publish(at.project, at.tree, { pullRequest: null, expect: seen }));
  expect(refusal).toMatchObject({ code: "GIT_REFUSED", message: "Git did not push. It said:" });
  expect(refusal.details).toContain("rejected");
  expect(git(at.bare, "rev-parse", "feature").trim()).toBe(theirs);
});

test("gh opens a pull request with the exact arguments that were shown, and its URL comes back", async () => {
  await using at = await publishScene();
  await at.addTool(
    "gh",
    "forge.example.org",
    'echo "Creating pull request" >&2\necho https://forge.example.org/me/atlas/pull/7',
  );
  const preview = await at.merging.publishPreview(at.project, at.tree, {
    ...DRAFT,
    title: "It's done",
    body: "Two\nlines",
  });
  expect(preview).toMatchObject({ tool: "gh", title: "It's done", body: "Two\nlines" });
  const typed = (title: string) =>
    `git push --set-upstream origin feature\ngh pr create --head feature --base main --title ${title} --body 'Two\nlines'`;
  expect(publishCommands(preview, preview.title, preview.body)).toBe(typed("'It'\\''s done'"));
  expect(publishCommands(preview, "Edited", preview.body)).toBe(typed("Edited"));
  const pullRequest = { title: "It's done", body: "Two\nlines", into: "main" };
  const done = await at.merging.publish(at.project, at.tree, { pullRequest, expect: preview.expect });
  expect(done.url).toBe("https://forge.example.org/me/atlas/pull/7");
  const words = ["pr", "create", "--head", "feature", "--base", "main", "--title", "It's done", "--body", "Two\nlines"];
  expect(await at.logOf("gh")).toBe(`${[at.tree.path, ...words].join("\n")}\n`);
  expect(git(at.bare, "rev-parse", "feature")).toBe(git(at.root, "rev-parse", "feature"));
});

test("glab is used where gh does not fit the host; only http(s) addresses come back", async () => {
  await using at = await publishScene("git@gitlab.example.org:me/atlas.git");
  await at.addTool("gh", "github.com", "exit 1");
  await at.addTool("glab", "gitlab.example.org", "echo 'javascript:alert(1) file:///etc/passwd'");
  const preview = await at.merging.publishPreview(at.project, at.tree, DRAFT);
  expect(preview.tool).toBe("glab");
  expect(publishCommands(preview, preview.title, preview.body).split("\n")[1]).toBe(
    "glab mr create --source-branch feature --target-branch main --title 'Change a' --description 'Because of b.' --yes",
  );
  const pullRequest = { title: preview.title, body: preview.body, into: "main" };
  const done = await at.merging.publish(at.project, at.tree, { pullRequest, expect: preview.expect });
  expect(done.url).toBeNull();
  expect(done.output).toContain("javascript:alert(1)");
});

test("a tool that fails, a hook that refuses, a branch that moved and a missing remote are reported as text", async () => {
  await using at = await publishScene();
  await at.addTool("gh", "forge.example.org", 'echo "a pull request already exists" >&2; exit 1');
  const pullRequest = { title: "t", body: "", into: null };
  const first = await at.merging.publishPreview(at.project, at.tree, DRAFT);
  await mkdir(inGitDir(at.root, "hooks"), { recursive: true });
  const hook = inGitDir(at.root, "hooks/pre-push");
  await writeFile(hook, "#!/bin/sh\necho not today >&2\nexit 1\n", { mode: 0o755 });
  const run = (seen: string) => refusalOf(at.merging.publish(at.project, at.tree, { pullRequest, expect: seen }));
  expect((await run(first.expect)).details).toContain("not today");
  await writeFile(hook, "#!/bin/sh\nexit 0\n", { mode: 0o755 });
  const failed = await run(first.expect);
  expect(failed.message).toContain("The branch was pushed, but gh opened no pull request");
  expect(failed.details).toContain("already exists");
  await commit(at.tree.path, { "a.txt": "3\n" });
  expect(await run(first.expect)).toMatchObject({ code: "WORKDIR_CHANGED" });
  git(at.root, "remote", "remove", "origin");
  const without = await at.merging.publishPreview(at.project, at.tree, DRAFT);
  expect(without).toMatchObject({
    remote: null,
    tool: null,
    commands: [],
    reason: expect.stringContaining("git remote add"),
  });
});
