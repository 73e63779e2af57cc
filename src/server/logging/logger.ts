/** What happens in the server, for the person at the terminal and for whoever looks later. */
export interface Logger {
  info(text: string): void;
  warn(text: string): void;
  error(text: string, error?: unknown): void;
}
