import { loadRe2 } from "../linear-pattern.ts";

/**
 * Tries an agent's pattern in time that grows with the text and no faster: the pattern is the agent's, the text is the
 * user's, and the server is everyone's. One that needs more than that (looking around, referring back) fits anything:
 * the agent checks its own answer.
 */
export function fitsPattern(pattern: string, text: string): boolean {
  const { RE2JS, RE2JSException } = loadRe2();
  try {
    return RE2JS.compile(pattern).matcher(text).find();
  } catch (error) {
    if (error instanceof RE2JSException) return true;
    throw error;
  }
}
