import { useComputed } from "@preact/signals";
import type { ComponentChild, ComponentType } from "preact";
import type { Project } from "../../protocol/server-messages.ts";
import type { SessionRow } from "../../protocol/session-schema.ts";
import { LazyView } from "../../ui/controls/lazy-view.tsx";
import { Icon } from "../../ui/icons/icon.tsx";
import type { RowMenu, Shell } from "../state/shell.ts";

const loadRename = async () => (await import("../session-row/rename-field.tsx")).RenameField;
const loadMenu = async () => (await import("../session-row/session-menu.tsx")).SessionMenu;
const loadArchived = async () => (await import("../session-row/archived-sessions.tsx")).ArchivedSessions;

interface CareProps<Props> {
  readonly load: () => Promise<ComponentType<Props>>;
  readonly props: Props;
}

/** What a first look at the sidebar does without: fetched when it is asked for. */
function Care<Props extends { readonly shell: Shell }>({ load, props }: CareProps<Props>) {
  return <LazyView load={load} props={props} onFailed={(words) => props.shell.tell(words)} />;
}

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
  return isHere ? <Care load={loadRename} props={{ shell, session }} /> : otherwise;
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
  return menu?.place !== place ? null : <Care key={menu} load={loadMenu} props={{ shell, menu }} />;
}

export function ArchivedOf({ shell, project }: { shell: Shell; project: Project }) {
  return useComputed(() => shell.archivesShown.value.has(project.id)).value ? (
    <Care load={loadArchived} props={{ shell, project }} />
  ) : null;
}
