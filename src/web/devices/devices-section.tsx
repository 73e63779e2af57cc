import { useState } from "preact/hooks";
import type { ShownDevice } from "../../protocol/devices.ts";
import { Icon } from "../icons/icon.tsx";
import { relativeAge } from "../shell/relative-age.ts";
import { adoptStyles } from "../styles/adopt-styles.ts";
import styles from "./devices.css" with { type: "text" };
import { PairPanel } from "./pair-panel.tsx";
import { useDevices } from "./use-devices.ts";

/** The browsers that are signed in, and the way to sign in another or throw one out. */
export function DevicesSection({ nowMs }: { nowMs: number }) {
  adoptStyles(styles);
  const [isPairing, setPairing] = useState(false);
  const [isRevoking, setRevoking] = useState(false);
  const { list, problem, revoke } = useDevices();
  const own = list?.devices.filter(({ isThis }) => isThis) ?? [];
  const others = list?.devices.filter(({ isThis }) => !isThis) ?? [];
  return (
    <>
      <ul class="devices" aria-label="Signed-in devices">
        {[...own, ...others].map((device) => (
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
          <button type="button" class="button" aria-expanded={isRevoking} onClick={() => setRevoking(true)}>
            Revoke all others…
          </button>
        )}
      </div>
      {isRevoking && others.length > 0 && (
        // biome-ignore lint/a11y/useSemanticElements: no fields here, a question with two answers
        <section class="revoke-all" role="group" aria-label="Revoke all others">
          <p>
            {others.length === 1
              ? "Revoke the other device? It is signed out immediately."
              : `Revoke all ${others.length} other devices? They are signed out immediately.`}
          </p>
          <div class="row">
            <button type="button" class="button" onClick={() => setRevoking(false)}>
              Keep them
            </button>
            <button
              type="button"
              class="button danger"
              onClick={() => {
                setRevoking(false);
                void revoke({ others: true });
              }}
            >
              Revoke {others.length === 1 ? "it" : `all ${others.length}`}
            </button>
          </div>
        </section>
      )}
      {isPairing && <PairPanel onClose={() => setPairing(false)} />}
      <p class="hint">
        A signed-in device can do everything you can do here. Revoked devices are signed out immediately.
      </p>
    </>
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
