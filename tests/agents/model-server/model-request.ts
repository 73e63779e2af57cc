/** One message so far, in any dialect. */
export interface Said {
  readonly by: "user" | "assistant" | "tool";
  readonly texts: readonly string[];
  readonly images: number;
  /** How many tools the assistant called with it. */
  readonly calls: number;
}

export interface OfferedTool {
  readonly name: string;
  /** Takes free text instead of JSON. */
  readonly freeform: boolean;
}

/** What an agent asks of the model, as far as the scripted model cares. */
export interface ModelRequest {
  readonly model: string;
  readonly said: readonly Said[];
  readonly tools: readonly OfferedTool[];
  readonly streams: boolean;
  /** The answer has to be JSON: the agent keeps house (titles, reviews) rather than working for the user. */
  readonly wantsJson: boolean;
}

/** The texts of one side, oldest first: what the model got. */
export function textsBy(request: ModelRequest | undefined, by: Said["by"]): string[] {
  return (request?.said ?? []).filter((said) => said.by === by).flatMap((said) => said.texts);
}
