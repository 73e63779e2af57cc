import { agentEnvironment } from "../agents/process/agent-environment.ts";
import { FlowGate } from "../lib/flow-gate.ts";
import { CONTRACT_VERSIONS } from "../places/contract.ts";
import type { Place } from "../places/place.ts";
import { PlaceError } from "../places/place-error.ts";
import { PlaceLink } from "../places/place-link.ts";
import { podIdentity } from "../places/pod.ts";
import { Cluster } from "../places/pods.ts";
import { MAIN_POD } from "../protocol/place-path.ts";
import { VERSION } from "./version.ts";

/** Its agents belong to no server: a check starts none. */
const CHECK = { id: "check", epoch: 1 } as const;

/** Tests a place in isolation: a running server and its agents there are not affected. */
export async function checkPlace(
  place: Place,
  env: Readonly<Record<string, string | undefined>>,
): Promise<{ readonly release: string; readonly platform: string; readonly home: string }> {
  const environment = agentEnvironment(env);
  // A pod of its own, since those of sessions are known by who has them.
  const tried =
    place.kind === "kubernetes" ? { ...place, pod: podIdentity(crypto.randomUUID(), place.name, MAIN_POD) } : place;
  const link = new PlaceLink({
    place: tried,
    env: environment,
    server: CHECK,
    release: VERSION,
    versions: CONTRACT_VERSIONS,
    limits: { holdMs: 1, checkpointBytes: 1, journalBytesMax: 1 },
    flow: new FlowGate(),
    onCut: () => undefined,
    onStanding: () => undefined,
    serveTools: null,
    dialled: async (name) => {
      throw new PlaceError(`${name} dials in to its server: save it, then make a link for the machine.`);
    },
    onError: (error) => {
      throw error;
    },
  });
  try {
    const { release, platform, home } = await link.check();
    return { release, platform, home };
  } finally {
    link.end();
    if (tried.kind === "kubernetes") await new Cluster(tried, environment).remove(tried.pod);
  }
}
