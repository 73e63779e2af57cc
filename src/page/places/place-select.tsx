import { ignore } from "../../lib/ignore.ts";
import { splitPlace } from "../../protocol/place-path.ts";
import type { ShownPlace } from "../../protocol/places.ts";
import type { Shell } from "../state/shell.ts";
import { usePlaces } from "../state/use-places.ts";

const HERE = "";

interface PlaceSelectProps {
  readonly shell: Shell;
  /** The directory that is typed: its place is the one that is chosen. */
  readonly path: string;
  readonly onPath: (path: string) => void;
}

/** On which machine a directory is. Nothing is shown until the user has added another one. */
export function PlaceSelect({ shell, path, onPath }: PlaceSelectProps) {
  const [listed] = usePlaces(shell, ignore("directories of this machine can be chosen"));
  const at = splitPlace(path)?.place ?? HERE;
  const places = listed?.places ?? [];
  if (places.length === 0) return null;
  const chosen = places.find(({ name }) => name === at);
  return (
    <div class="place-select">
      <label class="project-choice">
        <span class="label">Machine</span>
        <select
          class="native-select"
          aria-label="Machine"
          value={chosen === undefined ? HERE : at}
          onChange={({ currentTarget: { value } }) => onPath(value === HERE ? "" : `${value}:~/`)}
        >
          <option value={HERE}>This machine</option>
          {places.map((place) => (
            <option key={place.name} value={place.name}>
              {place.name}
              {optionWords(place)}
            </option>
          ))}
        </select>
      </label>
      {chosen?.state === "connecting" && (
        <p class="hint" role="status">
          Connecting to {chosen.name}…
        </p>
      )}
    </div>
  );
}

function optionWords({ state }: ShownPlace): string {
  if (state === "connected") return " (connected)";
  return state === "unreachable" ? " (cannot be reached)" : "";
}
