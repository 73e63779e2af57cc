import { CliType } from "../../protocol/ids.ts";
import type { IconName } from "../../ui/icons/icon-shapes.ts";

/** The agent that needs no account, no model and no network. */
export const BUILTIN_AGENT = CliType.parse("builtin");

/** Three first messages that show what this is about; the built-in agent understands them. */
export const EXAMPLE_PROMPTS: readonly {
  readonly icon: IconName;
  readonly words: string;
  readonly shows: string;
  readonly prompt: string;
}[] = [
  { icon: "plan", words: "Show me one of everything", shows: "plan, tools, images", prompt: "all" },
  { icon: "shield", words: "Run git status, and ask me first", shows: "permissions", prompt: "run git status" },
  { icon: "message", words: "Tell me what you can do", shows: "streaming text", prompt: "help" },
];
