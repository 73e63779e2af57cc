/** One result. A note is worth knowing; a problem keeps something from working. */
export interface Finding {
  readonly id: string;
  readonly status: "ok" | "note" | "problem";
  readonly message: string;
  readonly fix?: string;
}

export const ok = (id: string, message: string): Finding => ({ id, status: "ok", message });
export const note = (id: string, message: string, fix?: string): Finding => ({
  id,
  status: "note",
  message,
  ...(fix !== undefined && { fix }),
});
export const problem = (id: string, message: string, fix: string): Finding => ({ id, status: "problem", message, fix });

export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
