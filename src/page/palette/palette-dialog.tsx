import { useMemo, useState } from "preact/hooks";
import { adoptStyles } from "../../ui/styles/adopt-styles.ts";
import { Dialog } from "../controls/dialog.tsx";
import type { Shell } from "../state/shell.ts";
import { commandEntries } from "./command-entries.ts";
import styles from "./palette.css" with { type: "text" };
import type { PaletteEntry } from "./palette-entry.ts";
import { PaletteField } from "./palette-field.tsx";
import { PaletteList } from "./palette-list.tsx";
import { rankEntries } from "./rank-entries.ts";
import { keepChoice, recentChoices } from "./recent-choices.ts";
import { sessionEntries } from "./session-entries.ts";

/** Go to any session, do anything: by a few letters of its name and Enter. */
export function PaletteDialog({ shell }: { shell: Shell }) {
  adoptStyles(styles);
  const [query, setQuery] = useState("");
  const [active, setActive] = useState(0);
  const recent = useMemo(recentChoices, []);
  const sessions = sessionEntries(shell.server.value, shell.nowMs.value, shell.shownSession());
  const ranked = rankEntries([...sessions, ...commandEntries(shell)], query, recent);
  const entries = [...ranked.flatMap(({ hits }) => hits.map(({ entry }) => entry)), ...elsewhere(query)];
  const place = Math.min(active, entries.length - 1);
  const current = entries[place];
  const choose = (entry: PaletteEntry | undefined) => {
    if (entry === undefined) return;
    keepChoice(entry.id);
    shell.closeDialog();
    entry.act(shell);
  };
  const step = (steps: number) => setActive((place + steps + entries.length) % entries.length);
  return (
    <Dialog title="Command palette" isPalette onClose={() => shell.closeDialog()}>
      <PaletteField
        query={query}
        current={current}
        onType={(typed) => {
          setQuery(typed);
          setActive(0);
        }}
        onStep={step}
        onEnter={() => choose(current)}
      />
      <PaletteList
        groups={ranked}
        more={elsewhere(query)}
        current={current}
        onChoose={choose}
        onPoint={(entry) => setActive(entries.findIndex(({ id }) => id === entry.id))}
      />
      <p class="visually-hidden" role="status">
        {entries.length === 1 ? "1 choice" : `${entries.length} choices`}
      </p>
      <Keys />
    </Dialog>
  );
}

function Keys() {
  return (
    <footer class="palette-foot" aria-hidden="true">
      <span>
        <kbd>↑</kbd>
        <kbd>↓</kbd> move
      </span>
      <span>
        <kbd>Enter</kbd> open
      </span>
      <span>
        <kbd>&gt;</kbd> commands only
      </span>
    </footer>
  );
}

/** What no name matches may still have been said somewhere. */
function elsewhere(typed: string): readonly PaletteEntry[] {
  const query = typed.trim();
  if (query === "" || query.startsWith(">")) return [];
  return [
    {
      id: "search",
      group: "Commands",
      words: `Search everything for “${query}”`,
      detail: "",
      icon: "search",
      act: (shell) => {
        shell.dialog.value = { kind: "search", query };
      },
    },
  ];
}
