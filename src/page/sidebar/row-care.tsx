import { useComputed } from "@preact/signals";
import type { ComponentChild } from "preact";
import type { Project, SessionRow } from "../../protocol/server-messages.ts";
import { Icon } from "../../ui/icons/icon.tsx";
import { ArchivedSessions } from "../session-row/archived-sessions.tsx";
import { RenameField } from "../session-row/rename-field.tsx";
import { SessionMenu } from "../session-row/session-menu.tsx";
import type { RowMenu, Shell } from "../state/shell.ts";

/** The row itself, or the field in which its title is being typed. */
export function RowTitle({
  shell,
  session,
  children,
}: {
  shell: Shell;
  session: SessionRow;
  children: ComponentChild;
}) {
  return <Renamed shell={shell} session={session} place="row" otherwise={children} />;
}

interface RenamedProps {
  readonly shell: Shell;
  readonly session: SessionRow;
  readonly place: "row" | "tab";
  readonly otherwise: ComponentChild;
}

export function Renamed({ shell, session, place, otherwise }: RenamedProps) {
  const isHere = useComputed(() => {
    const renaming = shell.renaming.value;
    return renaming?.id === session.id && renaming.place === place;
  }).value;
  return isHere ? <RenameField shell={shell} session={session} /> : otherwise;
}

export function MoreButton({ shell, session }: { shell: Shell; session: SessionRow }) {
  return (
    <button
      type="button"
      class="icon-button"
      aria-label={`More actions for ${session.title}`}
      aria-haspopup="menu"
      title="More actions"
      onClick={({ currentTarget: button }) => {
        shell.rowMenu.value = { sessionId: session.id, button, place: "row" };
      }}
    >
      <Icon name="more" class="icon-sm" />
    </button>
  );
}

/** The menu of one row or one tab, in the part of the page that holds it. */
export function OpenMenu({ shell, place }: { shell: Shell; place: RowMenu["place"] }) {
  const menu = shell.rowMenu.value;
  return menu?.place !== place ? null : <SessionMenu key={menu} shell={shell} menu={menu} />;
}

export function ArchivedOf({ shell, project }: { shell: Shell; project: Project }) {
  return useComputed(() => shell.archivesShown.value.has(project.id)).value ? (
    <ArchivedSessions shell={shell} project={project} />
  ) : null;
}
