import { useComputed } from "@preact/signals";
import type { ComponentChild } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { TITLE_CHARS_MAX } from "../../protocol/limits.ts";
import type { SessionRow } from "../../protocol/session-schema.ts";
import { tabIdOf } from "../portlets/portlet-frame.ts";
import type { Shell } from "../state/shell.ts";

/** Returns the focus to the title: the row, or the tab. */
function focusAfter(place: Element | null | undefined, id: SessionRow["id"]): void {
  const row = place?.querySelector<HTMLElement>(".row-link");
  (row ?? document.getElementById(tabIdOf(id)))?.focus();
}

/** The title field in place of the title. Enter and blur save it, Esc does not. */
function RenameField({ shell, session }: { shell: Shell; session: SessionRow }) {
  const field = useRef<HTMLInputElement>(null);
  const isDone = useRef(false);
  useLayoutEffect(() => {
    field.current?.focus();
    field.current?.select();
  }, []);
  const end = (keeps: boolean, returnsFocus: boolean) => {
    if (isDone.current) return;
    isDone.current = true;
    const place = field.current?.closest("[data-rename-place]");
    const title = field.current?.value.trim() ?? "";
    shell.renaming.value = null;
    if (keeps && title !== "" && title !== session.title)
      void shell.attempt({ type: "session:rename", sessionId: session.id, title });
    if (!returnsFocus) return;
    requestAnimationFrame(() => {
      // By then the user may be somewhere else.
      const { activeElement: at, body } = document;
      if (at === null || at === body || at === field.current) focusAfter(place, session.id);
    });
  };
  return (
    <input
      ref={field}
      class="rename"
      type="text"
      aria-label={`New title of ${session.title}`}
      maxLength={TITLE_CHARS_MAX}
      autocomplete="off"
      defaultValue={session.title}
      onBlur={() => end(true, false)}
      onKeyDown={(event) => {
        if (event.isComposing || (event.key !== "Enter" && event.key !== "Escape")) return;
        event.preventDefault();
        event.stopPropagation();
        end(event.key === "Enter", true);
      }}
    />
  );
}

interface TitleOrFieldProps {
  readonly shell: Shell;
  readonly session: SessionRow;
  readonly place: "row" | "tab";
  readonly children: ComponentChild;
}

/** The children, or the title field while the session is being renamed here. */
export function TitleOrField({ shell, session, place, children }: TitleOrFieldProps) {
  const isRenamedHere = useComputed(() => {
    const renaming = shell.renaming.value;
    return renaming?.id === session.id && renaming.place === place;
  }).value;
  return isRenamedHere ? <RenameField shell={shell} session={session} /> : children;
}
