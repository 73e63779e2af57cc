import type { ComponentChildren } from "preact";
import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { BUILTIN_AGENT } from "../../protocol/builtin-model.ts";
import type { CliType, ProjectId } from "../../protocol/ids.ts";
import { PROMPT_CHARS_MAX } from "../../protocol/limits.ts";
import type { Project } from "../../protocol/server-messages.ts";
import { Icon } from "../../ui/icons/icon.tsx";
import { DirectoryBrowser } from "../add-project/directory-browser.tsx";
import { StartOptions } from "../agents/start-options.tsx";
import { takeBufferedText } from "../state/composer-buffer.ts";
import { takeFirstLetters } from "../state/first-page-typing.ts";
import { NEXT_SESSION, type Shell } from "../state/shell.ts";
import { addProject, createSession } from "../state/shell-actions.ts";
import type { PlaceWish } from "../state/shell-dialog.ts";
import { agentOf, canIn, type ShellState } from "../state/shell-state.ts";
import type { Notify } from "../state/trouble.ts";
import { AgentChoice, type Creation } from "./agent-choice.tsx";
import { EXAMPLE_PROMPTS } from "./picker-groups.ts";
import { PlaceChoice } from "./place-choice.tsx";
import { keepPromptDraft, promptDraft } from "./prompt-draft.ts";

interface NewSessionFormProps {
  readonly shell: Shell;
  /** Null: a directory is chosen here. */
  readonly projectId: ProjectId | null;
  readonly startWith?: CliType | undefined;
  readonly place?: PlaceWish | undefined;
  /** The first page instead of a dialog: with examples, without the rarer choices. */
  readonly isPage?: boolean;
  readonly onStarted: () => void;
  /** The buttons at its end. */
  readonly foot?: (projectId: ProjectId | null) => ComponentChildren;
}

/** Message, agent, model, mode and place on one screen; Enter starts. What is typed is kept until it is sent. */
export function NewSessionForm(props: NewSessionFormProps) {
  const { shell, projectId, startWith, isPage = false, foot } = props;
  const state = shell.server.value;
  const [message, setMessage] = useState(promptDraft);
  const [chosen, setChosen] = useState(projectId);
  const [path, setPath] = useState("");
  const [pathRefused, setPathRefused] = useState<string | null>(null);
  const [place, setPlace] = useState(props.place);
  const [agentId, setAgentId] = useState(() => startWith ?? firstAgent(state));
  const form = useRef<HTMLFormElement>(null);
  const field = useRef<HTMLTextAreaElement>(null);
  const messageId = useId();
  useLayoutEffect(() => {
    if (isPage) beginTyping(field.current, takeFirstLetters());
  }, []);
  // Added elsewhere while this was open.
  useEffect(() => {
    if (isPage && projectId !== null) setChosen(projectId);
  }, [projectId]);
  const write = (text: string) => {
    setMessage(text);
    keepPromptDraft(text);
  };
  const focusPath = (why: string | null) => {
    setPathRefused(why);
    form.current?.querySelector<HTMLInputElement>(".directory-browser input")?.focus();
  };
  const inProject = async (): Promise<ProjectId | null> => {
    if (chosen !== null) return chosen;
    if (path.trim() === "") {
      focusPath("Choose the directory that the agent works in.");
      return null;
    }
    // What is typed meanwhile is meant for the session.
    shell.focusWanted.value = NEXT_SESSION;
    const added = await addProject(shell, path.trim(), (words) => focusPath(words));
    if (shell.focusWanted.peek() === NEXT_SESSION) shell.focusWanted.value = null;
    setChosen(added);
    return added;
  };
  const [creation, start] = useStart(shell, {
    inProject,
    place,
    isCancelable: !isPage,
    onStarted: props.onStarted,
    // What was added to it while it was on its way is kept.
    onSent: (prompt) => {
      if (promptDraft().trim() === prompt) write("");
    },
    onStopped: () => beginTyping(field.current, takeBufferedText()),
  });
  const begin = (cliType = agentId, prompt = message) => {
    // What is typed from here on is meant for the session.
    form.current?.querySelector<HTMLElement>("button[type=submit]")?.focus();
    if (cliType !== undefined) start(cliType, prompt.trim());
  };
  useEffect(() => {
    if (startWith !== undefined) begin(startWith);
  }, []);
  const agent = state.agents.find(({ id }) => id === agentId);
  const needsInstall = agent?.availability === "needs-install" && agent.installable === true;
  const kept = place && { place };
  const placeChoice = !isPage && chosen !== null && canIn(state, chosen, "worktrees") && (
    <PlaceChoice key={chosen} shell={shell} projectId={chosen} place={place} onChoose={setPlace} />
  );
  // There the whole form scrolls, and the place must not be below all agents.
  const isSmall = useMatch(SMALL_QUERY);
  return (
    <form
      class={isPage ? "new-session on-page" : "new-session"}
      ref={form}
      onSubmit={(event) => {
        event.preventDefault();
        begin();
      }}
    >
      <div class={isPage ? "new-session-parts" : "dialog-body new-session-parts"}>
        <div class="prompt-field">
          <label class="visually-hidden" for={messageId}>
            First message
          </label>
          <textarea
            ref={field}
            id={messageId}
            rows={isPage ? 3 : 4}
            placeholder="What should the agent do?"
            maxLength={PROMPT_CHARS_MAX}
            value={message}
            data-first-focus=""
            onInput={({ currentTarget }) => write(currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
              event.preventDefault();
              begin();
            }}
          />
          <div class="prompt-foot">
            {agent !== undefined && (
              <StartOptions key={agent.id} shell={shell} cliType={agent.id} agentName={agent.name} />
            )}
            <span class="spacer" />
            <button
              type="submit"
              class="button primary"
              title="Enter starts, Shift+Enter breaks the line"
              aria-busy={creation.phase === "creating"}
            >
              {needsInstall ? "Install and start" : "Start"}
              <span class="keys" aria-hidden="true">
                <kbd>⏎</kbd>
              </span>
            </button>
          </div>
        </div>
        {chosen === null && (
          <DirectoryBrowser
            shell={shell}
            path={path}
            refused={pathRefused}
            onPath={(next) => {
              setPath(next);
              setPathRefused(null);
            }}
          />
        )}
        <ProjectSelect
          projects={state.projects}
          chosen={chosen}
          onChoose={(id) => {
            setChosen(id);
            setPlace(undefined);
          }}
        />
        {isSmall && placeChoice}
        {isPage && (
          <Examples
            onTry={(prompt) => {
              write(prompt);
              setAgentId(BUILTIN_AGENT);
              if (chosen === null && path.trim() === "") focusPath(null);
              else begin(BUILTIN_AGENT, prompt);
            }}
          />
        )}
        <AgentChoice
          shell={shell}
          chosen={agentId}
          creation={creation}
          isShort={isPage}
          onChoose={setAgentId}
          onStart={begin}
          after={(id) => ({
            done: { kind: "new-session", projectId: chosen, startWith: id, ...kept },
            back: { kind: "new-session", projectId: chosen, ...kept },
          })}
        />
      </div>
      {!isSmall && placeChoice}
      {foot !== undefined && <div class="dialog-foot">{foot(chosen)}</div>}
    </form>
  );
}

/** As in `new-session.css`. */
const SMALL_QUERY = "(width < 560px) or (height < 560px)";

/** Whether the screen is like that, also after it was turned or resized. */
function useMatch(query: string): boolean {
  const [isMatch, setMatch] = useState(() => matchMedia(query).matches);
  useEffect(() => {
    const list = matchMedia(query);
    const look = () => setMatch(list.matches);
    list.addEventListener("change", look);
    return () => list.removeEventListener("change", look);
  }, [query]);
  return isMatch;
}

/** The agent that the user started last, if it can be started; else the first that can. */
function firstAgent({ agents, sessions }: ShellState): CliType | undefined {
  const isReady = (id: CliType) => agents.some((agent) => agent.id === id && agent.availability === "ready");
  const [last] = [...sessions.values()]
    .filter(({ parentId, cliType }) => parentId === undefined && isReady(cliType))
    .sort((one, other) => other.createdAt.localeCompare(one.createdAt));
  return last?.cliType ?? agents.find(({ id }) => isReady(id))?.id ?? agents[0]?.id;
}

/** The message field gets the focus if nothing else has it, and what was typed before it was there. */
function beginTyping(field: HTMLTextAreaElement | null, typed: string): void {
  if (field === null) return;
  const end = field.value.length;
  // There the on-screen keyboard would cover the page.
  const isFree = document.activeElement === document.body && !matchMedia("(pointer: coarse)").matches;
  if (isFree) field.focus({ preventScroll: true });
  if (isFree) field.setSelectionRange(end, end);
  if (typed === "") return;
  field.setRangeText(typed, end, end, "end");
  field.dispatchEvent(new InputEvent("input", { bubbles: true }));
}

const ANOTHER = "another";

interface ProjectSelectProps {
  readonly projects: readonly Project[];
  readonly chosen: ProjectId | null;
  readonly onChoose: (id: ProjectId | null) => void;
}

function ProjectSelect({ projects, chosen, onChoose }: ProjectSelectProps) {
  if (projects.length === 0) return null;
  return (
    <label class="project-choice">
      <span class="label">Project</span>
      <select
        class="native-select"
        aria-label="Project"
        value={chosen ?? ANOTHER}
        onChange={({ currentTarget }) => onChoose(projects.find(({ id }) => id === currentTarget.value)?.id ?? null)}
      >
        {projects.map(({ id, name, path }) => (
          <option key={id} value={id} title={path}>
            {name}
          </option>
        ))}
        <option value={ANOTHER}>Another directory…</option>
      </select>
    </label>
  );
}

function Examples({ onTry }: { onTry: (prompt: string) => void }) {
  return (
    <fieldset class="prompts">
      <legend class="part-title">Or try the built-in agent</legend>
      {EXAMPLE_PROMPTS.map(({ icon, words, shows, prompt }) => (
        <button key={prompt} type="button" onClick={() => onTry(prompt)}>
          <Icon name={icon} />
          <span>{words}</span>
          <span class="shows" aria-hidden="true">
            {shows}
          </span>
        </button>
      ))}
    </fieldset>
  );
}

interface StartParts {
  /** Null: no directory was chosen, which is shown. */
  readonly inProject: () => Promise<ProjectId | null>;
  readonly place: PlaceWish | undefined;
  /** The first page is left when there is a session; a dialog is closed by the user. */
  readonly isCancelable: boolean;
  readonly onStarted: () => void;
  readonly onSent: (prompt: string) => void;
  /** Nothing was started: no composer takes what was typed for it. */
  readonly onStopped: () => void;
}

/** Starts one session at a time and sends its first message. Closing the form first cancels it. */
function useStart(shell: Shell, parts: StartParts): [Creation, (cliType: CliType, prompt: string) => void] {
  const [creation, setCreation] = useState<Creation>({ phase: "choosing" });
  const isStarting = useRef(false);
  const isShown = useRef(true);
  useEffect(
    () => () => {
      isShown.current = false;
    },
    [],
  );
  const isWanted = () => isShown.current || !parts.isCancelable;
  const start = async (cliType: CliType, prompt: string) => {
    const projectId = await parts.inProject();
    if (projectId === null || !(await isInstalled(cliType)) || !isWanted()) {
      parts.onStopped();
      return;
    }
    const name = agentOf(shell.server.peek(), cliType)?.name ?? cliType;
    const words = makesWorktree(parts.place) ? "Making the worktree…" : `Starting ${name}…`;
    setCreation({ phase: "creating", cliType, words });
    const refuse: Notify = (_words, trouble) => {
      // It was cancelled.
      if (isShown.current) setCreation({ phase: "refused", cliType, trouble });
    };
    const sessionId = await createSession(
      shell,
      { projectId, cliType, place: parts.place, about: prompt },
      refuse,
      isWanted,
    );
    if (sessionId === null) return;
    if (prompt !== "") {
      const sent = await shell.attempt({ type: "session:send", sessionId, content: prompt });
      // Refused: the message stays here for another try.
      if (sent !== null) parts.onSent(prompt);
    }
    parts.onStarted();
  };
  const isInstalled = async (cliType: CliType): Promise<boolean> => {
    const agent = agentOf(shell.server.peek(), cliType);
    if (agent?.availability !== "needs-install" || agent.installable !== true) return true;
    return shell.installs.install(cliType);
  };
  const startOnce = async (cliType: CliType, prompt: string) => {
    if (isStarting.current) return;
    isStarting.current = true;
    try {
      await start(cliType, prompt);
    } finally {
      isStarting.current = false;
    }
  };
  return [creation, (cliType, prompt) => void startOnce(cliType, prompt)];
}

function makesWorktree(place: PlaceWish | undefined): boolean {
  return typeof place?.worktree === "object" && "create" in place.worktree;
}
