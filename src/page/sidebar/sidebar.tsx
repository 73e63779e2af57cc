import { useEffect, useRef } from "preact/hooks";
import { Icon } from "../../ui/icons/icon.tsx";
import { useRoving } from "../controls/use-roving.ts";
import type { Shell } from "../state/shell.ts";
import { isComplete } from "../state/shell-state.ts";
import { AgentsFooter } from "./agents-footer.tsx";
import { listenInTree } from "./listen-in-tree.ts";
import { ProjectGroup } from "./project-group.tsx";
import { OpenMenu } from "./row-care.tsx";
import { SidebarGrip } from "./sidebar-grip.tsx";
import { hideSidebar } from "./sidebar-layout.ts";
import { SidebarTop } from "./sidebar-top.tsx";
import { usePick } from "./use-pick.ts";

/** Every project, every session, every agent. A drawer where the window is narrow. */
export function Sidebar({ shell }: { shell: Shell }) {
  const projects = usePick(shell, (state) => state.projects);
  const isGreeted = usePick(shell, ({ awaited }) => awaited !== null);
  const isKnown = usePick(shell, isComplete);
  const onTreeKey = useRef(listenInTree()).current;
  const tree = useRoving<HTMLDivElement>(".session-row", { hasOwnKeys: true });
  const projectList = useRoving<HTMLUListElement>(".project-head", { hasOwnKeys: true });
  const drawerOpen = shell.drawerOpen.value;
  const hide = useRef<HTMLButtonElement>(null);
  // The page behind an open drawer cannot be reached, so the focus goes along.
  useEffect(() => {
    if (drawerOpen) hide.current?.focus();
  }, [drawerOpen]);
  const addProject = () => {
    shell.dialog.value = { kind: "add-project" };
  };
  return (
    <nav class={drawerOpen ? "sidebar open" : "sidebar"} id="sidebar" aria-label="Projects" aria-busy={!isKnown}>
      <header class="sidebar-head">
        <span class="brand">
          <Icon name="liminal" />
          <span class="truncate">Liminal Builder</span>
        </span>
        <span class="spacer" />
        <button type="button" class="icon-button" aria-label="Add project" title="Add project" onClick={addProject}>
          <Icon name="plus" />
        </button>
        <button
          type="button"
          ref={hide}
          class="icon-button"
          aria-label="Hide projects"
          title="Hide projects"
          onClick={() => {
            if (drawerOpen) shell.drawerOpen.value = false;
            else hideSidebar(true);
          }}
        >
          <Icon name="sidebar" />
        </button>
      </header>
      <SidebarTop shell={shell} />
      {/* biome-ignore lint/a11y/noStaticElementInteractions: its buttons take the keys; here they are only heard together */}
      <div class="sidebar-scroll" ref={tree} onKeyDown={onTreeKey}>
        {isGreeted && projects.length === 0 ? (
          <NoProjects onAdd={addProject} />
        ) : (
          <ul ref={projectList}>
            {projects.map((project) => (
              <ProjectGroup key={project.id} shell={shell} project={project} />
            ))}
          </ul>
        )}
      </div>
      <AgentsFooter shell={shell} />
      <SidebarGrip />
      <OpenMenu shell={shell} place="row" />
    </nav>
  );
}

function NoProjects({ onAdd }: { onAdd: () => void }) {
  return (
    <div class="empty">
      <Icon name="folder" />
      <p>Projects you add appear here, with every session they ever had.</p>
      <div class="actions">
        <button type="button" class="button" onClick={onAdd}>
          <Icon name="plus" class="icon-sm" />
          Add your first project
        </button>
      </div>
    </div>
  );
}
