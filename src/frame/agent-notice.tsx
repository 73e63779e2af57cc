import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Icon } from "../ui/icons/icon.tsx";
import type { IconName } from "../ui/icons/icon-shapes.ts";
import { type PortletModel, usePiece } from "./portlet-model.ts";
import type { PortletStore } from "./portlet-store.ts";

/** Why the agent cannot be used now, and the buttons that fix it. */
export function AgentNotice({ model }: { model: PortletModel }) {
  const { store } = model;
  const status = usePiece(model, (state) => state.status);
  const message = usePiece(model, (state) => state.statusMessage);
  const nextTryAt = usePiece(model, (state) => state.nextTryAt);
  const agentName = usePiece(model, (state) => state.agentName);
  const isStalled = usePiece(model, (state) => state.session.turn.state === "stalled");
  const startFailure = usePiece(model, (state) => state.startFailure);
  switch (status) {
    case "disconnected": {
      if (startFailure !== null) return <StartFailure model={model} code={startFailure} />;
      const words = message ?? "It stopped, and automatic reconnects failed.";
      return (
        <Notice severity="error" icon="unplug" title={`${agentName} is not connected`} words={words} store={store}>
          <button class="button primary" type="button" onClick={() => store.reconnect()}>
            <Icon name="refresh" class="icon-sm" />
            Reconnect
          </button>
        </Notice>
      );
    }
    case "reconnecting": {
      if (nextTryAt !== null)
        return <RetryNotice key={nextTryAt} at={Date.parse(nextTryAt)} agentName={agentName} store={store} />;
      const words = message ?? "Your session will pick up where it left off.";
      const title = `Reconnecting to ${agentName}`;
      return <Notice severity="warning" icon="plug" title={title} words={words} store={store} />;
    }
    case "starting":
      // The progress of a start is shown where the answer will appear; only a slow one gets a card.
      return message === null ? null : (
        <Notice severity="info" icon="clock" title={`Starting ${agentName}`} words={message} store={store} />
      );
    case "connected":
    case "idle":
      return isStalled ? <StalledNotice model={model} agentName={agentName} /> : null;
    default:
      return status satisfies never;
  }
}

/** The agent of a new session did not start. The text stays in the composer. */
function StartFailure({ model, code }: { model: PortletModel; code: string }) {
  const { store } = model;
  const agentName = usePiece(model, (state) => state.agentName);
  const message = usePiece(model, (state) => state.statusMessage);
  const needsSignIn = code === "AGENT_AUTH_REQUIRED";
  const words = needsSignIn ? "Sign in to continue. The session starts automatically." : (message ?? "");
  const title = needsSignIn ? `${agentName} needs you to sign in` : `${agentName} did not start`;
  return (
    <Notice severity="error" icon={needsSignIn ? "key" : "unplug"} title={title} words={words} store={store}>
      {needsSignIn && (
        <button class="button primary" type="button" onClick={() => store.show("sign-in")}>
          <Icon name="key" class="icon-sm" />
          Sign in
        </button>
      )}
      <button class={needsSignIn ? "button" : "button primary"} type="button" onClick={() => store.reconnect()}>
        <Icon name="refresh" class="icon-sm" />
        Retry
      </button>
    </Notice>
  );
}

const SECOND_MS = 1_000;

/** The agent crashed and is restarted automatically; the user can restart it at once. */
function RetryNotice({ at, agentName, store }: { at: number; agentName: string; store: PortletStore }) {
  const [leftMs, setLeftMs] = useState(() => at - Date.now());
  useEffect(() => {
    const timer = setInterval(() => setLeftMs(at - Date.now()), SECOND_MS);
    return () => clearInterval(timer);
  }, [at]);
  const seconds = Math.ceil(leftMs / SECOND_MS);
  const words = seconds > 0 ? `Trying again in ${seconds} s.` : "Trying again…";
  return (
    <Notice severity="warning" icon="plug" title={`${agentName} stopped`} words={words} store={store}>
      <button class="button" type="button" onClick={() => store.reconnect()}>
        <Icon name="refresh" class="icon-sm" />
        Try now
      </button>
    </Notice>
  );
}

/** Shows that the agent is silent; only the user ends the turn. */
function StalledNotice({ model, agentName }: { model: PortletModel; agentName: string }) {
  const { store } = model;
  const ignored = usePiece(model, (state) => state.session.turn.error?.message ?? null);
  const title = ignored === null ? "No output for a while" : `${agentName} is not stopping`;
  const words =
    ignored ??
    `${agentName} is not running a tool or waiting for anything. Some models think for minutes, so output may still arrive.`;
  return (
    <Notice severity="warning" icon="clock" title={title} words={words} store={store}>
      {ignored === null && (
        <button class="button" type="button" data-cancel onClick={() => store.cancelTurn()}>
          Cancel
        </button>
      )}
      <button
        class={ignored === null ? "button" : "button primary"}
        type="button"
        title="Restart the agent's process. Everything received so far is kept"
        onClick={() => store.restart()}
      >
        <Icon name="refresh" class="icon-sm" />
        Restart
      </button>
    </Notice>
  );
}

interface NoticeProps {
  readonly severity: "info" | "warning" | "error";
  readonly icon: IconName;
  readonly title: string;
  readonly words: string;
  readonly store: PortletStore;
  readonly children?: ComponentChildren;
}

function Notice({ severity, icon, title, words, store, children }: NoticeProps) {
  return (
    <div class="notice" data-severity={severity}>
      <Icon name={icon} />
      <div class="body">
        <div>
          <strong>{title}</strong>
          <p class="notice-words">{words}</p>
        </div>
        <div class="actions">
          {children}
          <button class="button ghost" type="button" onClick={() => store.show("log")}>
            Show log
          </button>
        </div>
      </div>
    </div>
  );
}
