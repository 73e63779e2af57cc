import { z } from "zod/mini";
import { ProjectId } from "../protocol/ids.ts";
import { TERMINAL_CELLS_MAX, TERMINAL_INPUT_CHARS_MAX, TerminalId, TerminalInfo } from "../protocol/terminals.ts";
import { WorktreeId } from "../protocol/worktree-ref.ts";

const PATH_CHARS_MAX = 4_096;
const Cells = z.int().check(z.minimum(1), z.maximum(TERMINAL_CELLS_MAX));
/** Names a reader; the server chooses it. */
const Reader = z.int().check(z.minimum(1));
const NOTHING = z.null();

const NewTerminal = z.object({
  projectId: ProjectId,
  worktreeId: z.nullable(WorktreeId),
  kind: TerminalInfo.shape.kind,
  title: z.string(),
  cwd: z.string().check(z.minLength(1), z.maxLength(PATH_CHARS_MAX)),
  command: z.nullable(z.array(z.string()).check(z.minLength(1))),
  env: z.record(z.string(), z.string()),
  columns: z.optional(Cells),
  rows: z.optional(Cells),
});

/** The port `ProjectTerminals` as a runner serves it. Output comes as events. */
export const TERMINAL_CALLS = {
  list: { args: z.tuple([]), answer: z.array(TerminalInfo) },
  open: { args: z.tuple([NewTerminal]), answer: TerminalInfo },
  input: {
    args: z.tuple([TerminalId, z.string().check(z.maxLength(TERMINAL_INPUT_CHARS_MAX))]),
    answer: z.boolean(),
  },
  resize: { args: z.tuple([TerminalId, Cells, Cells]), answer: z.boolean() },
  close: { args: z.tuple([TerminalId]), answer: z.boolean() },
  attach: {
    args: z.tuple([TerminalId, z.nullable(z.int()), Reader]),
    answer: z.object({
      terminal: TerminalInfo,
      offset: z.int(),
      skipped: z.int(),
      prelude: z.string(),
      columns: z.int(),
      rows: z.int(),
    }),
  },
  acknowledged: { args: z.tuple([Reader, z.int()]), answer: NOTHING },
  detach: { args: z.tuple([Reader]), answer: NOTHING },
} as const;
export type TerminalCall = keyof typeof TERMINAL_CALLS;
