import type { ProjectId } from "../../../protocol/ids.ts";
import type { Project } from "../../../protocol/server-messages.ts";
import { agentIconName } from "../../icons/agent-icon-name.ts";
import { Icon } from "../../icons/icon.tsx";
import { noteOf } from "../dialogs/agent-words.ts";
import { AvailabilityTag } from "../dialogs/availability-tag.tsx";
import { pickerGroups } from "../dialogs/picker-groups.ts";
import type { Shell } from "../state/shell.ts";
import { askForSession, startWithPrompt } from "../state/shell-actions.ts";
import { BUILTIN_AGENT, EXAMPLE_PROMPTS } from "./example-prompts.ts";

/** The first minute: what this is, the two steps, and something to try at once. */
export function Welcome({ shell }: { shell: Shell }) {
  const { projects, agents } = shell.server.value;
  const chosen = projects.find(({ id }) => id === shell.projectAtHand());
  const { likely, more } = pickerGroups(agents);
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
        <ol class="steps">
          <ProjectStep shell={shell} chosen={chosen} />
          <li class="step">
            <span class="num" aria-hidden="true">
              2
            </span>
            <div>
              <h2>Pick an agent</h2>
              <p>
                The built-in agent works right now, without an account.
                {more.length > 0 && ` ${more.length} more can be added when you need them.`}
              </p>
              <ul class="agent-grid">
                {likely.map((agent) => (
                  <li key={agent.id} class="agent-option">
                    <div class="agent-line">
                      <Icon name={agentIconName(agent.id)} class="agent" />
                      <span class="who">
                        <span class="agent-name">{agent.name}</span>
                        <span class="agent-note">{noteOf(agent)}</span>
                      </span>
                      <AvailabilityTag agent={agent} />
                    </div>
                  </li>
                ))}
              </ul>
              {chosen !== undefined && (
                <div class="row">
                  <button type="button" class="button primary" onClick={() => askForSession(shell, chosen.id)}>
                    Start a session
                    <kbd>N</kbd>
                  </button>
                </div>
              )}
            </div>
          </li>
          <ExampleStep shell={shell} chosen={chosen} />
        </ol>
      </div>
    </div>
  );
}

interface StepProps {
  readonly shell: Shell;
  readonly chosen: Project | undefined;
}

function ProjectStep({ shell, chosen }: StepProps) {
  return (
    <li class="step">
      <span class={chosen ? "num done" : "num"} aria-hidden="true">
        {chosen ? <Icon name="check" class="icon-sm" /> : 1}
      </span>
      <div>
        <h2>Add a project</h2>
        <p>
          {chosen ? (
            <>
              Sessions start in <span class="mono">{chosen.path}</span>
            </>
          ) : (
            "Any directory. Nothing in it is changed until you start a session."
          )}
        </p>
        {chosen === undefined && (
          <div class="row">
            <button
              type="button"
              class="button primary"
              onClick={() => {
                shell.dialog.value = { kind: "add-project" };
              }}
            >
              <Icon name="folder" class="icon-sm" />
              Choose a directory
            </button>
          </div>
        )}
      </div>
    </li>
  );
}

/** Without a project, a click asks for one first and then goes on with the prompt. */
function ExampleStep({ shell, chosen }: StepProps) {
  const start = (prompt: string) => (projectId: ProjectId) =>
    void startWithPrompt(shell, { projectId, cliType: BUILTIN_AGENT, prompt });
  return (
    <li class="step">
      <span class="num" aria-hidden="true">
        3
      </span>
      <div>
        <h2>Or just try it</h2>
        <p>
          Three prompts for the built-in agent{chosen ? `, in ${chosen.name}.` : ". It asks for a directory first."}
        </p>
        <div class="prompts">
          {EXAMPLE_PROMPTS.map(({ icon, words, shows, prompt }) => (
            <button
              key={prompt}
              type="button"
              onClick={() => {
                if (chosen) start(prompt)(chosen.id);
                else shell.dialog.value = { kind: "add-project", onAdded: start(prompt) };
              }}
            >
              <Icon name={icon} />
              <span>{words}</span>
              <span class="shows" aria-hidden="true">
                {shows}
              </span>
            </button>
          ))}
        </div>
      </div>
    </li>
  );
}
