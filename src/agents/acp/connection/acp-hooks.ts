import { ignore } from "../../../lib/ignore.ts";
import type { Json } from "../../../protocol/json.ts";
import type { JsonObject } from "../read-json.ts";
import type { AcpNote } from "./acp-note.ts";

export interface AcpFailure {
  readonly code: number;
  readonly message: string;
}

/** What must be heard in the order of the wire; all of it is called synchronously, line by line. */
export interface AcpHooks {
  onUpdate(agentSessionId: string, update: Json): void;
  onPermissionRequest(asked: Asked, params: JsonObject): void;
  onPermissionWithdrawn(key: string): void;
  onQuestion(asked: Asked, params: JsonObject): void;
  onQuestionWithdrawn(key: string): void;
  /** `name` is the agent's own for the page that was visited. */
  onQuestionCompleted(name: string): void;
  /** A request of the agent's; a ClientRequestError becomes its answer. */
  onRequest(method: string, params: JsonObject): Promise<object>;
  onPromptAnswer(key: string, result: JsonObject | null, failure: AcpFailure | null): void;
  /** Much has gone through: a good moment for a checkpoint. */
  onCheckpointDue(): void;
  /** Only while catching up: what an earlier server had noted, said, and been answered. */
  onNote(note: AcpNote): void;
  onPastPrompt(agentSessionId: string, key: string): void;
  onPastSteer(agentSessionId: string, key: string): void;
  onPastCancel(agentSessionId: string): void;
  onPastTerminal(agentSessionId: string, terminalId: string): void;
  onPastAnswer(method: string, params: JsonObject, result: JsonObject): void;
}

/** For a process that ends with us: there is no past to hear, and nobody to leave a note for. */
export const NO_PAST = {
  onCheckpointDue: ignore("nothing is kept"),
  onNote: ignore("nobody left one"),
  onPastPrompt: ignore("nothing was said before us"),
  onPastSteer: ignore("nothing was said before us"),
  onPastCancel: ignore("nothing was said before us"),
  onPastTerminal: ignore("nothing was said before us"),
  onPastAnswer: ignore("nothing was said before us"),
};

/** Something the agent wants from the user. */
export interface Asked {
  readonly key: string;
  /** The line it came in: the same under every server. */
  readonly offset: number;
  /** An earlier server has answered it. */
  readonly isAnswered: boolean;
}
