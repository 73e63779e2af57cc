import { createHmac, timingSafeEqual } from "node:crypto";
import { SessionId } from "../protocol/ids.ts";

interface SessionTokensOptions {
  /** The app's own token, which cannot be told from those derived of it. */
  readonly secret: string;
  /** Neither killed nor archived. */
  readonly isAlive: (sessionId: SessionId) => boolean;
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
    return `${Buffer.from(sessionId).toString("base64url")}.${this.#sign(sessionId).toString("base64url")}`;
  }

  /** Whose token it is; null for one that is nobody's, or whose session has ended. */
  sessionOf(token: string): SessionId | null {
    const [name = "", signature = "", ...rest] = token.split(".");
    const id = SessionId.safeParse(Buffer.from(name, "base64url").toString()).data;
    if (id === undefined || rest.length > 0 || token !== `${name}.${signature}`) return null;
    const given = Buffer.from(signature, "base64url");
    const right = this.#sign(id);
    const isRight = given.length === right.length && timingSafeEqual(given, right);
    return isRight && this.tokenOf(id) === token && this.#options.isAlive(id) ? id : null;
  }

  #sign(sessionId: SessionId): Buffer {
    return createHmac("sha256", this.#options.secret).update(`mcp-session:${sessionId}`).digest();
  }
}
