import type { FileList, ListLimits } from "./file-list.ts";

/** A repository's own settings must not make listing it run a program. */
const QUIET = ["--no-optional-locks", "-c", "core.fsmonitor=false"];

/** Tracked and new files less the ignored ones; null when Git cannot say. */
export async function listGitFiles(root: string, limits: ListLimits): Promise<FileList | null> {
  const git = Bun.which("git");
  if (git === null) return null;
  const listing = Bun.spawn([git, ...QUIET, "-C", root, "ls-files", "-co", "--exclude-standard", "-z"], {
    stdin: "ignore",
    stdout: "pipe",
    stderr: "ignore",
  });
  let isPartial = false;
  const stop = () => {
    isPartial = true;
    listing.kill();
  };
  const timer = setTimeout(stop, limits.durationMsMax);
  try {
    const paths = new Set<string>();
    for await (const path of splitAtNull(listing.stdout)) {
      if (paths.size >= limits.filesMax) {
        stop();
        break;
      }
      paths.add(path);
    }
    const exitCode = await listing.exited;
    return exitCode === 0 || isPartial ? { paths: [...paths], isPartial } : null;
  } finally {
    clearTimeout(timer);
    listing.kill();
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
