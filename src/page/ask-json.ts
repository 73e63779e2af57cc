import { z } from "zod/mini";
import { askServer } from "./own-server.ts";

const Refused = z.object({ error: z.string() });

/** A request to our own server. Throws with the server's message if refused. */
export async function askJson(path: string, init: RequestInit = {}): Promise<unknown> {
  const answer = await askServer(path, init);
  if (answer.ok) return answer.json();
  const refused = Refused.safeParse(await answer.json().catch(() => null));
  throw new Error(refused.success ? refused.data.error : `The server returned ${answer.status}. Try again.`);
}
