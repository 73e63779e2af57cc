import { randomUUID } from "node:crypto";
import {
  accessSync,
  constants,
  existsSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { withMember } from "../lib/located-json.ts";
import { REFUSE, RefusalError } from "../protocol/errors.ts";

const PRIVATE_MODE = 0o600;
const MODE_BITS = 0o777;

/** One place in config.json and its new value; undefined removes it. */
export interface ConfigChange {
  readonly path: readonly string[];
  readonly value: unknown;
}

/** Changes the file. Everything else in it stays, comments and unknown names included. */
export function changeConfigFile(path: string, changes: readonly ConfigChange[]): void {
  const isThere = existsSync(path);
  try {
    // The file would be replaced in spite of its write protection, which is there on purpose.
    if (isThere) accessSync(path, constants.W_OK);
    let text: string | null = isThere ? readFileSync(path, "utf8") : "";
    for (const change of changes) text = text === null ? null : withMember(text, change.path, change.value);
    if (text === null)
      throw new RefusalError(
        REFUSE.settingsUnwritable(
          `${path} has a mistake, so it was not changed. Run "liminal doctor" to see the line, correct it, then try again.`,
        ),
      );
    // A file that the user has linked to another place stays there.
    replaceFile(isThere ? realpathSync(path) : path, text);
  } catch (error) {
    if (error instanceof RefusalError) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new RefusalError(
      REFUSE.settingsUnwritable(`${path} could not be written: ${why}. Check its permissions and try again.`),
    );
  }
}

/** All or nothing: a crash leaves the old file. It may contain secrets, so a new file is for its user only. */
function replaceFile(path: string, text: string): void {
  const mode = existsSync(path) ? statSync(path).mode & MODE_BITS : PRIVATE_MODE;
  const written = `${path}.${randomUUID()}`;
  try {
    writeFileSync(written, text, { mode });
    renameSync(written, path);
  } finally {
    rmSync(written, { force: true });
  }
}
