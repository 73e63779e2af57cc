import { useEffect, useState } from "preact/hooks";
import type { ShownDevice } from "../../protocol/devices.ts";
import { Icon } from "../../ui/icons/icon.tsx";
import { relativeAge } from "../../ui/words/relative-age.ts";
import { type DeviceList, fetchDevices, revokeDevices } from "./devices-api.ts";
import { PairPanel } from "./pair-panel.tsx";

/** The browsers that are signed in, and the way to sign in another or throw one out. */
export function DevicesSection({ nowMs }: { nowMs: number }) {
  const [isPairing, setPairing] = useState(false);
  const [asking, setAsking] = useState<"own" | "others" | null>(null);
  const { list, problem, revoke } = useDevices();
  const own = list?.devices.filter(({ isThis }) => isThis) ?? [];
  // The newest last: a device that is just being paired moves no Revoke under the pointer.
  const others = list?.devices.filter(({ isThis }) => !isThis).toReversed() ?? [];
  return (
    <>
      <ul class="devices" aria-label="Signed-in devices">
        {own.map((device) => (
          <DeviceRow key={device.id} device={device} nowMs={nowMs} onRevoke={() => setAsking("own")} />
        ))}
        {others.map((device) => (
          <DeviceRow key={device.id} device={device} nowMs={nowMs} onRevoke={() => void revoke({ id: device.id })} />
        ))}
      </ul>
      {problem !== "" && (
        <p class="error-text" role="alert">
          {problem}
        </p>
      )}
      <div class="row">
        {/* It keeps its place: nothing may slide under a pointer that clicks twice. */}
        <button type="button" class="button" aria-expanded={isPairing} onClick={() => setPairing(true)}>
          <Icon name="plus" class="icon-sm" />
          Pair a device
        </button>
        {others.length > 0 && (
          <button type="button" class="button" aria-expanded={asking === "others"} onClick={() => setAsking("others")}>
            Revoke all others…
          </button>
        )}
      </div>
      {asking === "others" && others.length > 0 && (
        <Question
          name="Revoke all others"
          words={
            others.length === 1
              ? "Revoke the other device? It is signed out immediately."
              : `Revoke all ${others.length} other devices? They are signed out immediately.`
          }
          keep="Keep them"
          action={`Revoke ${others.length === 1 ? "it" : `all ${others.length}`}`}
          onAnswer={(isSure) => {
            setAsking(null);
            if (isSure) void revoke({ others: true });
          }}
        />
      )}
      {asking === "own" && (
        <Question
          name="Sign out this browser"
          words="Sign out this browser? To come back, open the link that the server prints when it starts, or pair it again."
          keep="Stay signed in"
          action="Sign out"
          onAnswer={(isSure) => {
            setAsking(null);
            for (const { id } of isSure ? own : []) void revoke({ id });
          }}
        />
      )}
      {isPairing && <PairPanel onClose={() => setPairing(false)} />}
      <p class="hint">
        A signed-in device can do everything you can do here. Revoked devices are signed out immediately.
      </p>
    </>
  );
}

interface QuestionProps {
  readonly name: string;
  readonly words: string;
  readonly keep: string;
  readonly action: string;
  readonly onAnswer: (isSure: boolean) => void;
}

function Question({ name, words, keep, action, onAnswer }: QuestionProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: no fields here, a question with two answers
    <section class="revoke-all" role="group" aria-label={name}>
      <p>{words}</p>
      <div class="row">
        <button type="button" class="button" onClick={() => onAnswer(false)}>
          {keep}
        </button>
        <button type="button" class="button danger" onClick={() => onAnswer(true)}>
          {action}
        </button>
      </div>
    </section>
  );
}

interface DeviceRowProps {
  readonly device: ShownDevice;
  readonly nowMs: number;
  readonly onRevoke: () => void;
}

function DeviceRow({ device, nowMs, onRevoke }: DeviceRowProps) {
  const { name, createdAt, lastSeenAt, isConnected, isThis } = device;
  const seen = isConnected ? "connected now" : ageWords("seen", lastSeenAt, nowMs);
  return (
    <li>
      <span class="device-words">
        <span class="device-name">
          {name}
          {isThis && <span class="device-this">this one</span>}
        </span>
        <span class="device-when">
          {seen} · {ageWords("signed in", createdAt, nowMs)}
        </span>
      </span>
      <button
        type="button"
        class="button small"
        aria-label={isThis ? "Sign out this browser" : `Revoke ${name}`}
        onClick={onRevoke}
      >
        {isThis ? "Sign out" : "Revoke"}
      </button>
    </li>
  );
}

function ageWords(what: string, iso: string, nowMs: number): string {
  const age = relativeAge(iso, nowMs);
  return age === "now" ? `${what} just now` : `${what} ${age} ago`;
}

const REFRESH_MS = 2_000;

interface Devices {
  /** Null until it was read once. */
  readonly list: DeviceList | null;
  readonly problem: string;
  readonly revoke: (which: Parameters<typeof revokeDevices>[0]) => Promise<void>;
}

/** Who is signed in, read anew while it is in view. */
function useDevices(): Devices {
  const [list, setList] = useState<DeviceList | null>(null);
  const [problem, setProblem] = useState("");
  const [asked, setAsked] = useState(0);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isShown = true;
    const again = () => {
      if (isShown) timer = setTimeout(read, REFRESH_MS);
    };
    const read = () => {
      fetchDevices().then(
        (next) => {
          if (isShown) setList(next);
          again();
        },
        // A server that is away is told of elsewhere in the page.
        again,
      );
    };
    read();
    return () => {
      isShown = false;
      clearTimeout(timer);
    };
  }, [asked]);
  const revoke: Devices["revoke"] = async (which) => {
    setProblem("");
    try {
      await revokeDevices(which);
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
    setAsked((times) => times + 1);
  };
  return { list, problem, revoke };
}
