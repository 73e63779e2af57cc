import { useEffect, useState } from "preact/hooks";
import {
  NOTICE_AFTER_MS_DEFAULT,
  NOTICE_EVENTS,
  NOTICE_SECRET_CHARS_MAX,
  NOTICE_SECRET_CHARS_MIN,
  type NoticeEvent,
  type NoticeFormat,
  NoticeUrl,
  type ShownNoticeTarget,
} from "../../protocol/notices.ts";
import type { ServerMessage } from "../../protocol/server-messages.ts";
import { ageWords } from "../../ui/words/time-words.ts";
import { Choice } from "../controls/choice.tsx";
import type { Shell } from "../state/shell.ts";
import { ListWithForm, SettingsForm } from "./list-with-form.tsx";
import { PushChoice } from "./push-choice.tsx";

const EVENT_WORDS: Readonly<Record<NoticeEvent, string>> = {
  asks: "Waiting for you",
  failed: "Failed",
  limit: "Usage limit",
  done: "Finished",
};

const FORMAT_WORDS: Readonly<Record<NoticeFormat, string>> = { ntfy: "ntfy", json: "JSON webhook" };

const DELAYS_MS = [0, NOTICE_AFTER_MS_DEFAULT, 30_000, 60_000, 300_000, 900_000];

/** Where the server sends notices while no page shows the session: `notify` of config.json. */
export function NoticesSection({ shell }: { shell: Shell }) {
  const { targets, problem, told, ask } = useTargets(shell);
  return (
    <>
      <PushChoice />
      <h4 id="settings-notices">Send notices to</h4>
      <ListWithForm
        headingId="settings-notices"
        items={targets}
        keyOf={({ targetId }) => targetId}
        addWords="Add ntfy or webhook"
        row={(target, list) => (
          <TargetRow
            key={target.targetId}
            target={target}
            nowMs={shell.nowMs.value}
            told={told?.targetId === target.targetId ? told : null}
            onTest={() => void ask({ type: "notify:test", targetId: target.targetId })}
            onEdit={list.edit}
            onRemove={() => {
              void ask({ type: "notify:remove", targetId: target.targetId });
              list.leave();
            }}
          />
        )}
        form={(target, form) => (
          <TargetForm
            target={target}
            onCancel={form.cancel}
            onSave={(wanted) => form.save(() => ask({ type: "notify:save", ...wanted }))}
          />
        )}
        problem={problem}
        hint="Sent by the server while no page shows the session: its title, its project and a link. Never what an agent said,
        and no token."
      />
    </>
  );
}

type NoticeRequest = Extract<Parameters<Shell["attempt"]>[0], { type: `notify:${string}` }>;

/** How a test ended. */
interface Told {
  readonly targetId: string;
  readonly words: string;
  readonly isProblem: boolean;
}

function useTargets(shell: Shell) {
  const [targets, setTargets] = useState<readonly ShownNoticeTarget[] | null>(null);
  const [problem, setProblem] = useState("");
  const [told, setTold] = useState<Told | null>(null);
  useEffect(() => {
    void shell.attempt({ type: "notify:list" }, setProblem);
    // Receives answers, changes from other windows, and how notices ended.
    return shell.listen((message: ServerMessage) => {
      if (message.type !== "notify:targets") return;
      setTargets(message.targets);
      // A real notice that fails after a successful test must be shown.
      setTold(null);
    });
  }, []);
  const ask = async (request: NoticeRequest): Promise<boolean> => {
    setProblem("");
    setTold(null);
    if (request.type !== "notify:test") return (await shell.attempt(request, setProblem)) !== null;
    const { targetId } = request;
    setTold({ targetId, words: "Sending…", isProblem: false });
    let refusal = "";
    const answer = await shell.attempt(request, (words) => {
      refusal = words;
    });
    setTold({ targetId, words: answer === null ? refusal : "Test notice sent.", isProblem: answer === null });
    return answer !== null;
  };
  return { targets, problem, told, ask };
}

interface TargetRowProps {
  readonly target: ShownNoticeTarget;
  readonly nowMs: number;
  readonly told: Told | null;
  readonly onTest: () => void;
  readonly onEdit: () => void;
  readonly onRemove: () => void;
}

function TargetRow({ target, nowMs, told, onTest, onEdit, onRemove }: TargetRowProps) {
  const { address, format, on, last, isSigned = false } = target;
  const lastWords =
    last === undefined
      ? ""
      : last.problem === undefined
        ? `Last notice sent ${ageWords(last.at, nowMs)}.`
        : `Last notice not sent, ${ageWords(last.at, nowMs)}. ${last.problem}`;
  const words = told?.words ?? lastWords;
  const isProblem = told === null ? last?.problem !== undefined : told.isProblem;
  return (
    <li>
      <span class="notice-words">
        <span class="notice-address mono">{address}</span>
        <span class="muted">
          {[
            FORMAT_WORDS[format],
            ...(isSigned ? ["signed"] : []),
            on.map((event) => EVENT_WORDS[event]).join(", "),
          ].join(" · ")}
        </span>
        <span class={isProblem ? "error-text" : "muted"} role="status">
          {words}
        </span>
      </span>
      <span class="notice-actions">
        <button type="button" class="button small" aria-label={`Test ${address}`} onClick={onTest}>
          Test
        </button>
        <button type="button" class="button small" aria-label={`Edit ${address}`} onClick={onEdit}>
          Edit
        </button>
        <button type="button" class="button small" aria-label={`Remove ${address}`} onClick={onRemove}>
          Remove
        </button>
      </span>
    </li>
  );
}

interface TargetFormProps {
  /** Null: a new one. */
  readonly target: ShownNoticeTarget | null;
  readonly onSave: (wanted: Omit<Extract<NoticeRequest, { type: "notify:save" }>, "type">) => void;
  readonly onCancel: () => void;
}

function TargetForm({ target, onSave, onCancel }: TargetFormProps) {
  const [url, setUrl] = useState(target?.address ?? "");
  const [format, setFormat] = useState<NoticeFormat>(target?.format ?? "ntfy");
  const [on, setOn] = useState<readonly NoticeEvent[]>(target?.on ?? ["asks", "failed", "limit"]);
  const [afterMs, setAfterMs] = useState(target?.afterMs ?? NOTICE_AFTER_MS_DEFAULT);
  const [secret, setSecret] = useState("");
  const wasAlways = target?.always === true;
  const [isAlways, setAlways] = useState(wasAlways);
  const [isTried, setTried] = useState(false);
  // The server keeps the address as it is, with a query that is not shown.
  const isKept = target !== null && url.trim() === target.address;
  const problem = isKept ? "" : (NoticeUrl.safeParse(url).error?.issues[0]?.message ?? "");
  const isHook = format === "json";
  const isShort = isHook && secret !== "" && secret.length < NOTICE_SECRET_CHARS_MIN;
  const problems = [
    ...(problem === "" ? [] : [sentence(problem)]),
    ...(on.length === 0 ? ["Choose an event."] : []),
    ...(isShort ? [`The signing secret needs at least ${NOTICE_SECRET_CHARS_MIN} characters.`] : []),
  ];
  const save = () => {
    setTried(true);
    if (problems.length > 0) return;
    const events = NOTICE_EVENTS.filter((event) => on.includes(event));
    onSave({
      ...(target && { targetId: target.targetId }),
      ...(!isKept && { url: url.trim() }),
      format,
      on: events,
      afterMs,
      ...(isHook && secret !== "" && { secret }),
      ...(isAlways !== wasAlways && { always: isAlways }),
    });
  };
  const delays = [...new Set([...DELAYS_MS, afterMs])].sort((a, b) => a - b);
  const delayWords = Object.fromEntries(delays.map((ms) => [String(ms), wordsOfDelay(ms)]));
  return (
    <SettingsForm
      label={target === null ? "New target" : `Edit ${target.address}`}
      problemId="notice-problem"
      problem={isTried ? problems.join(" ") : ""}
      saveWords="Save"
      onSubmit={save}
      onCancel={onCancel}
    >
      <label for="notice-url">
        Address
        <div class="field">
          <input
            id="notice-url"
            type="url"
            value={url}
            placeholder="https://ntfy.sh/your-topic"
            autocomplete="off"
            spellcheck={false}
            aria-invalid={isTried && problem !== ""}
            aria-describedby="notice-problem"
            onInput={(event) => setUrl(event.currentTarget.value)}
          />
        </div>
      </label>
      <div class="setting">
        <span>Format</span>
        <Choice label="Format" words={FORMAT_WORDS} value={format} onChoose={setFormat} />
      </div>
      <fieldset class="notice-events">
        <legend>Events</legend>
        {NOTICE_EVENTS.map((event) => (
          <label key={event}>
            <input
              type="checkbox"
              checked={on.includes(event)}
              onChange={({ currentTarget: { checked } }) =>
                setOn(checked ? [...on, event] : on.filter((one) => one !== event))
              }
            />
            {EVENT_WORDS[event]}
          </label>
        ))}
      </fieldset>
      <div class="setting">
        <span>Wait before sending</span>
        <Choice
          label="Wait before sending"
          words={delayWords}
          value={String(afterMs)}
          onChoose={(ms) => setAfterMs(Number(ms))}
        />
      </div>
      {isHook && (
        <label for="notice-secret">
          Signing secret
          <div class="field">
            <input
              id="notice-secret"
              type="password"
              value={secret}
              maxLength={NOTICE_SECRET_CHARS_MAX}
              placeholder={target?.isSigned === true ? "Leave empty to keep it" : "Leave empty to send unsigned"}
              autocomplete="off"
              aria-invalid={isTried && isShort}
              aria-describedby="notice-problem"
              onInput={(event) => setSecret(event.currentTarget.value)}
            />
          </div>
        </label>
      )}
      <label class="setting">
        <span>Send also while a page shows the session</span>
        <input
          type="checkbox"
          class="check"
          checked={isAlways}
          onChange={({ currentTarget }) => setAlways(currentTarget.checked)}
        />
      </label>
    </SettingsForm>
  );
}

function wordsOfDelay(ms: number): string {
  if (ms === 0) return "Not at all";
  if (ms < 60_000) return `${ms / 1_000} s`;
  return `${Math.round(ms / 60_000)} min`;
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
