import type { AgentEvent, ToolPatch } from "../../../ports/agents.ts";
import type { Json } from "../../../protocol/json.ts";
import type { SessionNote } from "../connection/acp-note.ts";
import { BlankStarts } from "./blank-starts.ts";
import { OwnTerminals } from "./own-terminals.ts";
import { ReplacedContent } from "./replaced-content.ts";
import { translateUpdate } from "./translate-update.ts";

/** Updates of one conversation to events; what an update means may depend on those before it. */
export class UpdateReader {
  readonly #content = new ReplacedContent();
  readonly #terminals = new OwnTerminals();
  readonly #blanks = new BlankStarts();

  read(update: Json): AgentEvent[] {
    return translateUpdate(update)
      .flatMap((event) => this.#terminals.complete(this.#content.complete(event, update), update))
      .filter((event) => !this.#blanks.isBlank(event));
  }

  /** A call that was shown outside of an update. */
  note(patch: ToolPatch): void {
    this.#content.note(patch);
  }

  get memory(): Pick<SessionNote, "shown" | "printed" | "growing"> {
    return { shown: [...this.#content.shown], printed: [...this.#terminals.printed], growing: this.#blanks.growing };
  }

  restore({ shown, printed, growing }: Pick<SessionNote, "shown" | "printed" | "growing">): void {
    this.#content.restore(shown);
    this.#terminals.restore(printed);
    this.#blanks.restore(growing);
  }
}
