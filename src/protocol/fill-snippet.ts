/** Where the words after a snippet's name go. */
export const ARGUMENTS = "$ARGUMENTS";

/** The text that is sent: it has the arguments in their places, or after it where it names none. */
export function fillSnippet(body: string, args: string): string {
  if (body.includes(ARGUMENTS)) return body.replaceAll(ARGUMENTS, () => args);
  return args === "" ? body : `${body.trimEnd()}\n\n${args}`;
}
