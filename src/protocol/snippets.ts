import { z } from "zod/mini";
import { ProjectId } from "./ids.ts";
import { PROMPT_CHARS_MAX } from "./limits.ts";

export const SNIPPET_NAME_CHARS_MAX = 64;
export const SNIPPET_BODY_CHARS_MAX = Math.min(PROMPT_CHARS_MAX, 100_000);
export const SNIPPETS_MAX = 500;

export const SnippetId = z.string().check(z.minLength(1), z.maxLength(200)).brand<"SnippetId">();
export type SnippetId = z.infer<typeof SnippetId>;

/** Typed after `/`: one word, without a slash. */
export const SnippetName = z
  .string()
  .check(
    z.maxLength(SNIPPET_NAME_CHARS_MAX),
    z.regex(
      /^[\p{L}\p{N}][\p{L}\p{N}._-]*$/u,
      'use letters, digits, ".", "_" and "-" without spaces, with a letter or a digit first.',
    ),
  );

/** A text that the user saves for repeated use. */
export const Snippet = z.object({
  id: SnippetId,
  name: SnippetName,
  body: z.string().check(z.minLength(1, "the text must not be empty."), z.maxLength(SNIPPET_BODY_CHARS_MAX)),
  /** Absent: it is offered in every project. */
  projectId: z.optional(ProjectId),
  updatedAt: z.string(),
});
export type Snippet = z.infer<typeof Snippet>;

export const SNIPPET_REQUESTS = {
  "snippet:list": {},
  /** Without an id it is a new one. A name is unique in each project, and among those for all projects. */
  "snippet:save": {
    snippetId: z.optional(SnippetId),
    name: Snippet.shape.name,
    body: Snippet.shape.body,
    projectId: z.optional(ProjectId),
  },
  "snippet:remove": { snippetId: SnippetId },
};

/** All of them, by name. Every client hears of a change. */
export const SNIPPET_ANSWERS = { "snippet:list": { snippets: z.array(Snippet) } };

/** Those for a project, by name; a project's own snippet hides the one for all projects with the same name. */
export function snippetsFor(snippets: readonly Snippet[], projectId: ProjectId | null): readonly Snippet[] {
  const own = snippets.filter((one) => one.projectId !== undefined && one.projectId === projectId);
  const names = new Set(own.map(({ name }) => name));
  const shared = snippets.filter(({ name, projectId: other }) => other === undefined && !names.has(name));
  return [...own, ...shared].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** A name for a text, from its first words. */
export function snippetNameOf(body: string): string {
  const words = body.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const name = words.slice(0, 4).join("-").slice(0, 40).replace(/-$/, "");
  return name === "" ? "snippet" : name;
}
