import { createHmac } from "node:crypto";
import { SessionId } from "../protocol/ids.ts";

interface SessionTokensOptions {
  /** The app's own token, which cannot be told from those derived of it. */
  readonly secret: string;
  /** Takes the same time however much of a guess is right. */
  readonly isSameSecret: (one: string, other: string) => boolean;
  /** Neither killed nor archived. */
  readonly isAlive: (sessionId: SessionId) => Promise<boolean>;
}

/**
 * What a session's agent shows to use our tools in that session's name. Derived, never stored: it holds over restarts,
 * ends with the session, and says nothing about the app's own token.
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

  /** Whose token it is; null for one that is nobody's, or whose session has ended. */
  async sessionOf(token: string): Promise<SessionId | null> {
    const [name = ""] = token.split(".", 1);
    const id = SessionId.safeParse(Buffer.from(name, "base64url").toString()).data;
    if (id === undefined) return null;
    return this.#options.isSameSecret(token, this.tokenOf(id)) && (await this.#options.isAlive(id)) ? id : null;
  }
}
