import { createHash } from "node:crypto";
import { ignore } from "../../lib/ignore.ts";
import type { WorktreePlace } from "../../ports/worktrees.ts";
import { REFUSE, RefusalError } from "../../protocol/errors.ts";
import { PULL_REQUEST_CHARS_MAX, type PublishPreview } from "../../protocol/worktrees.ts";
import { readGit, runUserGit } from "../git/run-git.ts";
import { commitOf } from "./checkouts.ts";

export interface PullRequest {
  readonly title: string;
  readonly body: string;
  readonly into: string | null;
}

const PUSH_TIMEOUT_MS = 5 * 60 * 1000;
const TOOL_TIMEOUT_MS = 2 * 60 * 1000;
const SIGNED_IN_TIMEOUT_MS = 10_000;
const TOOL_OUTPUT_BYTES_MAX = 64 * 1024;
const TITLE_CHARS_MAX = 200;
const BODY_COMMITS_MAX = 100;
const EXPECT_CHARS = 32;

type Env = Readonly<Record<string, string>>;
type Tool = "gh" | "glab";

/** The target of a branch, and the title and text. */
interface Way {
  readonly commit: string;
  readonly remote: string | null;
  readonly tool: Tool | null;
  readonly reason: string | null;
}

export async function previewPublish(worktree: WorktreePlace, draft: PullRequest, env: Env): Promise<PublishPreview> {
  const { path, branch, worktreeId } = worktree;
  const way = await findWay(worktree, env);
  const suggested = await suggest(worktree, way, draft);
  const pushed = way.remote === null ? [] : [["git", ...pushArgs(way.remote, branch)]];
  const opened = way.tool === null ? [] : [[way.tool, ...toolArgs(way.tool, branch, suggested)]];
  const known = way.remote === null ? ["--remotes"] : [`--remotes=${way.remote}`];
  const unpushed = await readGit(path, ["rev-list", "--count", way.commit, "--not", ...known]);
  return {
    worktreeId,
    branch,
    remote: way.remote,
    tool: way.tool,
    ...(way.reason !== null && { reason: way.reason }),
    commands: [...pushed, ...opened],
    title: suggested.title,
    body: suggested.body,
    unpushedCommits: Number(unpushed ?? 0),
    expect: expectOf(way),
  };
}

export async function publishBranch(
  worktree: WorktreePlace,
  { pullRequest, expect }: { readonly pullRequest: PullRequest | null; readonly expect: string },
  env: Env,
): Promise<{ readonly url: string | null; readonly output: string }> {
  const { path, branch } = worktree;
  const way = await findWay(worktree, env);
  if (way.remote === null) throw refused(way.reason ?? NO_REMOTE);
  if (expectOf(way) !== expect) throw new RefusalError(REFUSE.branchMoved(branch));
  if (pullRequest !== null && way.tool === null) throw refused(way.reason ?? "No tool can open a pull request.");
  const pushed = await runUserGit({
    directory: path,
    env,
    args: pushArgs(way.remote, branch),
    timeoutMs: PUSH_TIMEOUT_MS,
  });
  if (pushed.isTimedOut)
    throw refused(`Pushing took longer than ${PUSH_TIMEOUT_MS / 60_000} minutes and was stopped.`, pushed.output);
  if (pushed.exitCode !== 0) throw refused("Git did not push. It said:", pushed.output);
  if (pullRequest === null || way.tool === null) {
    const told = pushed.output.split("\n").filter((line) => line.startsWith("remote:"));
    return { url: lastUrl(told.join("\n")), output: pushed.output };
  }
  const args = toolArgs(way.tool, branch, pullRequest);
  const opened = await runTool(way.tool, args, { directory: path, env, timeoutMs: TOOL_TIMEOUT_MS });
  const output = `${pushed.output}${opened.output}`;
  if (opened.exitCode !== 0)
    throw refused(`The branch was pushed, but ${way.tool} opened no pull request. It said:`, opened.output);
  return { url: lastUrl(opened.output), output };
}

const NO_REMOTE = 'There is no remote to push to. Add one with "git remote add origin <url>".';

/** Never with force: what the remote has stays. */
function pushArgs(remote: string, branch: string): string[] {
  // A name that begins with a plus sign would be taken for force.
  const name = branch.startsWith("+") ? `refs/heads/${branch}` : branch;
  return ["push", "--set-upstream", remote, name];
}

function toolArgs(tool: Tool, branch: string, { title, body, into }: PullRequest): string[] {
  if (tool === "gh") {
    const base = into === null ? [] : ["--base", into];
    return ["pr", "create", "--head", branch, ...base, "--title", title, "--body", body];
  }
  const target = into === null ? [] : ["--target-branch", into];
  return ["mr", "create", "--source-branch", branch, ...target, "--title", title, "--description", body, "--yes"];
}

async function findWay({ path, branch }: WorktreePlace, env: Env): Promise<Way> {
  const commit = await commitOf(path, branch);
  if (commit === null) throw refused(`There is no branch ${branch}. It may have been renamed or deleted.`);
  const remote = await remoteOf(path, branch);
  if (remote === null) return { commit, remote, tool: null, reason: NO_REMOTE };
  const hosts = await hostsOf(path, remote);
  if (hosts.length === 0)
    return { commit, remote, tool: null, reason: `${remote} is not on a server that pull requests can be opened on.` };
  const problems: string[] = [];
  for (const tool of ["gh", "glab"] as const) {
    if (Bun.which(tool, { PATH: env["PATH"] ?? "" }) === null) {
      problems.push(`${tool} is not installed`);
      continue;
    }
    for (const host of hosts) {
      const place = { directory: path, env, timeoutMs: SIGNED_IN_TIMEOUT_MS };
      const { exitCode } = await runTool(tool, ["auth", "status", "--hostname", host], place);
      if (exitCode === 0) return { commit, remote, tool, reason: null };
      problems.push(`${tool} is not signed in to ${host}`);
    }
  }
  const hint = "Install gh (GitHub) or glab (GitLab) and sign in with its own command, or push the branch only.";
  return { commit, remote, tool: null, reason: `No pull request can be opened: ${problems.join(", ")}. ${hint}` };
}

async function remoteOf(directory: string, branch: string): Promise<string | null> {
  const remotes = ((await readGit(directory, ["remote"])) ?? "").split("\n").filter((name) => name !== "");
  for (const setting of [`branch.${branch}.pushRemote`, "remote.pushDefault", `branch.${branch}.remote`]) {
    const name = (await readGit(directory, ["config", "--get", setting]))?.trim();
    if (name !== undefined && remotes.includes(name)) return name;
  }
  return remotes.includes("origin") ? "origin" : (remotes[0] ?? null);
}

/** Of the address that Git pushes to, and of the one that is written down. */
async function hostsOf(directory: string, remote: string): Promise<string[]> {
  const addresses = await Promise.all([
    readGit(directory, ["remote", "get-url", "--push", remote]),
    readGit(directory, ["config", "--get", `remote.${remote}.url`]),
  ]);
  return [...new Set(addresses.flatMap((address) => hostOf(address?.trim() ?? "") ?? []))];
}

/** `https://host/path`, `ssh://user@host:22/path`, `user@host:path`. */
export function hostOf(address: string): string | null {
  const [, host] =
    /^(?:https?|ssh|git):\/\/(?:[^@/]*@)?([\w.-]+)(?::\d+)?\//i.exec(address) ??
    /^(?:[\w.-]+@)?([\w-]+(?:\.[\w-]+)+):(?!\/\/)/.exec(address) ??
    [];
  return host?.toLowerCase() ?? null;
}

/** What the user may change: the subject of the only commit, or the name of the branch and all subjects. */
async function suggest({ path, branch }: WorktreePlace, { commit }: Way, draft: PullRequest): Promise<PullRequest> {
  const base = draft.into === null ? null : await commitOf(path, draft.into);
  const range = base === null ? ["-1", commit] : [`--max-count=${BODY_COMMITS_MAX}`, "--reverse", `${base}..${commit}`];
  const log =
    (await readGit(path, ["log", "--no-merges", "--encoding=UTF-8", "--format=%s%x00%b%x00%x00", ...range])) ?? "";
  const commits = Buffer.from(log, "latin1")
    .toString("utf8")
    .split("\0\0")
    .map((text) => text.replace(/^\n/, "").split("\0"))
    .filter(([subject = ""]) => subject !== "");
  const [only] = commits.length === 1 ? commits : [];
  const title = draft.title.trim() || only?.[0] || branch.replace(/^liminal\//, "").replaceAll("-", " ");
  const body = draft.body || (only ? (only[1] ?? "").trim() : commits.map(([subject]) => `- ${subject}`).join("\n"));
  return { title: title.slice(0, TITLE_CHARS_MAX), body: body.slice(0, PULL_REQUEST_CHARS_MAX), into: draft.into };
}

function expectOf({ commit, remote, tool }: Way): string {
  return createHash("sha256")
    .update(JSON.stringify([commit, remote, tool]))
    .digest("hex")
    .slice(0, EXPECT_CHARS);
}

interface ToolPlace {
  readonly directory: string;
  readonly env: Env;
  readonly timeoutMs: number;
}

async function runTool(
  tool: Tool,
  args: readonly string[],
  { directory, env, timeoutMs }: ToolPlace,
): Promise<{ readonly exitCode: number; readonly output: string }> {
  const program = Bun.which(tool, { PATH: env["PATH"] ?? "" });
  if (program === null) throw refused(`${tool} is not installed. Install it, or push the branch only.`);
  const child = Bun.spawn([program, ...args], {
    cwd: directory,
    // It has no terminal: it must not ask.
    env: { ...env, GH_PROMPT_DISABLED: "1", GLAB_NO_PROMPT: "1", NO_COLOR: "1", GIT_TERMINAL_PROMPT: "0" },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    timeout: timeoutMs,
    killSignal: "SIGKILL",
  });
  const outputs = Promise.all([new Response(child.stdout).arrayBuffer(), new Response(child.stderr).arrayBuffer()]);
  outputs.catch(ignore("the exit code tells"));
  const exitCode = await child.exited;
  const texts = (await outputs).map((output) => Buffer.from(output.slice(0, TOOL_OUTPUT_BYTES_MAX)).toString("utf8"));
  return { exitCode, output: texts.join("") };
}

/** The last one that a tool wrote; no other scheme is ever opened. */
function lastUrl(output: string): string | null {
  const found = output
    .match(/\bhttps?:\/\/[^\s<>"'`]+/g)
    ?.at(-1)
    ?.replace(/[.,)]+$/, "");
  return found !== undefined && URL.canParse(found) ? found : null;
}

function refused(words: string, details?: string): RefusalError {
  return new RefusalError(REFUSE.gitRefused(words, details));
}
