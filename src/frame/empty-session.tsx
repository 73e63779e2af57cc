import { Icon } from "../ui/icons/icon.tsx";
import { agentIconName } from "../ui/icons/icon-shapes.ts";
import { canSend } from "./composer/can-send.ts";
import { type PortletModel, usePiece } from "./portlet-model.ts";

/** Prompts that the built-in agent answers without a model: three kinds of work in three clicks. */
const EXAMPLE_PROMPTS = [
  { prompt: "help", says: "What it can do" },
  { prompt: "plan", says: "Watch a plan being carried out" },
  { prompt: "list", says: "List the files of this project" },
];

/** An empty session explains itself in one line; the built-in agent can be tried at once. */
export function EmptySession({ model }: { model: PortletModel }) {
  const isOpened = usePiece(model, (state) => state.isOpened);
  const isEmpty = usePiece(model, ({ session }) => session.settled.length === 0 && session.open.length === 0);
  const isSending = model.composer.value.outgoing.length > 0;
  if (!isOpened) return <LoadingSession model={model} />;
  return isEmpty && !isSending ? <Invitation model={model} /> : null;
}

function Invitation({ model }: { model: PortletModel }) {
  const agentName = usePiece(model, (state) => state.agentName);
  const projectName = usePiece(model, (state) => state.projectName);
  const cliType = usePiece(model, (state) => state.cliType);
  const isOff = usePiece(model, (state) => !canSend(state));
  const isStarting = usePiece(model, (state) => state.status === "starting");
  return (
    <div class="empty">
      <Icon name={agentIconName(cliType ?? "")} />
      <h2>Ask {agentName} something</h2>
      <p>Working in {projectName}. Describe the task. Press Enter to send, Shift+Enter for a new line.</p>
      {cliType === "builtin" && (
        <div class="prompts">
          {EXAMPLE_PROMPTS.map(({ prompt, says }) => (
            <button key={prompt} type="button" disabled={isOff} onClick={() => model.store.submit(prompt)}>
              <span class="mono">{prompt}</span>
              <span class="says">{says}</span>
            </button>
          ))}
        </div>
      )}
      <p class="starting">{isStarting && `Starting ${agentName}… You can already send messages.`}</p>
    </div>
  );
}

/** A placeholder; its style is delayed, so that a quick answer does not flicker. */
function LoadingSession({ model }: { model: PortletModel }) {
  const hasSession = usePiece(model, (state) => state.cliType !== null);
  if (!hasSession) return null;
  return (
    <div class="loading" role="presentation">
      {["card", "short", "medium", "long", "long", "half", "block"].map((shape, index) => (
        <span key={index} class={`skeleton ${shape}`} />
      ))}
    </div>
  );
}
