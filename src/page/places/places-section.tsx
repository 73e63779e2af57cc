import { useEffect, useRef, useState } from "preact/hooks";
import type { Tested } from "../../protocol/agent-settings.ts";
import { PlaceName, PlacePaths, PlaceSetting, PlaceVariables, type ShownPlace } from "../../protocol/places.ts";
import { Icon } from "../../ui/icons/icon.tsx";
import { ArgumentsField, FormFoot, TestResult, TextField } from "../agents/setting-fields.tsx";
import { Choice } from "../controls/choice.tsx";
import { CopyButton } from "../controls/copy-button.tsx";
import { TroubleNotice } from "../controls/trouble-notice.tsx";
import type { Shell } from "../state/shell.ts";
import type { Trouble } from "../state/trouble.ts";
import { type ListedPlaces, usePlaces } from "../state/use-places.ts";

/** Other machines where agents run: each with its state, and advice. */
export function PlacesSection({ shell }: { shell: Shell }) {
  const [trouble, setTrouble] = useState<Trouble | null>(null);
  const [listed, setListed] = usePlaces(shell, (_words, refused) => setTrouble(refused));
  /** The name of the one that is edited; empty for a new one. */
  const [edited, setEdited] = useState<string | null>(null);
  /** The one that was just added, whose machine is to join. */
  const [awaited, setAwaited] = useState<string | null>(null);
  const add = useRef<HTMLButtonElement>(null);
  const close = () => {
    setEdited(null);
    add.current?.focus();
  };
  const form = (place: ShownPlace | null) => (
    <PlaceForm
      key={place?.name ?? ""}
      shell={shell}
      place={place}
      onSaved={(answer, name) => {
        setListed(answer);
        const isNew = place?.setting.kind !== "dial-in";
        if (isNew && answer.places.some((one) => one.name === name && one.setting.kind === "dial-in")) setAwaited(name);
      }}
      onClose={close}
    />
  );
  const places = listed?.places ?? [];
  return (
    <div class="places-section">
      <p class="hint">
        Agents can also run on another machine, in a container or in a pod where Liminal Builder is installed, or on
        this machine behind a fence. Projects there are added like those here.
      </p>
      {listed?.problems.map((problem) => (
        <p key={problem} class="error-text">
          {problem}
        </p>
      ))}
      <ul class="place-list">
        {places.map((place) => (
          <li key={place.name}>
            {edited === place.name ? (
              form(place)
            ) : (
              <>
                <PlaceLine
                  shell={shell}
                  place={place}
                  onEdit={() => setEdited(place.name)}
                  onJoin={place.setting.kind === "dial-in" ? () => setAwaited(place.name) : undefined}
                />
                {awaited === place.name && place.setting.kind === "dial-in" && (
                  <JoinPanel shell={shell} name={place.name} onListed={setListed} onClose={() => setAwaited(null)} />
                )}
              </>
            )}
          </li>
        ))}
      </ul>
      {trouble !== null && <TroubleNotice trouble={trouble} />}
      {edited === "" ? (
        form(null)
      ) : (
        <button ref={add} type="button" class="button" onClick={() => setEdited("")}>
          <Icon name="plus" class="icon-sm" />
          Add a place
        </button>
      )}
    </div>
  );
}

interface PlaceLineProps {
  readonly shell: Shell;
  readonly place: ShownPlace;
  readonly onEdit: () => void;
  /** Of a machine that dials in. */
  readonly onJoin: (() => void) | undefined;
}

function PlaceLine({ shell, place, onEdit, onJoin }: PlaceLineProps) {
  const { name, setting, state, problem } = place;
  const [isChecking, setChecking] = useState(false);
  const [refused, setRefused] = useState<string | null>(null);
  const check = async () => {
    if (isChecking) return;
    setChecking(true);
    setRefused(null);
    await shell.attempt({ type: "place:check", name }, setRefused);
    setChecking(false);
  };
  const why = refused ?? problem;
  return (
    <div class="place-line">
      <Icon name="server" class="icon-sm" />
      <span class="who">
        <span class="agent-name">{name}</span>
        <span class="agent-note mono">{settingWords(setting)}</span>
        <span class={state === "unreachable" ? "error-text" : "hint"} role="status">
          {isChecking ? "Checking…" : stateWords(place)}
          {!isChecking && why !== undefined && `: ${why}`}
        </span>
      </span>
      {onJoin && (
        <button type="button" class="button small" aria-label={`Join as ${name}`} onClick={onJoin}>
          Join
        </button>
      )}
      <button type="button" class="button small" aria-label={`Check ${name}`} onClick={() => void check()}>
        Check
      </button>
      <button type="button" class="button small" aria-label={`Edit ${name}`} onClick={onEdit}>
        Edit
      </button>
    </div>
  );
}

interface JoinPanelProps {
  readonly shell: Shell;
  readonly name: string;
  readonly onListed: (listed: ListedPlaces) => void;
  readonly onClose: () => void;
}

/** What to run on the machine that shall dial in; and how to be rid of the one that does. */
function JoinPanel({ shell, name, onListed, onClose }: JoinPanelProps) {
  const [made, setMade] = useState<{ readonly command: string; readonly expiresAt: string } | null>(null);
  const [trouble, setTrouble] = useState<Trouble | null>(null);
  const refuse = (_words: string, refused: Trouble) => setTrouble(refused);
  useEffect(() => {
    void shell.attempt({ type: "place:invite", name }, refuse).then((answer) => {
      if (answer?.type === "place:invited") setMade(answer);
    });
  }, []);
  const revoke = async () => {
    const answer = await shell.attempt({ type: "place:revoke", name }, refuse);
    if (answer?.type !== "place:list") return;
    onListed(answer);
    onClose();
  };
  return (
    <section class="setting-form" aria-label={`Join as ${name}`}>
      {made && (
        <>
          <p class="hint">
            Run this on the machine that shall be {name}. It works once, until{" "}
            {new Date(made.expiresAt).toLocaleTimeString([], { timeStyle: "short" })}. A machine that has joined before
            is not let in any more then.
          </p>
          <p class="mono join-command">{made.command}</p>
        </>
      )}
      {trouble !== null && <TroubleNotice trouble={trouble} />}
      <div class="actions">
        {made && <CopyButton text={() => made.command} />}
        <button type="button" class="button ghost danger" onClick={() => void revoke()}>
          Revoke the machine
        </button>
        <span class="spacer" />
        <button type="button" class="button ghost" onClick={onClose}>
          Close
        </button>
      </div>
    </section>
  );
}

function stateWords({ state, release, platform }: ShownPlace): string {
  switch (state) {
    case "idle":
      return "Not connected";
    case "connecting":
      return "Connecting…";
    case "connected":
      return `Connected (release ${release}, ${platform})`;
    case "unreachable":
      return "Cannot be reached";
    default:
      return state satisfies never;
  }
}

function settingWords(setting: PlaceSetting): string {
  if (setting.kind === "fence") return `this machine, fenced in, ${setting.network ? "with" : "without"} network`;
  if (setting.kind === "kubernetes") {
    const { pod, sandbox, namespace } = setting;
    const made = sandbox === undefined ? (pod ?? "the template in config.json") : `the sandboxes of ${sandbox}`;
    return `a Kubernetes pod for each session, from ${made}${namespace === undefined ? "" : ` in ${namespace}`}`;
  }
  if (setting.kind === "dial-in") return "dials in";
  return setting.kind === "ssh" ? `ssh ${setting.host}` : setting.command.join(" ");
}

type Kind = "ssh" | "docker" | "podman" | "kubernetes" | "kubectl" | "dial-in" | "fence" | "command";
const KINDS: Readonly<Record<Kind, string>> = {
  ssh: "SSH",
  docker: "Docker container",
  podman: "Podman container",
  kubernetes: "A Kubernetes pod for each session",
  kubectl: "A running Kubernetes pod",
  "dial-in": "A machine that dials in",
  fence: "A fence on this machine",
  command: "Another command",
};
/** The parts of the command before and after the name of the container or pod. */
const EXEC = ["exec", "-i"];
const RUNNER: Readonly<Record<"docker" | "podman" | "kubectl", readonly string[]>> = {
  docker: ["liminal", "runner"],
  podman: ["liminal", "runner"],
  kubectl: ["--", "liminal", "runner"],
};

interface Draft {
  readonly kind: Kind;
  /** The host, the container or the pod. */
  readonly target: string;
  /** How Liminal Builder is started by SSH; empty for `liminal`. */
  readonly program: string;
  /** Of another command. */
  readonly words: readonly string[];
  readonly fence: FenceDraft;
  readonly pods: PodsDraft;
}

const POD_FIELDS = ["pod", "sandbox", "namespace", "context", "kubeconfig", "container", "program"] as const;
/** As typed; what is empty is not set. */
type PodsDraft = Readonly<Record<(typeof POD_FIELDS)[number] | "idleMinutes", string>> & {
  /** The template is written in config.json, and stays there. */
  readonly isWritten: boolean;
};
const NO_PODS: PodsDraft = {
  ...{ pod: "", sandbox: "", namespace: "", context: "", kubeconfig: "", container: "", program: "" },
  ...{ idleMinutes: "", isWritten: false },
};

type FenceDraft = Readonly<Record<"read" | "write" | "variables", readonly string[]>> & { readonly network: Network };
type Network = "off" | "on";
const NETWORK: Readonly<Record<Network, string>> = { off: "Off", on: "That of this machine" };
const NO_MORE: FenceDraft = { network: "off", read: [], write: [], variables: [] };

function draftOf(setting: PlaceSetting | undefined): Draft {
  const draft: Draft = { kind: "ssh", target: "", program: "", words: [], fence: NO_MORE, pods: NO_PODS };
  if (setting === undefined) return draft;
  if (setting.kind === "dial-in") return { ...draft, kind: "dial-in" };
  if (setting.kind === "ssh") return { ...draft, target: setting.host, program: setting.program ?? "" };
  if (setting.kind === "fence") {
    const { kind, network, read = [], write = [], variables = [] } = setting;
    return { ...draft, kind, fence: { network: network ? "on" : "off", read, write, variables } };
  }
  if (setting.kind === "kubernetes") {
    const texts = Object.fromEntries(POD_FIELDS.map((name) => [name, setting[name] ?? ""]));
    const isWritten = setting.pod === undefined && setting.sandbox === undefined;
    const idleMinutes = String(setting.idleMinutes ?? "");
    return { ...draft, kind: setting.kind, pods: { ...NO_PODS, ...texts, idleMinutes, isWritten } };
  }
  const { command } = setting;
  const [kind = "", first, second, target = ""] = command;
  const runner = kind === "docker" || kind === "podman" || kind === "kubectl" ? RUNNER[kind] : undefined;
  const isPlain = first === EXEC[0] && second === EXEC[1] && runner?.join(" ") === command.slice(4).join(" ");
  if (runner === undefined || !isPlain) return { ...draft, kind: "command", words: command };
  return { ...draft, kind: kind as Kind, target };
}

function settingOf({ kind, target, program, words, fence, pods }: Draft): PlaceSetting {
  if (kind === "kubernetes") {
    const texts = POD_FIELDS.flatMap((name) => (pods[name].trim() === "" ? [] : [[name, pods[name].trim()]]));
    const minutes = pods.idleMinutes.trim() === "" ? {} : { idleMinutes: Number(pods.idleMinutes) };
    return { kind, ...Object.fromEntries(texts), ...minutes };
  }
  if (kind === "fence") {
    const [read, write, variables] = [lines(fence.read), lines(fence.write), lines(fence.variables)];
    return { kind, network: fence.network === "on", read, write, variables };
  }
  if (kind === "dial-in") return { kind };
  if (kind === "ssh") return { kind, host: target.trim(), ...(program.trim() !== "" && { program: program.trim() }) };
  if (kind === "command") return { kind, command: [...words] };
  return { kind: "command", command: [kind, ...EXEC, target.trim(), ...RUNNER[kind]] };
}

const lines = (typed: readonly string[]) => typed.map((line) => line.trim()).filter((line) => line !== "");

const TARGETS: Readonly<
  Record<Exclude<Kind, "command" | "dial-in" | "fence" | "kubernetes">, { label: string; placeholder: string }>
> = {
  ssh: { label: "Host", placeholder: "me@build-1" },
  docker: { label: "Container", placeholder: "build-box" },
  podman: { label: "Container", placeholder: "build-box" },
  kubectl: { label: "Pod", placeholder: "build-0" },
};

interface PlaceFormProps {
  readonly shell: Shell;
  /** Null: a new one. */
  readonly place: ShownPlace | null;
  readonly onSaved: (listed: ListedPlaces, name: string) => void;
  readonly onClose: () => void;
}

function PlaceForm({ shell, place, onSaved, onClose }: PlaceFormProps) {
  const [name, setName] = useState(place?.name ?? "");
  const [draft, setDraft] = useState(() => draftOf(place?.setting));
  const [result, setResult] = useState<Tested | "running" | null>(null);
  const [trouble, setTrouble] = useState<Trouble | null>(null);
  const refuse = (_words: string, refused: Trouble) => setTrouble(refused);
  const change = (part: Partial<Draft>) => {
    setDraft({ ...draft, ...part });
    setResult(null);
    setTrouble(null);
  };
  const { kind } = draft;
  const isComplete = () => {
    const why = missing(name, draft);
    setTrouble(why === null ? null : { code: null, message: why });
    return why === null;
  };
  const test = async () => {
    if (!isComplete()) return;
    setResult("running");
    const answer = await shell.attempt({ type: "place:check", name, setting: settingOf(draft) }, refuse);
    setResult(answer?.type === "settings:tested" ? answer : null);
  };
  const send = async (request: Parameters<Shell["attempt"]>[0]) => {
    const answer = await shell.attempt(request, refuse);
    if (answer?.type !== "place:list") return;
    onSaved(answer, name);
    onClose();
  };
  return (
    <form
      class="setting-form"
      aria-label={place === null ? "New place" : `Place ${place.name}`}
      onSubmit={(event) => {
        event.preventDefault();
        if (isComplete()) void send({ type: "place:save", name, isNew: place === null, setting: settingOf(draft) });
      }}
    >
      {place === null && (
        <TextField
          label="Name"
          value={name}
          placeholder="build-1"
          hint="Projects there are named after it: build-1:~/app"
          onInput={(next) => {
            setName(next.trim());
            setTrouble(null);
          }}
        />
      )}
      <div class="setting-line">
        <span class="label">Reached by</span>
        <Choice label="Kind of place" words={KINDS} value={kind} onChoose={(next) => change({ kind: next })} />
      </div>
      {kind === "fence" ? (
        <FenceFields fence={draft.fence} onChange={(part) => change({ fence: { ...draft.fence, ...part } })} />
      ) : kind === "kubernetes" ? (
        <PodsFields pods={draft.pods} onChange={(part) => change({ pods: { ...draft.pods, ...part } })} />
      ) : kind === "dial-in" ? (
        <p class="hint">
          For a machine that this one does not reach, such as one behind NAT: it connects to this one. After saving, you
          get the command to run there.
        </p>
      ) : kind === "command" ? (
        <>
          <ArgumentsField args={draft.words} onChange={(words) => change({ words })} />
          <p class="hint">Its input and output must lead to “liminal runner”. No shell reads it.</p>
        </>
      ) : (
        <TextField {...TARGETS[kind]} value={draft.target} onInput={(target) => change({ target })} />
      )}
      {kind === "ssh" && (
        <TextField
          label="Program there"
          value={draft.program}
          placeholder="liminal"
          hint="Your own ssh is used, with its configuration and keys. It never asks for a password."
          onInput={(program) => change({ program })}
        />
      )}
      <TestResult result={result} />
      {trouble !== null && <TroubleNotice trouble={trouble} />}
      <FormFoot
        onTest={kind === "dial-in" ? undefined : () => void test()}
        onRemove={place === null ? undefined : () => void send({ type: "place:remove", name: place.name })}
        onCancel={onClose}
      />
    </form>
  );
}

interface FenceFieldsProps {
  readonly fence: FenceDraft;
  readonly onChange: (part: Partial<FenceDraft>) => void;
}

function FenceFields({ fence, onChange }: FenceFieldsProps) {
  const { network, read, write, variables } = fence;
  return (
    <>
      <p class="hint">
        An agent there sees and changes the directory of its session. Of your other files it sees nothing but what you
        name here. It needs Linux and Bubblewrap.
      </p>
      <div class="setting-line">
        <span class="label">Network</span>
        <Choice label="Network" words={NETWORK} value={network} onChoose={(next) => onChange({ network: next })} />
      </div>
      {network === "off" && <p class="hint">Without a network, an agent cannot ask a model elsewhere.</p>}
      <ArgumentsField label="May read, one path per line" args={read} onChange={(next) => onChange({ read: next })} />
      <ArgumentsField
        label="May change, one path per line"
        args={write}
        onChange={(next) => onChange({ write: next })}
      />
      <ArgumentsField
        label="Gets these variables of the environment, one name per line"
        args={variables}
        onChange={(next) => onChange({ variables: next })}
      />
    </>
  );
}

/** As the form calls them. */
const POD_LABELS: Readonly<Record<string, string>> = {
  ...{ pod: "Pod template", sandbox: "Pool of sandboxes", namespace: "Namespace", context: "Context" },
  ...{ kubeconfig: "Kubeconfig", container: "Container", program: "Program", idleMinutes: "Idle limit" },
};

interface PodsFieldsProps {
  readonly pods: PodsDraft;
  readonly onChange: (part: Partial<PodsDraft>) => void;
}

function PodsFields({ pods, onChange }: PodsFieldsProps) {
  return (
    <>
      <p class="hint">
        Each session gets a pod of its own, by the kubectl of the server. It is deleted, with all that is in it, when
        its session is archived or deleted.
      </p>
      <TextField
        label="Pod template"
        value={pods.pod}
        placeholder="~/pod.yaml"
        hint={
          pods.isWritten ? "It stands in config.json. A file on the server takes its place." : "A file on the server."
        }
        onInput={(pod) => onChange({ pod })}
      />
      <TextField
        label="Or a pool of sandboxes"
        value={pods.sandbox}
        hint="Where agent-sandbox is installed."
        onInput={(sandbox) => onChange({ sandbox })}
      />
      <TextField label="Namespace" value={pods.namespace} onInput={(namespace) => onChange({ namespace })} />
      <TextField label="Context of the kubeconfig" value={pods.context} onInput={(context) => onChange({ context })} />
      <TextField
        label="Kubeconfig"
        value={pods.kubeconfig}
        placeholder="~/.kube/config"
        onInput={(kubeconfig) => onChange({ kubeconfig })}
      />
      <TextField
        label="Container"
        value={pods.container}
        hint="Empty: the first one."
        onInput={(container) => onChange({ container })}
      />
      <TextField
        label="Idle limit in minutes"
        value={pods.idleMinutes}
        hint="A pod in which no agent has run for so long is deleted. Empty: no pod of a session is."
        onInput={(idleMinutes) => onChange({ idleMinutes })}
      />
    </>
  );
}

/** What is missing, in words for the user. */
function missing(name: string, draft: Draft): string | null {
  const { kind, target, words, fence, pods } = draft;
  if (!PlaceName.safeParse(name).success)
    return "Enter a name of 2 to 32 lowercase letters, digits and dashes, for example build-1.";
  if (kind === "fence") {
    const paths = PlacePaths.safeParse([...lines(fence.read), ...lines(fence.write)]).success;
    const variables = PlaceVariables.safeParse(lines(fence.variables)).success;
    if (!paths) return "Enter paths that begin with / or ~.";
    return variables ? null : "Enter names of variables: letters, digits and _.";
  }
  if (kind === "kubernetes") {
    const { pod, sandbox, isWritten } = pods;
    if (pod.trim() !== "" && sandbox.trim() !== "") return "Enter a pod template or a pool of sandboxes, not both.";
    if (pod.trim() === "" && sandbox.trim() === "" && !isWritten)
      return "Enter the file of a pod template, or a pool of sandboxes.";
    const wrong = PlaceSetting.safeParse(settingOf(draft)).error?.issues[0];
    return wrong === undefined ? null : `${POD_LABELS[String(wrong.path[0])]}: ${wrong.message}.`;
  }
  if (kind === "dial-in") return null;
  if (kind === "command") return words.some((word) => word !== "") ? null : "Enter the command, one word per line.";
  if (target.trim() === "" || /^-|\s/.test(target.trim()))
    return `Enter the name of the ${TARGETS[kind].label.toLowerCase()}, without spaces.`;
  return null;
}
