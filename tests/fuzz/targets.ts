import type { FuzzTarget } from "./engine/fuzz-target.ts";
import { answers } from "./targets/answers.ts";
import { clientFrames } from "./targets/client-frames.ts";
import { configFile } from "./targets/config-file.ts";
import { diffs } from "./targets/diffs.ts";
import { growth } from "./targets/growth.ts";
import { journal } from "./targets/journal.ts";
import { journalFiles } from "./targets/journal-files.ts";
import { lineTap } from "./targets/line-tap.ts";
import { links } from "./targets/links.ts";
import { markdown } from "./targets/markdown.ts";
import { policy } from "./targets/policy.ts";
import { portletMessages } from "./targets/portlet-messages.ts";
import { reducer } from "./targets/reducer.ts";
import { search } from "./targets/search.ts";
import { serverFrames } from "./targets/server-frames.ts";
import { shellWords } from "./targets/shell-words.ts";
import { shownText } from "./targets/shown-text.ts";
import { terminalText } from "./targets/terminal-text.ts";
import { transfer } from "./targets/transfer.ts";
import { translator } from "./targets/translator.ts";

export const TARGETS: readonly FuzzTarget[] = [
  lineTap,
  translator,
  reducer,
  shownText,
  clientFrames,
  serverFrames,
  portletMessages,
  answers,
  policy,
  shellWords,
  markdown,
  links,
  journal,
  journalFiles,
  terminalText,
  diffs,
  search,
  configFile,
  transfer,
  growth,
];

/** Those with these names; all of them when there are none. */
export function chosenTargets(names: readonly string[]): readonly FuzzTarget[] {
  const unknown = names.find((name) => !TARGETS.some((target) => target.name === name));
  if (unknown !== undefined)
    throw new Error(`no target is called ${unknown}; there are ${TARGETS.map(({ name }) => name).join(", ")}`);
  return names.length === 0 ? TARGETS : TARGETS.filter(({ name }) => names.includes(name));
}
