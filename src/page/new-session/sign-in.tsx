import { useEffect, useRef, useState } from "preact/hooks";
import type { CliType } from "../../protocol/ids.ts";
import type { AgentInfo, SignInMethod } from "../../protocol/server-messages.ts";
import { Icon } from "../../ui/icons/icon.tsx";
import { Dialog } from "../controls/dialog.tsx";
import { TroubleNotice } from "../controls/trouble-notice.tsx";
import type { Shell } from "../state/shell.ts";
import { signIn } from "../state/shell-actions.ts";
import { NO_DIALOG, type ShellDialog } from "../state/shell-dialog.ts";
import { agentOf } from "../state/shell-state.ts";
import type { Trouble } from "../state/trouble.ts";

/** Opened from a session, which continues automatically after the sign-in. */
export function SignInDialog({ shell, cliType }: { shell: Shell; cliType: CliType }) {
  const agent = agentOf(shell.server.value, cliType);
  if (agent === undefined) return null;
  return (
    <Dialog title={`Sign in to ${agent.name}`} onClose={() => shell.closeDialog()}>
      <div class="dialog-body">
        <p>Your session continues automatically once you are signed in.</p>
        <SignInMethods
          shell={shell}
          agent={agent}
          done={NO_DIALOG}
          back={{ kind: "sign-in", cliType }}
          onSignedIn={() => shell.closeDialog()}
        />
      </div>
    </Dialog>
  );
}

interface SignInMethodsProps {
  readonly shell: Shell;
  readonly agent: AgentInfo;
  readonly done: ShellDialog;
  readonly back: ShellDialog;
  /** Signed in while this was in view. */
  readonly onSignedIn: () => void;
}

type Walk =
  | { readonly phase: "choosing" }
  | { readonly phase: "waiting"; readonly method: SignInMethod }
  | { readonly phase: "refused"; readonly method: SignInMethod; readonly trouble: Trouble };

/** The agent's own sign-in methods, as it names them. Input goes to the agent and is never seen here. */
export function SignInMethods({ shell, agent, done, back, onSignedIn }: SignInMethodsProps) {
  const [walk, setWalk] = useState<Walk>({ phase: "choosing" });
  const isShown = useShown();
  const methods = agent.signIn ?? [];
  // Methods are known once the agent has run; the current list is requested, not remembered.
  useEffect(() => void shell.attempt({ type: "agent:list" }), [shell]);
  const choose = async (method: SignInMethod) => {
    const wish = { cliType: agent.id, methodId: method.id, done, back };
    const waiting: Walk = { phase: "waiting", method };
    setWalk(waiting);
    const isSignedIn = await signIn(shell, wish, (_words, trouble) =>
      setWalk((now) => (now === waiting ? { phase: "refused", method, trouble } : now)),
    );
    if (isSignedIn && isShown.current) onSignedIn();
  };
  if (methods.length === 0) return <p class="hint">{OWN_COMMAND_LINE}</p>;
  return (
    <div class="sign-in">
      <ul>
        {methods.map((method) => (
          <Method
            key={method.id}
            method={method}
            waiting={walk.phase === "waiting" && walk.method === method}
            onChoose={() => void choose(method)}
          />
        ))}
      </ul>
      <p class="hint" role="status">
        {walk.phase === "waiting" && waitingWords(agent.name, walk.method)}
      </p>
      {walk.phase === "refused" && (
        <TroubleNotice trouble={walk.trouble}>
          <button type="button" class="button" onClick={() => void choose(walk.method)}>
            <Icon name="refresh" class="icon-sm" />
            Retry
          </button>
        </TroubleNotice>
      )}
    </div>
  );
}

const OWN_COMMAND_LINE =
  "This agent has no sign-in method that works here. Sign in with its own command line, then retry.";
const SET_AND_RESTART = "Set it in the environment of Liminal Builder, or for this agent in config.json, then restart.";

interface MethodProps {
  readonly method: SignInMethod;
  readonly waiting: boolean;
  readonly onChoose: () => void;
}

function Method({ method: { name, description, kind }, waiting, onChoose }: MethodProps) {
  if (kind === "environment") {
    return (
      <li>
        <span class="method-name">{name}</span>
        <span class="hint">{[description, SET_AND_RESTART].filter(Boolean).join(" ")}</span>
      </li>
    );
  }
  return (
    <li>
      <button type="button" class="button" aria-busy={waiting} onClick={onChoose}>
        {waiting ? (
          <span class="mark" data-state="working" />
        ) : (
          <Icon name={kind === "terminal" ? "terminal" : "key"} class="icon-sm" />
        )}
        {name}
      </button>
      {description !== undefined && <span class="hint">{description}</span>}
    </li>
  );
}

function waitingWords(agentName: string, { kind }: SignInMethod): string {
  if (kind === "terminal") return "Opening a terminal…";
  return `Waiting for ${agentName}. It may have opened a page in your browser.`;
}

function useShown(): { readonly current: boolean } {
  const isShown = useRef(true);
  useEffect(() => {
    isShown.current = true;
    return () => {
      isShown.current = false;
    };
  }, []);
  return isShown;
}
