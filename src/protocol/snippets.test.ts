import { expect, it } from "bun:test";
import { fillSnippet } from "./fill-snippet.ts";
import { ProjectId } from "./ids.ts";
import { type Snippet, SnippetId, SnippetName, snippetNameOf, snippetsFor } from "./snippets.ts";

const HERE = ProjectId.parse("here");
const snippet = (name: string, projectId?: string): Snippet => ({
  id: SnippetId.parse(`${name}-${projectId}`),
  name,
  body: "x",
  updatedAt: "2026-11-18T06:00:00.000Z",
  ...(projectId !== undefined && { projectId: ProjectId.parse(projectId) }),
});

it("CV-53 a snippet is its text, with the arguments where it names them, and after it otherwise", () => {
  expect(fillSnippet("Review $ARGUMENTS. Again: $ARGUMENTS", "a $& b")).toBe("Review a $& b. Again: a $& b");
  expect(fillSnippet("Review it.\n", "")).toBe("Review it.\n");
  expect(fillSnippet("Review it.\n", "src/a.ts")).toBe("Review it.\n\nsrc/a.ts");
  expect(fillSnippet("Only $ARGUMENTS", "")).toBe("Only ");
});

it("the snippets of a project come with those for all, and hide one with the same name", () => {
  const all = [snippet("review"), snippet("review", "here"), snippet("plan"), snippet("other", "there")];
  expect(snippetsFor(all, HERE).map(({ id }) => id as string)).toEqual(["plan-undefined", "review-here"]);
  expect(snippetsFor(all, null).map(({ id }) => id as string)).toEqual(["plan-undefined", "review-undefined"]);
});

it("a name is one word that can be typed after a slash", () => {
  for (const name of ["review", "überprüfe", "a.b-c_1"]) expect(SnippetName.safeParse(name).success).toBe(true);
  for (const name of ["", "two words", "/review", "-x", "a".repeat(65)])
    expect(SnippetName.safeParse(name).success).toBe(false);
  for (const body of ["Review the change!", "???", "One two three four five six"])
    expect(SnippetName.safeParse(snippetNameOf(body)).success).toBe(true);
});
