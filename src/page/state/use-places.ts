import { useEffect, useState } from "preact/hooks";
import type { ShownPlace } from "../../protocol/places.ts";
import type { ServerMessage } from "../../protocol/server-messages.ts";
import type { Shell } from "./shell.ts";
import type { Notify } from "./trouble.ts";

export interface ListedPlaces {
  /** config.json. */
  readonly path: string;
  readonly places: readonly ShownPlace[];
  /** Mistakes in the file. */
  readonly problems: readonly string[];
}

/** The places of config.json, with their connections as they are now. Null until the server has answered. */
export function usePlaces(shell: Shell, refuse: Notify): [ListedPlaces | null, (listed: ListedPlaces) => void] {
  const [listed, setListed] = useState<ListedPlaces | null>(null);
  useEffect(() => {
    const unlisten = shell.listen((message) => setListed((known) => known && withState(known, message)));
    void shell.attempt({ type: "place:list" }, refuse).then((answer) => {
      if (answer?.type === "place:list") setListed(answer);
    });
    return unlisten;
  }, []);
  return [listed, setListed];
}

function withState(known: ListedPlaces, message: ServerMessage): ListedPlaces {
  if (message.type !== "place:state") return known;
  const { name, state, problem, release, platform } = message;
  const places = known.places.map((place) =>
    place.name === name ? { name, setting: place.setting, state, problem, release, platform } : place,
  );
  return { ...known, places };
}
