import { z } from "zod/mini";
import { CONFIRM_WORDS } from "../../protocol/confirm-words.ts";
import { askServer } from "../own-server.ts";

const Failed = z.object({ error: z.string() });
const Written = z.object({ path: z.string(), bytes: z.number(), sessions: z.int() });
const Deleted = z.object({ sessions: z.int(), freedBytes: z.number() });

export type Asked = { readonly ok: true; readonly words: string } | { readonly ok: false; readonly words: string };

/** Makes a backup; where it lies, or why there is none. */
export function backUp(size: (bytes: number) => string): Promise<Asked> {
  return ask("/api/backup", {}, (answer) => {
    const { path, bytes, sessions } = Written.parse(answer);
    return `${count(sessions)} in ${path} (${size(bytes)})`;
  });
}

export function deleteSessions(which: "archived" | "everything", size: (bytes: number) => string): Promise<Asked> {
  const body = which === "archived" ? { which } : { which, confirm: CONFIRM_WORDS };
  return ask("/api/delete", body, (answer) => {
    const { sessions, freedBytes } = Deleted.parse(answer);
    return `${count(sessions)} deleted, ${size(freedBytes)} freed`;
  });
}

async function ask(path: string, body: object, words: (answer: unknown) => string): Promise<Asked> {
  try {
    const response = await askServer(path, { method: "POST", body: JSON.stringify(body) });
    const answer: unknown = await response.json();
    if (response.ok) return { ok: true, words: words(answer) };
    return { ok: false, words: Failed.safeParse(answer).data?.error ?? `The server answered ${response.status}.` };
  } catch {
    return { ok: false, words: "The server does not answer. Try again when it is back." };
  }
}

function count(sessions: number): string {
  return sessions === 1 ? "1 session" : `${sessions} sessions`;
}
