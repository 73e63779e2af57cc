import { AUDIO_TYPES, IMAGE_TYPES } from "../../../protocol/attachments.ts";
import { ATTACHMENT_BYTES_MAX, ATTACHMENTS_MAX, MESSAGE_ATTACHMENT_BYTES_MAX } from "../../../protocol/limits.ts";
import type { PromptAbilities } from "../../../protocol/session-parts.ts";

const MEBIBYTE = 1024 * 1024;

interface GivenFile {
  readonly name: string;
  readonly type: string;
  readonly size: number;
}

interface Surroundings {
  readonly abilities: PromptAbilities | undefined;
  readonly agentName: string;
  /** What is attached already. */
  readonly count: number;
  readonly bytes: number;
}

export type FileVerdict =
  | { readonly as: "image" | "audio" | "text" }
  | { readonly as: "refused"; readonly words: string };

/** What a file can go to the agent as, or in words why it cannot. Pure. */
export function judgeFile({ name, type, size }: GivenFile, around: Surroundings): FileVerdict {
  const refuse = (words: string): FileVerdict => ({ as: "refused", words: `${name} was not attached: ${words}` });
  const { abilities, agentName } = around;
  if (around.count >= ATTACHMENTS_MAX)
    return refuse(`a message takes ${ATTACHMENTS_MAX} attachments. Remove one first.`);
  if (size > ATTACHMENT_BYTES_MAX)
    return refuse(
      `it has ${megabytes(size)}, and ${megabytes(ATTACHMENT_BYTES_MAX)} is the most. Attach a smaller one.`,
    );
  if (around.bytes + size > MESSAGE_ATTACHMENT_BYTES_MAX)
    return refuse(`a message takes ${megabytes(MESSAGE_ATTACHMENT_BYTES_MAX)} in all. Send the rest in another one.`);
  if (IMAGE_TYPES.includes(type))
    return abilities?.image === false ? refuse(`${agentName} takes no images.`) : { as: "image" };
  if (AUDIO_TYPES.includes(type))
    return abilities?.audio === false ? refuse(`${agentName} takes no sounds.`) : { as: "audio" };
  if (/^(?:image(?!\/svg)|audio|video)\//.test(type))
    return refuse("that kind is not taken. Use PNG, JPEG, GIF or WebP for images.");
  return abilities?.embeddedContext === false
    ? refuse(`${agentName} takes files only by name. Type @ to name one of the project.`)
    : { as: "text" };
}

function megabytes(bytes: number): string {
  return `${(bytes / MEBIBYTE).toFixed(bytes % MEBIBYTE === 0 ? 0 : 1)} MB`;
}
