import { z } from "zod/mini";
import type { CommandMachine } from "../ports/project-commands.ts";

const PATH_CHARS_MAX = 4_096;
const Directory = z.string().check(z.minLength(1), z.maxLength(PATH_CHARS_MAX));
const Port = z.int().check(z.minimum(1), z.maximum(65_535));

/** The port `CommandMachine` as a runner serves it. What runs, and whether it may, the server decides. */
export const COMMAND_CALLS = {
  read: {
    args: z.tuple([Directory]),
    answer: z.nullable(z.union([z.object({ text: z.string() }), z.object({ problem: z.string() })])),
  },
  isFree: { args: z.tuple([Directory, Port]), answer: z.boolean() },
  answersOn: { args: z.tuple([Directory, Port]), answer: z.boolean() },
} as const satisfies Readonly<Record<keyof CommandMachine, object>>;
