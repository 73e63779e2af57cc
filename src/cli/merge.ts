import { createInterface } from "node:readline/promises";
import type { MergePreview } from "../protocol/worktrees.ts";
import { type CommandLine, wrongUsage } from "./command-line.ts";
import { EXIT, type ExitCode } from "./exit-codes.ts";
import { print, printNote } from "./print.ts";
import { connect } from "./server-link.ts";
import { oneLine, paint, Styled, styled } from "./terminal.ts";
import { findWorktree, listWorktrees } from "./worktrees.ts";

const FILES_SHOWN_MAX = 50;

/** Shows the effect of a merge, and carries it out on request. */
export async function merge(line: CommandLine): Promise<ExitCode> {
  const [wanted] = line.args;
  const commitMessage = line.text("commit")?.trim();
  if (line.has("preview") && line.has("yes")) throw wrongUsage(line, "--preview cannot be combined with --yes.");
  if (line.has("preview") && commitMessage !== undefined)
    throw wrongUsage(line, "--preview cannot be combined with --commit.");
  if (commitMessage === "") throw wrongUsage(line, "--commit needs a message.");
  if (line.text("message") !== undefined && !line.has("squash"))
    throw wrongUsage(line, "--message is only used with --squash. The message of a commit before it: --commit");
  using link = await connect(line.env);
  const { worktrees, here } = await listWorktrees(line, link);
  const chosen = wanted === undefined ? here : findWorktree(worktrees, wanted);
  if (chosen === null)
    throw wrongUsage(line, "Name a worktree, or run this in one. List worktrees with: liminal worktrees");
  const { worktreeId } = chosen;
  const into = line.text("into");
  const look = async (): Promise<MergePreview> => {
    const request = { type: "merge:preview", worktreeId, ...(into !== undefined && { into }) } as const;
    const { type: _, requestId: __, ...preview } = await link.ask("merge:preview", request);
    return preview;
  };
  let preview = await look();
  const commits = commitMessage !== undefined && preview.uncommitted !== undefined;
  const isAllowed = line.has("yes") && (commits || isPossible(preview));
  if (!isAllowed) {
    if (!line.json) print(line, {}, describe(preview, commits));
    const canAsk = !line.json && !line.has("preview") && process.stdin.isTTY && process.stdout.isTTY;
    const isAsked = canAsk && (commits || isPossible(preview));
    if (!isAsked || !(await isConfirmed(preview, commits))) {
      if (line.json) print(line, { ...preview, status: "preview" }, "");
      else if (commits) printNote("Nothing was committed or merged. To do both, add --yes.");
      else if (isPossible(preview)) printNote("Nothing was merged. To merge, add --yes.");
      return exitOf(preview);
    }
  }
  let committed: string | undefined;
  if (commits && preview.uncommitted !== undefined) {
    const { uncommittedFiles, uncommitted } = preview;
    const request = { type: "merge:commit", worktreeId, message: commitMessage, expect: uncommitted.expect } as const;
    committed = (await link.ask("merge:committed", request)).commit;
    if (!line.json) print(line, {}, `Committed ${plural(uncommittedFiles, "file")}: ${committed}`);
    preview = await look();
    if (!isPossible(preview)) {
      print(line, { ...preview, status: "preview", committed }, describe(preview, false));
      return exitOf(preview);
    }
  }
  const message = line.text("message");
  const { commit } = await link.ask("merge:done", {
    type: "merge:run",
    worktreeId,
    into: preview.into,
    how: line.has("squash") ? "squash" : "merge",
    ...(message !== undefined && { message }),
    expect: preview.expect,
  });
  print(
    line,
    { ...preview, status: "merged", commit, ...(committed !== undefined && { committed }) },
    `Merged ${oneLine(preview.branch)} into ${oneLine(preview.into)}: ${commit}`,
  );
  return EXIT.done;
}

function isPossible({ result, inTheWay }: MergePreview): boolean {
  return result === "clean" && inTheWay.length === 0;
}

function exitOf(preview: MergePreview): ExitCode {
  return isPossible(preview) || preview.result === "nothing" ? EXIT.done : EXIT.failed;
}

async function isConfirmed({ branch, into, uncommittedFiles }: MergePreview, commits: boolean): Promise<boolean> {
  const reading = createInterface({ input: process.stdin, output: process.stderr });
  const first = commits ? `Commit ${plural(uncommittedFiles, "file")}, then merge` : "Merge";
  try {
    const answer = await reading.question(`${first} ${oneLine(branch)} into ${oneLine(into)}? [y/N] `);
    return /^y(es)?$/i.test(answer.trim());
  } finally {
    reading.close();
  }
}

function describe(preview: MergePreview, isCommitted: boolean): Styled {
  const { branch, into, result, reason, commits, files, totalFiles, added, removed } = preview;
  const { conflicts, inTheWay, checkout, uncommittedFiles } = preview;
  const head = {
    clean: `${plural(commits, "commit")} and ${plural(totalFiles, "file")} (+${added} -${removed})`,
    conflicts: "conflicts",
    nothing: "nothing to merge: all its commits are there",
    unknown: `cannot be told${reason === undefined ? "" : `: ${oneLine(reason)}`}`,
  }[result];
  const more = totalFiles > FILES_SHOWN_MAX ? [`  and ${totalFiles - FILES_SHOWN_MAX} more\n`] : [];
  return Styled.join([
    styled`${paint("bold", `${oneLine(branch)} → ${oneLine(into)}`)}: ${head}\n`,
    ...files.slice(0, FILES_SHOWN_MAX).map((file) => `  ${oneLine(file.path)}\n`),
    ...more,
    ...group(
      "Conflicts",
      conflicts.map(({ path, kind }) => `${oneLine(path)} (${kind})`),
    ),
    ...group(
      `In the way: uncommitted in ${oneLine(checkout ?? into)} and not as the merge brings them. Commit them there, or put them away with "git stash push --include-untracked", then merge again`,
      inTheWay.map((path) => oneLine(path)),
    ),
    ...(uncommittedFiles > 0 ? [uncommittedWords(uncommittedFiles, isCommitted)] : []),
  ]);
}

function uncommittedWords(count: number, isCommitted: boolean): string {
  const files = plural(count, "uncommitted file");
  return isCommitted
    ? `Committed first: ${files}\n`
    : `Not part of the merge: ${files}. To commit first, add --commit "message".\n`;
}

function group(title: string, names: readonly string[]): Styled[] {
  return names.length === 0
    ? []
    : [styled`${paint("red", title)}:\n`, ...names.map((name) => Styled.of(`  ${name}\n`))];
}

function plural(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? "" : "s"}`;
}
