import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import type { CliType } from "../../protocol/ids.ts";
import type { AgentInfo } from "../../protocol/server-messages.ts";
import { Icon } from "../../ui/icons/icon.tsx";
import { agentIconName, type IconName } from "../../ui/icons/icon-shapes.ts";
import { AvailabilityTag, InstallPanel, noteOf } from "../agents/agent-availability.tsx";
import { matchesFilter } from "../agents/matches-filter.ts";
import { TroubleNotice } from "../controls/trouble-notice.tsx";
import type { Shell } from "../state/shell.ts";
import type { ShellDialog } from "../state/shell-dialog.ts";
import type { Trouble } from "../state/trouble.ts";
import { pickerGroups } from "./picker-groups.ts";
import { SignInMethods } from "./sign-in.tsx";

/** The progress of a session's start, and its agent. */
export type Creation =
  | { readonly phase: "choosing" }
  | { readonly phase: "creating"; readonly cliType: CliType; readonly words: string }
  | { readonly phase: "refused"; readonly cliType: CliType; readonly trouble: Trouble };

interface AgentChoiceProps {
  readonly shell: Shell;
  readonly chosen: CliType | undefined;
  readonly creation: Creation;
  /** The rest of the registry is folded. */
  readonly isShort: boolean;
  readonly onChoose: (id: CliType) => void;
  /** Starts the session with this agent. */
  readonly onStart: (id: CliType) => void;
  /** Where the page continues after a sign-in in a terminal, and if that is cancelled. */
  readonly after: (id: CliType) => { readonly done: ShellDialog; readonly back: ShellDialog };
}

/** One agent is chosen; problems that keep one from starting are fixed at its line. */
export function AgentChoice(props: AgentChoiceProps) {
  const { agents } = props.shell.server.value;
  const [name, titleId] = [useId(), useId()];
  // Grouped once: an agent that has just been installed keeps its position.
  const [more] = useState(() => new Set(pickerGroups(agents).more.map(({ id }) => id)));
  const option = (agent: AgentInfo) => <AgentOption key={agent.id} {...props} agent={agent} group={name} />;
  return (
    <div role="radiogroup" aria-labelledby={titleId}>
      <h3 class="part-title" id={titleId} aria-level={props.isShort ? 2 : 3}>
        Agent
      </h3>
      <ul class="agent-list">{agents.filter(({ id }) => !more.has(id)).map(option)}</ul>
      {more.size > 0 && (
        <MoreAgents agents={agents.filter(({ id }) => more.has(id))} option={option} isFolded={props.isShort} />
      )}
    </div>
  );
}

interface MoreAgentsProps {
  readonly agents: readonly AgentInfo[];
  readonly option: (agent: AgentInfo) => ComponentChildren;
  readonly isFolded: boolean;
}

/** The rest of the registry, with a filter field. */
function MoreAgents({ agents, option, isFolded }: MoreAgentsProps) {
  const [isOpen, setOpen] = useState(!isFolded);
  const [filter, setFilter] = useState("");
  const headingId = useId();
  const shown = agents.filter((agent) => matchesFilter(agent, filter));
  if (!isOpen)
    return (
      <button type="button" class="button ghost" aria-expanded={false} onClick={() => setOpen(true)}>
        <Icon name="chevron" class="icon-sm" />
        {agents.length} more agents
      </button>
    );
  return (
    <section class="more-agents" aria-labelledby={headingId}>
      <header>
        <h3 id={headingId} aria-level={isFolded ? 2 : 3}>
          More agents
        </h3>
        <div class="field">
          <Icon name="search" class="icon-sm" />
          <input
            type="search"
            aria-label="Filter agents"
            placeholder={`Filter ${agents.length} agents`}
            autocomplete="off"
            spellcheck={false}
            value={filter}
            onInput={(event) => setFilter(event.currentTarget.value)}
            onKeyDown={(event) => {
              // It only selects; starting is a separate action.
              if (event.key === "Enter") event.preventDefault();
            }}
          />
        </div>
      </header>
      <ul class="agent-list">{shown.map(option)}</ul>
      <p class="hint" role="status">
        {shown.length === 0 && "No matching agents. You can add your own on the page Agents."}
      </p>
    </section>
  );
}

interface AgentOptionProps extends AgentChoiceProps {
  readonly agent: AgentInfo;
  readonly group: string;
}

/** The whole line takes the click; the name of the choice is the agent's alone, the rest is its description. */
function AgentOption({ shell, agent, group, chosen, creation, onChoose, onStart, after }: AgentOptionProps) {
  const [fieldId, noteId] = [useId(), useId()];
  const [isSigningIn, setSigningIn] = useState(false);
  const install = shell.installs.all.value.get(agent.id) ?? null;
  const isMine = creation.phase !== "choosing" && creation.cliType === agent.id;
  const creating = creation.phase === "creating" && isMine ? creation.words : null;
  const refused = creation.phase === "refused" && isMine ? creation.trouble : null;
  const needsSignIn = isSigningIn && creating === null && refused === null;
  const installNow = () => {
    onChoose(agent.id);
    void shell.installs.install(agent.id);
  };
  const signIn = () => {
    onChoose(agent.id);
    // Its methods are known once it has run; without any, starting it reveals them.
    if ((agent.signIn ?? []).length === 0) onStart(agent.id);
    else setSigningIn(true);
  };
  const isRefused = refused !== null && install === null;
  const isRunning = install?.phase === "running";
  const mend = isRunning || needsSignIn ? null : mendOf(agent, installNow, signIn);
  // The error is shown once, below.
  const about = noteOf(isRefused ? { ...agent, message: undefined } : agent);
  const note = mend === null ? about : `${mend.state} · ${about}`;
  return (
    <li class="agent-option" data-choice="" data-busy={creating === null ? undefined : ""}>
      <div class="agent-line">
        <input
          type="radio"
          id={fieldId}
          name={group}
          aria-label={agent.name}
          aria-describedby={noteId}
          checked={agent.id === chosen}
          onChange={() => onChoose(agent.id)}
        />
        <Icon name={agentIconName(agent.id)} class="agent" />
        <span class="who">
          <label class="agent-name" for={fieldId}>
            {agent.name}
          </label>
          <span class="agent-note" id={noteId}>
            {creating ?? note}
          </span>
        </span>
        {creating !== null ? (
          <span class="mark" data-state="working" />
        ) : isRunning || isRefused ? null : mend !== null ? (
          <MendButton mend={mend} />
        ) : (
          <AvailabilityTag agent={agent} />
        )}
      </div>
      {install !== null && (
        <InstallPanel
          agent={agent}
          install={install}
          onRetry={installNow}
          onCancel={() => shell.installs.cancel(agent.id)}
        />
      )}
      {needsSignIn && (
        <InView>
          <p>{`Sign in to ${agent.name} to continue. The session starts automatically.`}</p>
          <SignInMethods shell={shell} agent={agent} {...after(agent.id)} onSignedIn={() => onStart(agent.id)} />
        </InView>
      )}
      {isRefused && (
        <InView>
          <TroubleNotice trouble={refused}>
            <button type="button" class="button" onClick={() => onStart(agent.id)}>
              <Icon name="refresh" class="icon-sm" />
              Retry
            </button>
          </TroubleNotice>
        </InView>
      )}
    </li>
  );
}

/** What an agent lacks, and the button that provides it. */
interface Mend {
  readonly state: string;
  readonly words: string;
  readonly name: string;
  readonly icon: IconName;
  readonly onClick: () => void;
}

function mendOf({ name, availability, installable }: AgentInfo, install: () => void, signIn: () => void): Mend | null {
  switch (availability) {
    case "ready":
      return null;
    case "needs-install":
      if (installable !== true) return null;
      return { state: "Not installed", words: "Install", name: `Install ${name}`, icon: "download", onClick: install };
    case "needs-sign-in":
      return { state: "Needs sign-in", words: "Sign in", name: `Sign in to ${name}`, icon: "key", onClick: signIn };
    // Starting it retries.
    case "failed":
      return null;
    default:
      return availability satisfies never;
  }
}

function MendButton({ mend: { words, name, icon, onClick } }: { mend: Mend }) {
  return (
    <button type="button" class="button small" aria-label={name} onClick={onClick}>
      <Icon name={icon} class="icon-sm" />
      {words}
    </button>
  );
}

/** Scrolls new content into view, because the list may be longer than the dialog. */
function InView({ children }: { children: ComponentChildren }) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => place.current?.scrollIntoView({ block: "nearest" }), []);
  return (
    <div class="agent-panel" ref={place}>
      {children}
    </div>
  );
}
