import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import type { ProjectId } from "../../protocol/ids.ts";
import type { AgentInfo } from "../../protocol/server-messages.ts";
import { agentIconName } from "../../ui/icons/agent-icon-name.ts";
import { Icon } from "../../ui/icons/icon.tsx";
import type { IconName } from "../../ui/icons/icon-shapes.ts";
import { AvailabilityTag, noteOf } from "../agents/availability.tsx";
import { InstallPanel } from "../agents/install-panel.tsx";
import { TroubleNotice } from "../controls/trouble-notice.tsx";
import type { Shell } from "../state/shell.ts";
import { SignInMethods } from "./sign-in-methods.tsx";
import type { Creation } from "./use-creation.ts";

interface AgentChoiceProps {
  readonly shell: Shell;
  readonly agent: AgentInfo;
  readonly first: boolean;
  readonly creation: Creation;
  readonly projectId: ProjectId;
  readonly onCreate: () => void;
}

/** An agent in the picker, with everything that can stand between a click and its session. */
export function AgentChoice({ shell, agent, first, creation, projectId, onCreate }: AgentChoiceProps) {
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

/** The one button that makes an agent ready; its words then stand in the note. */
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
  /** Where the agent stands, or the button that mends it. */
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
