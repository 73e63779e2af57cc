import { chordWords } from "../../ui/keys/chord-keys.ts";
/** Beside Send while a turn runs that takes messages: Send queues, this does not wait. */
export function SteerButton({ isOff, steer }: { isOff: boolean; steer: () => void }) {
  return (
    <button
      class="button"
      type="button"
      title={`Steer: tell the agent now, without stopping it (${chordWords("Mod+Enter")})`}
      disabled={isOff}
      onClick={steer}
    >
      Steer
    </button>
  );
}
