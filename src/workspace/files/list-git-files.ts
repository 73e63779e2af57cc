import { startGit } from "../git/run-git.ts";
import type { FileList, ListLimits } from "./file-list.ts";

/** Tracked and new files less the ignored ones; null when Git cannot say. */
export async function listGitFiles(root: string, limits: ListLimits): Promise<FileList | null> {
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(), limits.durationMsMax);
  const paths = new Set<string>();
  let isPartial = false;
  try {
    using listing = await startGit(root, ["ls-files", "-co", "--exclude-standard", "-z"], deadline.signal);
    if (listing === null) return deadline.signal.aborted ? { paths: [], isPartial: true } : null;
    for await (const path of splitAtNull(listing.stdout)) {
      if (paths.size >= limits.filesMax) {
        isPartial = true;
        deadline.abort();
        break;
      }
      paths.add(path);
    }
    const exitCode = await listing.exited;
    isPartial ||= deadline.signal.aborted;
    return exitCode === 0 || isPartial ? { paths: [...paths], isPartial } : null;
  } finally {
    clearTimeout(timer);
  }
}

/** Names that are no text could not be sent on, and are left out with their broken characters. */
async function* splitAtNull(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of stream) {
    const pieces = (rest + decoder.decode(chunk, { stream: true })).split("\0");
    rest = pieces.pop() ?? "";
    for (const piece of pieces) if (piece !== "" && !piece.includes("\uFFFD")) yield piece;
  }
}
