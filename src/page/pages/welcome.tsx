import { useEffect, useRef, useState } from "preact/hooks";
import type { ProjectId } from "../../protocol/ids.ts";
import type { Project } from "../../protocol/server-messages.ts";
import { Icon } from "../../ui/icons/icon.tsx";
import { agentIconName } from "../../ui/icons/icon-shapes.ts";
import { AvailabilityTag, noteOf } from "../agents/agent-availability.tsx";
import { BUILTIN_AGENT, EXAMPLE_PROMPTS, pickerGroups } from "../new-session/picker-groups.ts";
import type { Shell } from "../state/shell.ts";
import { startWithPrompt } from "../state/shell-actions.ts";

/** The first minute: what this is, and three steps that end in an agent at work. */
export function Welcome({ shell }: { shell: Shell }) {
  const chosen = shell.server.value.projects.find(({ id }) => id === shell.projectAtHand());
  const page = useRef<HTMLDivElement>(null);
  const isAsking = shell.dialog.value.kind !== "none";
  // The button that led to the project is gone with its step: the keyboard goes on to the next one.
  const hadProject = useRef(chosen !== undefined);
  useEffect(() => {
    if (chosen === undefined || isAsking || hadProject.current) return;
    hadProject.current = true;
    if (document.activeElement === document.body) page.current?.querySelector<HTMLElement>("[tabindex]")?.focus();
  }, [chosen?.id, isAsking]);
  return (
    <div class="page" ref={page}>
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
          <AgentStep shell={shell} chosen={chosen} />
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

/** What a click goes on with once there is a project: with one at once, else after the user has chosen it. */
function inProject({ shell, chosen }: StepProps, act: (projectId: ProjectId) => void): void {
  if (chosen) act(chosen.id);
  else shell.dialog.value = { kind: "add-project", onAdded: act };
}

function AgentStep(props: StepProps) {
  const { shell } = props;
  const { likely, more } = pickerGroups(shell.server.value.agents);
  return (
    <li class="step">
      <span class="num" aria-hidden="true">
        2
      </span>
      <div>
        <h2 tabIndex={-1}>Pick an agent</h2>
        <p>
          The built-in agent works right now, without an account.
          {more.length > 0 && ` ${more.length} more can be added when you need them.`}
        </p>
        <ul class="agent-grid">
          {likely.map((agent) => (
            <li key={agent.id} class="agent-option" data-choice="">
              <div class="agent-line">
                <Icon name={agentIconName(agent.id)} class="agent" />
                <span class="who">
                  <button
                    type="button"
                    class="agent-name"
                    aria-label={`Start with ${agent.name}`}
                    onClick={() =>
                      inProject(props, (projectId) => {
                        const isReady = agent.availability === "ready";
                        // What is not there yet is installed in the picker.
                        shell.dialog.value = {
                          ...{ kind: "new-session", projectId },
                          ...(isReady && { startWith: agent.id }),
                        };
                      })
                    }
                  >
                    {agent.name}
                  </button>
                  <span class="agent-note">{noteOf(agent)}</span>
                </span>
                <AvailabilityTag agent={agent} />
              </div>
            </li>
          ))}
        </ul>
      </div>
    </li>
  );
}

function ExampleStep(props: StepProps) {
  const { shell, chosen } = props;
  const [isStarting, setStarting] = useState(false);
  const start = (prompt: string) => async (projectId: ProjectId) => {
    setStarting(true);
    await startWithPrompt(shell, { projectId, cliType: BUILTIN_AGENT, prompt });
    setStarting(false);
  };
  return (
    <li class="step">
      <span class="num" aria-hidden="true">
        3
      </span>
      <div>
        <h2>Give it something to do</h2>
        <p>
          {isStarting
            ? "Starting a session…"
            : `Three things to try with the built-in agent${chosen ? `, in ${chosen.name}.` : ". It asks for a directory first."}`}
        </p>
        <div class="prompts">
          {EXAMPLE_PROMPTS.map(({ icon, words, shows, prompt }) => (
            <button
              key={prompt}
              type="button"
              disabled={isStarting}
              onClick={() => inProject(props, (projectId) => void start(prompt)(projectId))}
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
