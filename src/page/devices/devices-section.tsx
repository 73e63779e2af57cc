import { useEffect, useRef, useState } from "preact/hooks";
import { z } from "zod/mini";
import { ignore } from "../../lib/ignore.ts";
import { PairingOutcome, ShownDevice, ShownInvitation } from "../../protocol/devices.ts";
import { Icon } from "../../ui/icons/icon.tsx";
import { copyText } from "../../ui/markdown/copy-text.ts";
import { relativeAge } from "../../ui/words/time-words.ts";
import { askJson } from "../ask-json.ts";

/** The signed-in devices, with pairing and revocation. */
export function DevicesSection({ nowMs }: { nowMs: number }) {
  const [isPairing, setPairing] = useState(false);
  const [asking, setAsking] = useState<"own" | "others" | null>(null);
  const { list, problem, revoke } = useDevices();
  const own = list?.devices.filter(({ isThis }) => isThis) ?? [];
  // The newest last: a device that is just being paired does not move a Revoke button under the pointer.
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
        {/* It keeps its position: nothing may move under a pointer that clicks twice. */}
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
          keep="Keep devices"
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
          words="Sign out this browser? To sign in again, open the link that the server prints at startup, or pair this browser."
          keep="Stay signed in"
          action="Sign out"
          onAnswer={(isSure) => {
            setAsking(null);
            for (const { id } of isSure ? own : []) void revoke({ id });
          }}
        />
      )}
      {isPairing && <PairPanel label="Pair a device" make={makeInvitation} onClose={() => setPairing(false)} />}
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
          {device.person && <span class="device-this">{device.person.name}</span>}
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
  /** Null until the first response. */
  readonly list: DeviceList | null;
  readonly problem: string;
  readonly revoke: (which: Parameters<typeof revokeDevices>[0]) => Promise<void>;
}

/** The signed-in devices, refreshed while in view. */
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
        // An unreachable server is reported elsewhere in the page.
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

const LOOK_AGAIN_MS = 1_000;
const WAITING: PairingOutcome = { status: "waiting" };

interface PairPanelProps {
  readonly label: string;
  /** The label is above the link: it names the recipient. */
  readonly isNamed?: boolean;
  /** Asks the server for a link. */
  readonly make: () => Promise<ShownInvitation>;
  readonly onClose: () => void;
}

/** A one-time link for another device, as text and as a QR code; shows when it was used. */
export function PairPanel({ label, isNamed = false, make, onClose }: PairPanelProps) {
  const { made, status, problem, again } = useInvitation(make);
  return (
    <section class="pair-panel" aria-label={label}>
      {isNamed && <p class="pair-name">{label}</p>}
      {problem !== "" && (
        <p class="error-text" role="alert">
          {problem}
        </p>
      )}
      {made && status.status === "waiting" && <OpenInvitation key={made.id} made={made} />}
      <p class="pair-status" role="status">
        {statusWords(made, status)}
      </p>
      <div class="row">
        {(status.status !== "waiting" || problem !== "") && (
          <button type="button" class="button" onClick={again}>
            <Icon name="refresh" class="icon-sm" />
            New link
          </button>
        )}
        <button type="button" class="button" onClick={onClose}>
          {status.status === "used" ? "Done" : "Close"}
        </button>
      </div>
    </section>
  );
}

const HALF_DAY_MS = 12 * 60 * 60_000;

function statusWords(made: ShownInvitation | null, { status, device }: PairingOutcome): string {
  if (!made) return "Creating a link…";
  switch (status) {
    case "waiting": {
      const end = new Date(made.expiresAt);
      const isLong = end.getTime() - Date.now() > HALF_DAY_MS;
      const until = end.toLocaleString([], { ...(isLong && { dateStyle: "medium" }), timeStyle: "short" });
      return `Works once. Expires at ${until}. Waiting for the other device…`;
    }
    case "used":
      return `Paired ${device ?? "the device"}.`;
    case "expired":
      return "The link has expired. Create a new one.";
    default:
      return status satisfies never;
  }
}

function OpenInvitation({ made: { links, certificate, isReachable } }: { made: ShownInvitation }) {
  const [link, setLink] = useState(links[0] ?? "");
  const [isCopied, setCopied] = useState(false);
  const copy = () => void copyText(link).then(() => setCopied(true));
  return (
    <>
      {!isReachable && (
        <p class="pair-note">
          Only this machine can open the link. For other devices, start the server with{" "}
          <code>liminal serve --host 0.0.0.0</code>.
        </p>
      )}
      <QrPicture text={link} />
      <div class="pair-words">
        <p>Scan this with the other device, or open the link there.</p>
        {links.length > 1 && (
          <label class="pair-address">
            <span>Address</span>
            <select
              class="native-select"
              value={link}
              onChange={({ currentTarget }) => {
                setLink(currentTarget.value);
                setCopied(false);
              }}
            >
              {links.map((one) => (
                <option key={one} value={one}>
                  {new URL(one).host}
                </option>
              ))}
            </select>
          </label>
        )}
        <div class="pair-link">
          <div class="field">
            <input type="text" class="mono" readOnly aria-label="Link" value={link} />
          </div>
          <button type="button" class="button" onClick={copy}>
            <Icon name={isCopied ? "check" : "copy"} class="icon-sm" />
            {isCopied ? "Copied" : "Copy"}
          </button>
        </div>
        {certificate && (
          <p class="pair-certificate">
            {certificate.isGenerated && "The other browser will warn about this self-signed certificate. "}
            SHA-256 fingerprint: <span class="mono">{certificate.fingerprint}</span>
          </p>
        )}
      </div>
    </>
  );
}

function QrPicture({ text }: { text: string }) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    let isShown = true;
    import("./draw-qr.ts").then(({ drawQr }) => {
      if (isShown) place.current?.replaceChildren(drawQr(text));
    }, ignore("the link beside it leads to the same place"));
    return () => {
      isShown = false;
    };
  }, [text]);
  return <div class="pair-qr" ref={place} />;
}

function useInvitation(make: () => Promise<ShownInvitation>) {
  const [made, setMade] = useState<ShownInvitation | null>(null);
  const [status, setStatus] = useState<PairingOutcome>(WAITING);
  const [problem, setProblem] = useState("");
  const [times, setTimes] = useState(0);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isShown = true;
    const failed = (error: unknown) => isShown && setProblem(error instanceof Error ? error.message : String(error));
    const look = (id: string) => {
      fetchPairing(id).then((next) => {
        if (!isShown) return;
        setStatus(next);
        if (next.status === "waiting") timer = setTimeout(() => look(id), LOOK_AGAIN_MS);
      }, failed);
    };
    setMade(null);
    setStatus(WAITING);
    setProblem("");
    make().then((next) => {
      if (!isShown) return;
      setMade(next);
      look(next.id);
    }, failed);
    return () => {
      isShown = false;
      clearTimeout(timer);
    };
  }, [times]);
  return { made, status, problem, again: () => setTimes((known) => known + 1) };
}

/** The part of `/api/devices` that the page reads. */
const DeviceList = z.object({ devices: z.array(ShownDevice), isReachable: z.boolean() });
type DeviceList = z.infer<typeof DeviceList>;

async function fetchDevices(): Promise<DeviceList> {
  return DeviceList.parse(await askJson("/api/devices"));
}

async function revokeDevices(which: { readonly id: string } | { readonly others: true }): Promise<void> {
  await askJson("/api/devices/revoke", { method: "POST", body: JSON.stringify(which) });
}

async function makeInvitation(): Promise<ShownInvitation> {
  return ShownInvitation.parse(await askJson("/api/pairing", { method: "POST", body: "{}" }));
}

async function fetchPairing(id: string): Promise<PairingOutcome> {
  return PairingOutcome.parse(await askJson(`/api/pairing?${new URLSearchParams({ id })}`));
}
