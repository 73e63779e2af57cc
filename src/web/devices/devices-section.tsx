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
        {!isPairing && (
          <button type="button" class="button" onClick={() => setPairing(true)}>
            <Icon name="plus" class="icon-sm" />
            Pair a device
          </button>
        )}
        {others.length > 0 && (
          <button type="button" class="button" onClick={() => void revoke({ others: true })}>
            Revoke all others
          </button>
        )}
      </div>
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
