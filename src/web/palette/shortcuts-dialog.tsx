import { COMPOSER_KEYS } from "../composer/composer-keys.ts";
import { Dialog } from "../shell/dialogs/dialog.tsx";
import { chordKeys, isMac } from "../shell/keys/chord-keys.ts";
import { ANYWHERE, IN_INBOX, IN_SESSION, type ShortcutRow, TABS } from "../shell/keys/shortcut-table.ts";
import type { Shell } from "../shell/state/shell.ts";
import { adoptStyles } from "../styles/adopt-styles.ts";
import styles from "./palette.css" with { type: "text" };

type Row = Pick<ShortcutRow<unknown>, "words" | "chords">;

/** The tables the keys are matched against, in words. */
const SECTIONS: readonly { readonly title: string; readonly rows: readonly Row[] }[] = [
  { title: "Anywhere", rows: ANYWHERE },
  { title: "Tabs", rows: TABS },
  { title: "In a session", rows: IN_SESSION },
  { title: "In the message field", rows: COMPOSER_KEYS },
  { title: "In the inbox", rows: IN_INBOX },
];

export function ShortcutsDialog({ shell }: { shell: Shell }) {
  adoptStyles(styles);
  return (
    <Dialog title="Keyboard shortcuts" wide onClose={() => shell.closeDialog()}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a long list scrolls, and what scrolls must be reachable by keyboard */}
      <div class="dialog-body shortcuts" tabIndex={0}>
        {SECTIONS.map(({ title, rows }) => (
          <section key={title} aria-label={title}>
            <h3>{title}</h3>
            <ul>
              {rows.map((row) => (
                <li key={row.words}>
                  {row.words}
                  <Chords chords={row.chords} />
                </li>
              ))}
            </ul>
          </section>
        ))}
        <p class="hint">Single letters work while you are not typing.</p>
      </div>
    </Dialog>
  );
}

function Chords({ chords }: { chords: readonly string[] }) {
  return (
    <span class="chords">
      {chords.map((chord, at) => (
        <span key={chord}>
          {at > 0 && "or "}
          {chordKeys(chord, isMac()).map((key) => (
            <kbd key={key}>{key}</kbd>
          ))}
        </span>
      ))}
    </span>
  );
}
