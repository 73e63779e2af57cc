import { useEffect, useRef, useState } from "preact/hooks";
import type { ServiceInfo, TerminalInfo } from "../../protocol/terminals.ts";
import { placeBeside } from "../../ui/controls/place-beside.ts";
import { Icon } from "../../ui/icons/icon.tsx";
import { ageWords, relativeAge } from "../../ui/words/time-words.ts";
import type { Shell } from "../state/shell.ts";
import { canIn } from "../state/shell-state.ts";
import type { DockState } from "./dock-state.ts";

const STATE_WORDS = {
  asks: "Not run yet",
  stopped: "Stopped",
  running: "Running",
  waiting: "Starts again soon",
  failed: "Failed",
} as const;

interface ServiceBarProps {
  readonly shell: Shell;
  readonly dock: DockState;
  readonly terminal: TerminalInfo;
}

/** The facts of a service in one line above its output. */
export function ServiceBar({ shell, dock, terminal }: ServiceBarProps) {
  const service = dock.serviceOf(terminal);
  if (service === undefined) return null;
  const { name, state, command, problem } = service;
  const isUp = state === "running" || state === "waiting";
  return (
    <fieldset class="service" aria-label={`Service ${name}`} data-state={state}>
      <span class="name">{STATE_WORDS[state]}</span>
      <code class="optional truncate" title={command}>
        {command}
      </code>
      <ServiceAddress service={service} />
      <ServiceFacts service={service} nowMs={shell.nowMs.value} />
      {problem !== undefined && <span class="problem truncate">{problem}</span>}
      <span class="end">
        {isUp ? (
          <>
            <button type="button" class="button small ghost" onClick={() => void dock.restart(service)}>
              <Icon name="refresh" class="icon-sm" />
              Restart
            </button>
            <button type="button" class="button small ghost" onClick={() => void dock.stop(service)}>
              <Icon name="stop" class="icon-sm" />
              Stop
            </button>
          </>
        ) : (
          <button type="button" class="button small" onClick={() => void dock.startService(service)}>
            <Icon name="refresh" class="icon-sm" />
            Start again
          </button>
        )}
      </span>
    </fieldset>
  );
}

/** Its address as a link, when it is one of the web. */
function ServiceAddress({ service: { url, state } }: { service: ServiceInfo }) {
  if (url === null || state !== "running" || !/^https?:\/\//.test(url)) return null;
  return (
    <a class="url" href={url} target="_blank" rel="noopener noreferrer">
      {url}
      <Icon name="open" class="icon-sm" />
    </a>
  );
}

function ServiceFacts({ service, nowMs }: { service: ServiceInfo; nowMs: number }) {
  const { state, startedAt, restarts, lastEnd } = service;
  const age = startedAt === null ? "now" : relativeAge(startedAt, nowMs);
  const exit = lastEnd === null ? null : lastEnd.exitCode === null ? "ended" : `last exit ${lastEnd.exitCode}`;
  return (
    <>
      {state === "running" && <span class="fact optional">{age === "now" ? "just started" : `up ${age}`}</span>}
      {restarts > 0 && <span class="fact">{restarts === 1 ? "restarted once" : `restarted ${restarts} times`}</span>}
      {exit !== null && lastEnd !== null && (
        <span class="fact optional">
          {exit}, {ageWords(lastEnd.at, nowMs)}
        </span>
      )}
    </>
  );
}

/** The services of the current place, in a panel: running ones, and those that can be started. */
export function ServicesButton({ shell, dock }: { shell: Shell; dock: DockState }) {
  const place = dock.place.value;
  const panel = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    if (!isOpen) return;
    const place = () => {
      if (panel.current !== null && button.current !== null) placeBeside(panel.current, button.current);
    };
    addEventListener("resize", place);
    return () => removeEventListener("resize", place);
  }, [isOpen]);
  if (place === null || !canIn(shell.server.value, place.projectId, "services")) return null;
  const { services, problem } = dock.servicesOf(place);
  if (services.length === 0 && problem === undefined) return null;
  const name = dock.nameOf(place);
  const running = services.filter(({ state }) => state === "running").length;
  const close = () => {
    panel.current?.hidePopover();
    button.current?.focus();
  };
  return (
    <>
      <button
        ref={button}
        type="button"
        class="button small ghost services-button"
        aria-expanded={isOpen}
        aria-haspopup="dialog"
        title={`Services of ${name}`}
        onClick={() => {
          const { current } = panel;
          if (current === null || button.current === null) return;
          if (isOpen) return; // the click elsewhere has closed it
          current.showPopover();
          placeBeside(current, button.current);
          current.querySelector<HTMLElement>("button")?.focus();
        }}
      >
        <Icon name="bolt" class="icon-sm" />
        Services
        {running > 0 && <span class="count">{running}</span>}
      </button>
      <div
        ref={panel}
        class="menu services-panel"
        role="dialog"
        popover="auto"
        aria-label={`Services of ${name}`}
        onToggle={(event) => setOpen(event.newState === "open")}
        onKeyDown={(event) => {
          if (event.key === "Escape") event.stopPropagation();
        }}
      >
        {problem !== undefined && (
          <p class="problem" role="status">
            {problem}
          </p>
        )}
        <ul>
          {services.map((service) => (
            <ServiceRow key={service.name} shell={shell} dock={dock} service={service} close={close} />
          ))}
        </ul>
      </div>
    </>
  );
}

interface ServiceRowProps {
  readonly shell: Shell;
  readonly dock: DockState;
  readonly service: ServiceInfo;
  readonly close: () => void;
}

function ServiceRow({ shell, dock, service, close }: ServiceRowProps) {
  const { name, command, state, hash, terminalId, problem } = service;
  const isUp = state === "running" || state === "waiting";
  const run = (start: () => Promise<void>) => {
    close();
    void start();
  };
  return (
    <li class="service-row">
      <div class="service-head">
        <span class="mark" data-state={state === "running" ? "ok" : state === "failed" ? "failed" : "idle"}>
          {state === "failed" && <Icon name="fail" class="icon-sm" />}
        </span>
        <b>{name}</b>
        <span class="fact">
          {STATE_WORDS[state]}
          {state === "running" &&
            service.startedAt !== null &&
            `, up ${relativeAge(service.startedAt, shell.nowMs.value)}`}
        </span>
        <span class="end">
          {state === "asks" && (
            <button
              type="button"
              class="button small primary"
              aria-label={`Run ${name}`}
              onClick={() => run(() => dock.startService(service, hash))}
            >
              Run
            </button>
          )}
          {(state === "stopped" || state === "failed") && (
            <button
              type="button"
              class="button small"
              aria-label={`Start ${name}`}
              onClick={() => run(() => dock.startService(service))}
            >
              Start
            </button>
          )}
          {isUp && terminalId !== null && (
            <button
              type="button"
              class="button small ghost"
              aria-label={`Show ${name}`}
              onClick={() => run(async () => dock.show(terminalId))}
            >
              Show
            </button>
          )}
        </span>
      </div>
      <code class="command">{command}</code>
      {state === "asks" && <p class="hint">From liminal.json. It has not run here before: read it, then run it.</p>}
      {problem !== undefined && <p class="problem">{problem}</p>}
    </li>
  );
}
