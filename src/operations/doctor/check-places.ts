import { join } from "node:path";
import type { ServerConfig } from "../config.ts";
import { loadConfigFile } from "../config-file.ts";
import { errorText, type Finding, note, ok, problem } from "./finding.ts";

/** Checks that a runner answers at each place of config.json. Starts no agent there. */
export async function checkPlaces({ dataDir, env }: ServerConfig): Promise<readonly Finding[]> {
  const { places } = loadConfigFile(join(dataDir, "config.json"), env);
  if (places.length === 0) return [];
  const { checkPlace } = await import("../check-place.ts");
  return Promise.all(
    places.map(async (place): Promise<Finding> => {
      const about = `place:${place.name}`;
      // Only the server that runs has its connection.
      if (place.kind === "dial-in")
        return note(
          about,
          `${place.name} dials in to the server.`,
          `See its state with: liminal place check ${place.name}`,
        );
      try {
        const { release, platform } = await checkPlace(place, env);
        return ok(about, `${place.name} answers (release ${release}, ${platform}).`);
      } catch (error) {
        return problem(about, errorText(error), `Try it again with: liminal place check ${place.name}`);
      }
    }),
  );
}
