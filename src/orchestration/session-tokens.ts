import { createHmac } from "node:crypto";
import { SessionId } from "../protocol/ids.ts";

interface SessionTokensOptions {
  /** The app's own token, which cannot be computed from derived ones. */
  readonly secret: string;
  /** Constant-time comparison. */
  readonly isSameSecret: (one: string, other: string) => boolean;
  /** Neither killed nor archived. */
  readonly isAlive: (sessionId: SessionId) => Promise<boolean>;
}

/**
 * The token with which a session's agent uses our tools on behalf of that session. Derived, never stored: it survives
 * restarts,
 * ends with the session, and does not reveal the app's own token.
 */
export class SessionTokens {
  readonly #options: SessionTokensOptions;

  constructor(options: SessionTokensOptions) {
    this.#options = options;
  }

  tokenOf(sessionId: SessionId): string {
    const signature = createHmac("sha256", this.#options.secret).update(`mcp-session:${sessionId}`).digest("base64url");
    return `${Buffer.from(sessionId).toString("base64url")}.${signature}`;
  }

  /** The session of a token; null if it is invalid, or its session has ended. */
  async sessionOf(token: string): Promise<SessionId | null> {
    const [name = ""] = token.split(".", 1);
    const id = SessionId.safeParse(Buffer.from(name, "base64url").toString()).data;
    if (id === undefined) return null;
    return this.#options.isSameSecret(token, this.tokenOf(id)) && (await this.#options.isAlive(id)) ? id : null;
  }
}
