import type { SessionId } from "../protocol/ids.ts";

/** The tools for agents, as far as HTTP must know them. */
export interface McpDoor {
  /** Whose token it is; null when it is no session's, or the session has ended. */
  sessionOf(token: string): SessionId | null;
  /** In a session's name, or for a program outside, which holds the app's own token or comes from a paired device. */
  serve(
    request: Request,
    visitor: { readonly session: SessionId | null; readonly deviceId: string | null },
  ): Promise<Response>;
}
