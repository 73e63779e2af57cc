import type { AgentEvent } from "../../../ports/agents.ts";

/** Codex parts thoughts by empty lines and sends them before the first one too, where there is nothing to part. */
export class BlankStarts {
  #growing: string | null = null;

  get growing(): string | null {
    return this.#growing;
  }

  restore(growing: string | null): void {
    this.#growing = growing;
  }

  /** True for an empty piece that would start a text; inside of one the same piece counts. */
  isBlank(event: AgentEvent): boolean {
    switch (event.type) {
      case "text": {
        const text = `${event.kind} ${event.messageId ?? ""} ${event.parentToolCallId ?? ""}`;
        if (text !== this.#growing && event.text.trim() === "") return true;
        this.#growing = text;
        return false;
      }
      case "part":
      case "tool":
      case "plan":
      case "notice":
      case "compaction":
        this.#growing = null;
        return false;
      default:
        return false;
    }
  }
}
