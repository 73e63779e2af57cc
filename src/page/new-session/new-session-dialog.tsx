import type { ComponentChild, ComponentChildren } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import type { CliType, ProjectId } from "../../protocol/ids.ts";
import type { AgentInfo, Project } from "../../protocol/server-messages.ts";
import { Icon } from "../../ui/icons/icon.tsx";
import { agentIconName, type IconName } from "../../ui/icons/icon-shapes.ts";
import { AvailabilityTag, InstallPanel, noteOf } from "../agents/agent-availability.tsx";
import { Dialog } from "../controls/dialog.tsx";
import { TroubleNotice } from "../controls/trouble-notice.tsx";
import { useRoving } from "../controls/use-roving.ts";
import type { Shell } from "../state/shell.ts";
import { createSession } from "../state/shell-actions.ts";
import type { Notify, Trouble } from "../state/trouble.ts";
import { matchesFilter, pickerGroups } from "./picker-groups.ts";
import { SignInMethods } from "./sign-in.tsx";

interface NewSessionProps {
  readonly shell: Shell;
  readonly projectId: ProjectId;
  readonly startWith?: CliType | undefined;
}

/** One click on an agent creates the session. Problems are shown at the agent, with the button that fixes them. */
export function NewSessionDialog({ shell, projectId, startWith }: NewSessionProps) {
  const { agents, projects } = shell.server.value;
  const [chosen, setChosen] = useState(projectId);
  const [creation, create] = useCreation(shell, chosen);
  // Parted once: an agent that has just been installed stays where the user looks at it.
  const [more] = useState(() => new Set(pickerGroups(agents).more.map(({ id }) => id)));
  const likely = agents.filter(({ id }) => !more.has(id));
  const first = (agents.find(({ id }) => id === startWith) ?? likely.find(isReady) ?? likely[0])?.id;
  useEffect(() => {
    if (startWith !== undefined) create(startWith);
  }, []);
  const choice = (agent: (typeof agents)[number]) => (
    <AgentChoice
      key={agent.id}
      shell={shell}
      agent={agent}
      first={agent.id === first}
      creation={creationOf(creation, agent.id)}
      projectId={chosen}
      onCreate={() => create(agent.id)}
    />
  );
  const projectSelect = projects.length > 1 && (
    <ProjectSelect projects={projects} chosen={chosen} onChoose={setChosen} />
  );
  return (
    <Dialog title="New session" onClose={() => shell.closeDialog()} headEnd={projectSelect}>
      <div class="dialog-body">
        <ul class="agent-list">{likely.map(choice)}</ul>
        {more.size > 0 && <MoreAgents agents={agents.filter(({ id }) => more.has(id))} choice={choice} />}
      </div>
      <footer class="dialog-foot">
        <button
          type="button"
          class="button ghost"
          onClick={() => {
            shell.dialog.value = { kind: "import", projectId: chosen };
          }}
        >
          Import sessions…
        </button>
        <span class="spacer" />
        <button type="button" class="button ghost" onClick={() => shell.closeDialog()}>
          Cancel
        </button>
      </footer>
    </Dialog>
  );
}

function isReady({ availability }: { readonly availability: string }): boolean {
  return availability === "ready";
}

function creationOf(creation: Creation, id: CliType): Creation {
  return creation.phase !== "choosing" && creation.cliType === id ? creation : { phase: "choosing" };
}

interface ProjectSelectProps {
  readonly projects: readonly Project[];
  readonly chosen: ProjectId;
  readonly onChoose: (id: ProjectId) => void;
}

function ProjectSelect({ projects, chosen, onChoose }: ProjectSelectProps) {
  return (
    <select
      class="native-select"
      aria-label="Project"
      value={chosen}
      onChange={(event) => onChoose(projects.find(({ id }) => id === event.currentTarget.value)?.id ?? chosen)}
    >
      {projects.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </select>
  );
}

interface MoreAgentsProps {
  readonly agents: readonly AgentInfo[];
  readonly choice: (agent: AgentInfo) => ComponentChild;
}

/** The rest of the registry, quietly, with a field to find one by. */
function MoreAgents({ agents, choice }: MoreAgentsProps) {
  const [filter, setFilter] = useState("");
  const headingId = useId();
  const list = useRoving<HTMLUListElement>(".agent-option");
  const shown = agents.filter((agent) => matchesFilter(agent, filter));
  return (
    <section class="more-agents" aria-labelledby={headingId}>
      <header>
        <h3 id={headingId}>More agents</h3>
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
          />
        </div>
      </header>
      <ul class="agent-list" ref={list}>
        {shown.map(choice)}
      </ul>
      <p class="hint" role="status">
        {shown.length === 0 && "No matching agents. You can add your own in config.json."}
      </p>
    </section>
  );
}

interface AgentChoiceProps {
  readonly shell: Shell;
  readonly agent: AgentInfo;
  readonly first: boolean;
  readonly creation: Creation;
  readonly projectId: ProjectId;
  readonly onCreate: () => void;
}

/** An agent in the picker, with its install, sign-in and error states. */
function AgentChoice({ shell, agent, first, creation, projectId, onCreate }: AgentChoiceProps) {
  const [isSigningIn, setSigningIn] = useState(false);
  const install = shell.installs.all.value.get(agent.id) ?? null;
  const refused = creation.phase === "refused" ? creation.trouble : null;
  const needsSignIn = isSigningIn && creation.phase === "choosing";
  // Its methods are known once it has run: without any, starting it is the way to learn them.
  const signIn = () => ((agent.signIn ?? []).length === 0 ? onCreate() : setSigningIn(true));
  const installNow = () => void shell.installs.install(agent.id);
  const isRefused = refused !== null && !needsSignIn && install === null;
  const mend = install?.phase === "running" || needsSignIn ? null : mendOf(agent, installNow, signIn);
  // What went wrong is said below, once.
  const about = noteOf(isRefused ? { ...agent, message: undefined } : agent);
  const note = mend === null ? about : `${mend.state} · ${about}`;
  const end = mend !== null ? <MendButton mend={mend} /> : isRefused ? null : <AvailabilityTag agent={agent} />;
  return (
    <AgentOption
      agent={agent}
      first={first}
      creating={creation.phase === "creating"}
      onChoose={onCreate}
      note={note}
      end={install?.phase === "running" ? null : end}
    >
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
          <SignInMethods
            shell={shell}
            agent={agent}
            done={{ kind: "new-session", projectId, startWith: agent.id }}
            back={{ kind: "new-session", projectId }}
            onSignedIn={onCreate}
          />
        </InView>
      )}
      {isRefused && (
        <InView>
          <TroubleNotice trouble={refused}>
            <button type="button" class="button" onClick={onCreate}>
              <Icon name="refresh" class="icon-sm" />
              Retry
            </button>
          </TroubleNotice>
        </InView>
      )}
    </AgentOption>
  );
}

/** The button that makes an agent ready. */
interface Mend {
  readonly state: string;
  readonly words: string;
  readonly name: string;
  readonly icon: IconName | null;
  readonly onClick: () => void;
}

function mendOf({ name, availability, installable }: AgentInfo, install: () => void, signIn: () => void): Mend | null {
  switch (availability) {
    case "ready":
      return null;
    case "needs-install":
      if (installable !== true) return null;
      return { state: "Not installed", words: "Install", name: `Install ${name}`, icon: null, onClick: install };
    case "needs-sign-in":
      return { state: "Needs sign-in", words: "Sign in", name: `Sign in to ${name}`, icon: "key", onClick: signIn };
    // Choosing it tries again.
    case "failed":
      return null;
    default:
      return availability satisfies never;
  }
}

function MendButton({ mend: { words, name, icon, onClick } }: { mend: Mend }) {
  return (
    <button type="button" class="button small" aria-label={name} onClick={onClick}>
      {icon !== null && <Icon name={icon} class="icon-sm" />}
      {words}
    </button>
  );
}

/** What has just come up is brought into view: the list may be longer than the dialog. */
function InView({ children }: { children: ComponentChildren }) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => place.current?.scrollIntoView({ block: "nearest" }), []);
  return (
    <div class="agent-panel" ref={place}>
      {children}
    </div>
  );
}

interface AgentOptionProps {
  readonly agent: AgentInfo;
  readonly first: boolean;
  readonly creating: boolean;
  readonly onChoose: () => void;
  readonly note: string;
  /** The agent's state, or the button that fixes it. */
  readonly end: ComponentChildren;
  /** What is going on with it, below its line. */
  readonly children: ComponentChildren;
}

/** The whole line takes the click; the button's name is the agent's alone, the rest describes it. */
function AgentOption({ agent, first, creating, onChoose, note, end, children }: AgentOptionProps) {
  const noteId = useId();
  return (
    <li class="agent-option" data-choice data-busy={creating ? "" : undefined}>
      <div class="agent-line">
        <Icon name={agentIconName(agent.id)} class="agent" />
        <span class="who">
          <button
            type="button"
            class="agent-name"
            aria-describedby={noteId}
            aria-busy={creating}
            data-first-focus={first ? "" : undefined}
            onClick={onChoose}
          >
            {agent.name}
          </button>
          <span class="agent-note" id={noteId}>
            {creating ? `Starting ${agent.name}…` : note}
          </span>
        </span>
        {creating ? <span class="mark" data-state="working" /> : end}
      </div>
      {children}
    </li>
  );
}

/** The progress of creating a session, and its agent. */
type Creation =
  | { readonly phase: "choosing" }
  | { readonly phase: "creating"; readonly cliType: CliType }
  | { readonly phase: "refused"; readonly cliType: CliType; readonly trouble: Trouble };

/** Creates one session at a time, then closes the dialog. Closing the dialog first cancels the creation. */
function useCreation(shell: Shell, projectId: ProjectId): [Creation, (cliType: CliType) => void] {
  const [creation, setCreation] = useState<Creation>({ phase: "choosing" });
  const isMaking = useRef(false);
  const isShown = useRef(true);
  useEffect(
    () => () => {
      isShown.current = false;
    },
    [],
  );
  const create = async (cliType: CliType) => {
    if (isMaking.current) return;
    isMaking.current = true;
    setCreation({ phase: "creating", cliType });
    const refuse: Notify = (_words, trouble) => {
      // The creation was cancelled.
      if (isShown.current) setCreation({ phase: "refused", cliType, trouble });
    };
    const created = await createSession(shell, { projectId, cliType }, refuse, () => isShown.current);
    isMaking.current = false;
    if (created !== null) shell.closeDialog();
  };
  return [creation, (cliType) => void create(cliType)];
}
