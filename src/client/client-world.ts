/** The part of a WebSocket that is used: the browser's and Bun's both are one. */
export interface ClientSocket {
  addEventListener(type: "open" | "close" | "error", listener: () => void): void;
  addEventListener(type: "message", listener: (event: { readonly data: unknown }) => void): void;
  send(text: string): void;
  close(): void;
}

/** What a client needs from outside, passed in so that it runs in a page, in a terminal and in a test. */
export interface ClientWorld {
  readonly openSocket: (url: string) => ClientSocket;
  readonly now: () => number;
  /** Calls once after a time; what it returns takes that back. */
  readonly after: (ms: number, call: () => void) => () => void;
  /** At least 0, less than 1. */
  readonly random: () => number;
  readonly newId: () => string;
  /** Asks, more cheaply than by a socket, whether the server is there; without it only the schedule decides. */
  readonly probe?: () => Promise<boolean>;
}
