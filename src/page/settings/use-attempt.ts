import { useState } from "preact/hooks";

/** Runs requests of a section; the error of the last one is `problem`. */
export function useAttempt() {
  const [problem, setProblem] = useState("");
  /** Null when it failed. */
  const attempt = async <Answer>(ask: () => Promise<Answer>): Promise<Answer | null> => {
    setProblem("");
    try {
      return await ask();
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
      return null;
    }
  };
  return { problem, setProblem, attempt };
}
