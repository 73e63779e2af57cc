import { diffArrays } from "diff";
import {
  type ChangesState,
  type DecisionItem,
  type FilePatch,
  PATCH_BYTES_MAX,
  PATCH_LINES_MAX,
  type PatchHunk,
  type ReviewDecision,
  type WaitingDiscard,
} from "../../src/protocol/changes.ts";
import type { PortletQuestion } from "../../src/protocol/portlet-commands.ts";
import type { ShellToPortlet } from "../../src/protocol/portlet-messages.ts";

/** One file: as it was reviewed, and as it is. Null: it is not there. */
interface SceneFile {
  reviewed: string | null;
  current: string | null;
}

type Answered = Omit<Extract<ShellToPortlet, { type: "portlet:answer" }>, "type" | "id">;
const CONTEXT_LINES = 3;

/** Plays the server's part of a review in memory: for states and sizes that would take long to make with real files. */
export class ReviewScene {
  readonly files: Map<string, SceneFile>;
  readonly asked: PortletQuestion[] = [];
  readonly #undo: { decision: ReviewDecision; files: Map<string, SceneFile> }[] = [];
  readonly #viewed = new Set<string>();
  #version = 1;
  /** A turn runs: discards wait for its end. */
  isBusy = false;
  #waiting: WaitingDiscard[] = [];
  /** Fields of the state that a test wants otherwise. */
  more: Partial<ChangesState> = {};
  /** Refuses questions of a type. */
  refuses = new Map<string, { code: string; message: string; words?: string; details?: string }>();

  constructor(files: Readonly<Record<string, readonly [string | null, string | null]>>) {
    this.files = new Map(Object.entries(files).map(([path, [reviewed, current]]) => [path, { reviewed, current }]));
  }

  answer(question: PortletQuestion): Answered {
    this.asked.push(question);
    const refusal = this.refuses.get(question.type);
    if (refusal) return { refusal };
    switch (question.type) {
      case "changes:patch":
        return {
          answer: {
            type: "changes:patch",
            sessionId: SESSION_ID,
            path: question.path,
            version: this.#name,
            patch: this.#patch(question.path, question.whole === true),
          },
        };
      case "changes:decide":
        if (question.expect !== this.#name) return { refusal: { code: "WORKDIR_CHANGED", message: "Files changed." } };
        if (this.isBusy && question.decision === "discard") return this.#wait(question.wait, question.items ?? []);
        this.#decide(question.decision, question.items ?? [...this.files.keys()].map((path) => ({ path })));
        return { answer: this.state };
      case "changes:cancel":
        this.#waiting = this.#waiting.filter(({ waitId }) => waitId !== question.waitId);
        return { answer: { type: "ok" } };
      case "changes:undo": {
        const at = this.#undo.findIndex(({ decision }) => decision.undoId === question.undoId);
        const [undone] = this.#undo.splice(at, 1);
        for (const [path, file] of undone?.files ?? []) this.files.set(path, file);
        this.#version += 1;
        return { answer: { type: "ok" } };
      }
      case "changes:viewed":
        if (question.viewed) this.#viewed.add(question.path);
        else this.#viewed.delete(question.path);
        return { answer: { type: "ok" } };
      case "workdir:commit":
        for (const path of question.items?.map((item) => item.path) ?? [...this.files.keys()]) this.files.delete(path);
        this.#version += 1;
        return { answer: { type: "workdir:committed", sessionId: SESSION_ID, commit: "0123456789", output: "" } };
      case "checkpoint:settle":
        this.more = {};
        return { answer: { type: "ok" } };
      case "changes:open":
        return { answer: this.state };
      default:
        return { answer: { type: "ok" } };
    }
  }

  get state(): { type: "changes:state"; sessionId: typeof SESSION_ID } & ChangesState {
    const files = [...this.files].filter(([, { reviewed, current }]) => reviewed !== current);
    const listed = files.map(([path, { reviewed, current }]) => {
      const sizes = hunksOf(reviewed ?? "", current ?? "", 0);
      const sum = (side: "oldCount" | "newCount") => sizes.reduce((lines, hunk) => lines + hunk[side], 0);
      const status = reviewed === null ? "added" : current === null ? "deleted" : "modified";
      const counts = { added: sum("newCount"), removed: sum("oldCount") };
      return { path, status, ...counts, review: "open", viewed: this.#viewed.has(path) } as const;
    });
    const counts = {
      files: listed.length,
      added: listed.reduce((sum, { added }) => sum + added, 0),
      removed: listed.reduce((sum, { removed }) => sum + removed, 0),
    };
    return {
      type: "changes:state",
      sessionId: SESSION_ID,
      scope: { kind: "unreviewed" },
      version: this.#name,
      prefix: "",
      files: listed,
      total: listed.length,
      counts: { base: counts, unreviewed: counts, turn: null },
      decisions: this.#undo.map(({ decision }) => decision).toReversed(),
      waiting: this.#waiting,
      leftOut: [],
      submodules: [],
      head: { branch: "webhook-backoff", commit: "0123456789" },
      lastTurnId: null,
      cutOff: null,
      ...this.more,
    };
  }

  get #name(): string {
    return `${this.#version}`;
  }

  #patch(path: string, whole: boolean): FilePatch {
    const { reviewed, current } = this.files.get(path) ?? { reviewed: "", current: "" };
    const lines = linesOf(current ?? "").length;
    const bytes = (current ?? "").length;
    if (!whole && (lines > PATCH_LINES_MAX || bytes > PATCH_BYTES_MAX)) return { kind: "too-large", lines, bytes };
    const context = whole ? Number.POSITIVE_INFINITY : CONTEXT_LINES;
    return { kind: "text", hunks: hunksOf(reviewed ?? "", current ?? "", context), isWholeFile: whole };
  }

  #decide(kind: "keep" | "discard", items: readonly DecisionItem[]): void {
    const before = new Map(items.map(({ path }) => [path, { ...this.#file(path) }]));
    for (const { path, hunkIds } of items) {
      const file = this.#file(path);
      const isChosen = ({ hunkId }: PatchHunk) => hunkIds === undefined || hunkIds.includes(hunkId);
      const isWhole = hunkIds === undefined;
      if (kind === "keep") file.reviewed = isWhole ? file.current : applied(file, isChosen);
      else file.current = isWhole ? file.reviewed : applied(file, (hunk) => !isChosen(hunk));
    }
    const undoId = `u${this.asked.length}`;
    const [first] = items;
    const decision = { undoId, kind, at: "", files: items.length, path: first?.path ?? "" };
    this.#undo.push({ decision, files: before });
    this.#version += 1;
  }

  #wait(mayWait: boolean | undefined, items: DecisionItem[]): Answered {
    if (mayWait !== true) return { refusal: { code: "WORKDIR_BUSY", message: "An agent is working." } };
    const path = items[0]?.path ?? "";
    const waitId = `w${this.asked.length}`;
    this.#waiting = [...this.#waiting, { waitId, at: `${this.asked.length}`, files: items.length, path, items }];
    return { answer: this.state };
  }

  #file(path: string): SceneFile {
    const file = this.files.get(path);
    if (file === undefined) throw new Error(`no file ${path}`);
    return file;
  }
}

const SESSION_ID = "builtin:scene" as Extract<
  ShellToPortlet,
  { type: "portlet:children" }
>["children"][number]["sessionId"];

function linesOf(text: string): string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}

function hunksOf(oldText: string, newText: string, context: number): PatchHunk[] {
  const after = linesOf(newText);
  const hunks: PatchHunk[] = [];
  let [oldAt, newAt] = [0, 0];
  let removed: readonly string[] = [];
  const add = (newLines: readonly string[]) => {
    const newEnd = newAt + newLines.length;
    const ranges = {
      oldStart: removed.length > 0 ? oldAt - removed.length + 1 : oldAt,
      oldCount: removed.length,
      newStart: newLines.length > 0 ? newAt + 1 : newAt,
      newCount: newLines.length,
    };
    hunks.push({
      hunkId: `${ranges.oldStart},${ranges.oldCount}-${ranges.newStart},${ranges.newCount}`,
      ...ranges,
      isKept: false,
      oldLines: [...removed],
      newLines: [...newLines],
      before: after.slice(Math.max(0, newAt - context), newAt),
      after: after.slice(newEnd, newEnd + context),
    });
    removed = [];
  };
  const parts = diffArrays(linesOf(oldText), after);
  for (const [at, part] of parts.entries()) {
    if (part.removed) {
      oldAt += part.value.length;
      removed = part.value;
      if (parts[at + 1]?.added !== true) add([]);
    } else if (part.added) {
      add(part.value);
      newAt += part.value.length;
    } else {
      oldAt += part.value.length;
      newAt += part.value.length;
    }
  }
  return hunks;
}

function applied({ reviewed, current }: SceneFile, isApplied: (hunk: PatchHunk) => boolean): string {
  const before = linesOf(reviewed ?? "");
  const result: string[] = [];
  let next = 0;
  for (const hunk of hunksOf(reviewed ?? "", current ?? "", 0)) {
    const from = hunk.oldCount > 0 ? hunk.oldStart - 1 : hunk.oldStart;
    result.push(...before.slice(next, from), ...(isApplied(hunk) ? hunk.newLines : hunk.oldLines));
    next = from + hunk.oldCount;
  }
  return `${[...result, ...before.slice(next)].join("\n")}\n`;
}
