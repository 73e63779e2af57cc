import { Icon } from "../../ui/icons/icon.tsx";
import { RareView } from "../rare-view.tsx";
import type { Shell } from "../state/shell.ts";

/** The first page: what this is, and a first session on the same screen. */
export function Welcome({ shell }: { shell: Shell }) {
  return (
    <div class="page">
      <div class="welcome">
        <header>
          <Icon name="liminal" class="hero" />
          <h1>Run your coding agents side by side</h1>
          <p class="lede">
            Every project, every conversation and every agent in one place. Agents keep working while you look
            elsewhere, and nothing they said is ever lost.
          </p>
        </header>
        <RareView
          shell={shell}
          isOptional
          show={({ NewSessionForm }) => (
            <NewSessionForm
              shell={shell}
              projectId={shell.server.value.projects.length === 0 ? null : shell.projectAtHand()}
              isPage
              onStarted={() => undefined}
            />
          )}
        />
      </div>
    </div>
  );
}
