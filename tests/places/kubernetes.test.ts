import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { FlowGate } from "../../src/lib/flow-gate.ts";
import { clusterFailure } from "../../src/places/cluster-failure.ts";
import type { Place } from "../../src/places/place.ts";
import { PlaceLinks } from "../../src/places/place-links.ts";
import { objectFor, type PodTemplate, podIdentity, podIdIn, podIdOf } from "../../src/places/pod.ts";
import { MAIN_POD } from "../../src/protocol/place-path.ts";
import { COMMANDS_TIMEOUT_MS } from "../cli/liminal.ts";
import { unknownFields } from "../deploy/object-schemas.ts";
import { watchProcesses } from "../support/leftover-processes.ts";
import { type TempDir, tempDir } from "../support/temp-dir.ts";
import { ROOT } from "../support/test-server.ts";
import { type Machine, machine, SHARED } from "./machine.ts";
import { carriesAgents, hasWorkspace } from "./one-suite.ts";
import { PlayedCluster } from "./played-cluster.ts";
import { Played } from "./played-objects.ts";

const SPEC = { containers: [{ name: "agent", image: "liminal-builder", command: ["sleep", "infinity"] }] };
const TEMPLATE: PodTemplate = {
  from: { kind: "spec", spec: SPEC },
  ...{ namespace: "agents", context: "test", kubeconfig: null, container: null, idleMinutes: null },
};

/** Pods of a template with this image. */
const withImage = (image: string): PodTemplate["from"] => ({
  kind: "spec",
  spec: { containers: [{ name: "agent", image }] },
});

function placeOf(template: Partial<PodTemplate> = {}, id = MAIN_POD): Extract<Place, { kind: "kubernetes" }> {
  const pod = podIdentity("server", "box", id);
  return { ...SHARED, kind: "kubernetes", template: { ...TEMPLATE, ...template }, program: "liminal", pod };
}

describe("[SC-32] a place that is a pod", () => {
  let at: Machine;
  let dir: TempDir;
  let cluster: PlayedCluster;
  let PATH: string;

  beforeAll(async () => {
    at = await machine();
    dir = await tempDir();
    cluster = new PlayedCluster({ dir: dir.path, home: at.home, env: at.processes.env });
    PATH = `${cluster.bin}:${process.env["PATH"]}`;
  });
  afterAll(async () => {
    cluster[Symbol.dispose]();
    await at[Symbol.asyncDispose]();
    await dir[Symbol.asyncDispose]();
  });

  it(
    "[SC-27] carries agents and files; no line is lost or doubled when it is cut",
    async () => {
      await carriesAgents(at, at.link({ setting: placeOf(), env: { PATH } }));
      expect(cluster.pods).toHaveLength(1);
    },
    COMMANDS_TIMEOUT_MS,
  );

  it(
    "[SC-26] [SC-33] has changes, checkpoints and terminals",
    async () => hasWorkspace(at, at.link({ setting: placeOf(), epoch: 2, env: { PATH } })),
    COMMANDS_TIMEOUT_MS,
  );

  it("is reached as a claim of a warm sandbox, by the pod that the claim got", async () => {
    const setting = placeOf({ from: { kind: "sandbox", pool: "agents" } }, "claimed");
    const link = at.link({ setting, epoch: 3, env: { PATH } });
    const agent = at.start(link, "claimed", "/bin/sh", "-c", "echo from a claim; cat");
    await at.said("from a claim");
    expect(cluster.claims).toMatchObject([{ spec: { warmPoolRef: { name: "agents" } } }]);
    // A link of another test may connect at the same time.
    expect(cluster.said.filter((words) => words.includes("exec -i warm-"))).not.toEqual([]);
    await agent.stop();
  });
});

describe("[SC-32] the objects of a place that is a pod", () => {
  const pod = podIdentity("server", "box-", podIdOf("builtin:one"));

  it("are pods by the schema of Kubernetes, with names and labels that no user has written", async () => {
    await using dir = await tempDir();
    const path = dir.join("pod.yaml");
    const image = "registry.example/agents:1";
    writeFileSync(
      path,
      `kind: Pod\nmetadata:\n  labels: {team: blue}\nspec:\n  containers:\n    - {name: agent, image: "${image}"}\n`,
    );
    for (const from of [withImage(image), { kind: "file", path } as const]) {
      const made = await objectFor("box-", { ...TEMPLATE, from }, pod);
      expect(unknownFields(made)).toEqual([]);
      const { metadata, spec } = Played.parse(made);
      expect(metadata.name).toMatch(/^liminal-[0-9a-f]{8}-[0-9a-f]{12}$/);
      for (const label of Object.values(metadata.labels)) expect(label).toMatch(/^[a-z0-9-]*[a-z0-9]$/);
      expect(spec).toMatchObject({ automountServiceAccountToken: false, containers: [{ image }] });
    }
    const ofFile = await objectFor("box-", { ...TEMPLATE, from: { kind: "file", path } }, pod);
    expect(ofFile).toMatchObject({ metadata: { labels: { team: "blue", "liminal-builder/pod": pod.id } } });
    const wrong = { ...TEMPLATE, from: { kind: "spec", spec: { containers: [{ name: 7 }] } } as const };
    expect(() => unknownFields({ kind: "Pod", spec: wrong.from.spec })).toThrow("/spec/containers/0/name");
    await expect(objectFor("box-", wrong, pod)).rejects.toThrow("The pod template of box- is no pod");
  });

  it("[SC-35] are refused in one sentence when the template is missing, damaged or names no such container", async () => {
    await using dir = await tempDir();
    const damaged = dir.join("damaged.yaml");
    writeFileSync(damaged, "spec: [1,");
    const said = async (template: Partial<PodTemplate>) => {
      const made = objectFor("box", { ...TEMPLATE, ...template }, pod);
      return made.then(String, (error: Error) => error.message);
    };
    expect(await said({ from: { kind: "file", path: dir.join("none.yaml") } })).toContain("cannot be read");
    expect(await said({ from: { kind: "file", path: damaged } })).toContain("is neither YAML nor JSON");
    expect(await said({ container: "other" })).toBe(
      'The pod template of box has no container "other": correct places.box.container in config.json.',
    );
  });
});

/** As `kubectl` 1.20 and 1.32 and container runtimes say it. */
const SAID: readonly (readonly [string, string])[] = [
  ['error: context "x" does not exist', "The kubeconfig has no context x"],
  ["Error in configuration: context was not found for specified context: zz", "The kubeconfig has no context zz"],
  ["error: stat /none: no such file or directory", "The kubeconfig of box is missing"],
  ["error: You must be logged in to the server (Unauthorized)", "does not accept your sign-in"],
  [
    'Error from server (Forbidden): pods is forbidden: User "me" cannot list resource "pods" in API group "" in the namespace "agents"',
    'forbids it (list resource "pods" in the namespace "agents")',
  ],
  [
    'Error from server (Forbidden): error when creating "STDIN": pods "liminal-1" is forbidden: exceeded quota: small, requested: pods=1, used: pods=2, limited: pods=2',
    "is full (exceeded quota: small, requested: pods=1",
  ],
  [
    'Error from server (Forbidden): error when creating "STDIN": pods "liminal-1" is forbidden: violates PodSecurity "restricted:latest": allowPrivilegeEscalation != false',
    'refuses the pod (violates PodSecurity "restricted:latest"',
  ],
  ['Error from server (NotFound): error when creating "STDIN": namespaces "agents" not found', "no namespace agents"],
  [
    'error: resource mapping not found for name: "a" namespace: "" from "STDIN": no matches for kind "SandboxClaim" in version "extensions.agents.x-k8s.io/v1beta1"',
    "has no SandboxClaim",
  ],
  ["Unable to connect to the server: dial tcp: lookup k8s.example: no such host", "does not answer"],
  [
    'The Pod "liminal-1" is invalid: spec.containers[0].image: Required value',
    "refuses the pod template of box (spec.containers[0].image: Required value)",
  ],
  [
    'error: Internal error occurred: error executing command in container: failed to exec in container: exec: "liminal": executable file not found in $PATH: unknown',
    "The container of box has no Liminal Builder",
  ],
  [
    'error: Internal error occurred: error executing command in container: failed to exec in container: failed to start exec "9887aef1": OCI runtime exec failed: exec failed: unable to start container process: exec: "/opt/liminal": stat /opt/liminal: no such file or directory: unknown',
    "The container of box has no Liminal Builder",
  ],
  ['error: unable to upgrade connection: container not found ("agent")', "The pod at box is not there any more"],
  ["Error from server (BadRequest): container other is not valid for pod liminal-1", "The pod has no container other"],
  ['Error from server (NotFound): pods "liminal-1" not found', "The pod at box is not there any more"],
  ["error: container agent2 is not valid for pod liminal-1", "The pod has no container agent2"],
];

describe("[SC-35] what a cluster refuses", () => {
  it.each(SAID)("%s", (said, words) => {
    const { message } = clusterFailure("box", said) ?? {};
    expect(message).toContain(words);
    // What is wrong, and what to do.
    expect(message).toMatch(/: .+\.$/);
  });

  it("is told with the place, and a pod that never got ready is removed again", async () => {
    await using at = await machine();
    await using dir = await tempDir();
    using cluster = new PlayedCluster({ dir: dir.path, home: at.home, env: at.processes.env });
    const env = { PATH: `${cluster.bin}:${process.env["PATH"]}` };
    const why = async (template: Partial<PodTemplate>, more: object = env) => {
      const link = at.link({ setting: placeOf(template), env: { ...env, ...more } });
      return link.check().then(String, (error: Error) => error.message);
    };
    expect(await why({ from: withImage("no-such-image") })).toBe(
      'The image no-such-image cannot be pulled (Back-off pulling image "no-such-image"): correct the pod template of box, or give the cluster access to the image.',
    );
    expect(await why({ from: withImage("crashes") })).toContain("ends again and again (back-off 40s");
    expect(await why({ from: withImage("ends") })).toContain("has ended (Succeeded: Completed)");
    expect(cluster.pods).toEqual([]);
    cluster.refuse({ create: "nobody has written about this" });
    expect(await why({})).toBe(
      'kubectl failed for box (nobody has written about this): try "kubectl get pods" with the same settings.',
    );
    expect(await why({}, { PATH: dir.join("none") })).toContain("kubectl could not be started");
    expect(cluster.pods).toEqual([]);
  });
});

describe("[SC-32] pods that nobody needs", () => {
  const MINUTE_MS = 60_000;

  it("are deleted after the idle limit, and only if nothing runs in them; others when their session is archived", async () => {
    await using at = await machine();
    await using dir = await tempDir();
    using cluster = new PlayedCluster({ dir: dir.path, env: at.processes.env });
    const rows = [
      { id: "builtin:open", archived: false },
      { id: "builtin:archived", archived: true },
    ];
    let idleMinutes: number | null = null;
    const links = new PlaceLinks({
      ...{ configured: () => [placeOf({ idleMinutes })], identity: { read: () => null, write: () => undefined } },
      ...{ isShared: false, env: { ...process.env, PATH: `${cluster.bin}:${process.env["PATH"]}` }, release: "1.0.0" },
      ...{ newId: () => crypto.randomUUID(), limits: { holdMs: 1, checkpointBytes: 1 }, flow: new FlowGate() },
      ...{
        workspace: { checkpoints: true, vaultBytesMax: 1 },
        files: { search: async () => ({ files: [] }) } as never,
      },
      ...{ onCut: () => undefined, onTerminal: () => undefined, onStanding: () => undefined, warn: () => undefined },
      sessions: { at: async () => rows, cwdOf: async (id) => `box.${podIdOf(id)}:/work` },
      confirm: async () => undefined,
      serveTools: async () => new Response(null, { status: 401 }),
      dialIn: null as never,
      onError: (error) => {
        throw error;
      },
    });
    const agentIn = (id: string) =>
      links.link(`box.${podIdOf(id)}`).start({
        ...{ command: ["/bin/cat"], cwd: dir.path, env: {}, held: { id: crypto.randomUUID(), label: "" } },
        ...{ onLine: () => undefined, onStderr: () => undefined, onTooLong: () => undefined },
      });
    const there = () => cluster.pods.map(({ metadata }) => podIdIn(metadata.labels)).sort();
    const ids = (...sessions: string[]) => sessions.map(podIdOf).sort();
    const agents = ["builtin:open", "builtin:archived", "builtin:unknown"].map(agentIn);
    await Promise.all(agents.map(({ started }) => started));
    const care = await links.podCare();
    const runAfter = (minutes: number) => care.run(() => performance.now() + minutes * MINUTE_MS);
    try {
      // Nothing is known of one, and the other has an open session.
      await runAfter(1_000_000);
      expect(there()).toEqual(ids("builtin:open", "builtin:unknown"));
      idleMinutes = 30;
      await runAfter(1_000_000);
      expect(there()).toEqual(ids("builtin:open", "builtin:unknown"));
      await agents[0]?.stop();
      await agents[0]?.release();
      await runAfter(29);
      expect(there()).toEqual(ids("builtin:open", "builtin:unknown"));
      await runAfter(31);
      expect(there()).toEqual(ids("builtin:unknown"));
      cluster.refuse({ delete: "Unable to connect to the server: i/o timeout" });
      rows.push({ id: "builtin:unknown", archived: true });
      await care.ended(`box.${podIdOf("builtin:unknown")}`);
      expect(there()).toEqual(ids("builtin:unknown"));
      cluster.refuse({});
      await care.run();
      expect(there()).toEqual([]);
    } finally {
      links.end();
    }
  });
});

describe("npm run test:kubernetes", () => {
  const walk = async (env: Readonly<Record<string, string>>) => {
    const child = Bun.spawn(
      [process.execPath, join(ROOT, "tests/places/programs/walk-kubernetes.ts"), "--image", "liminal-builder"],
      {
        ...{ env, stdout: "pipe", stderr: "inherit" },
      },
    );
    const said = await new Response(child.stdout).text();
    return { said, code: await child.exited };
  };

  it(
    "[SC-32] walks through a place, sessions, their files, a killed server, a deleted pod and an archived session",
    async () => {
      await using dir = await tempDir();
      using processes = watchProcesses();
      using cluster = new PlayedCluster({ dir: dir.path, env: processes.env });
      const env = { ...process.env, ...processes.env, HOME: dir.path, PATH: `${cluster.bin}:${process.env["PATH"]}` };
      const { said, code } = await walk(env as Record<string, string>);
      expect(said).toContain("10 passed, 0 failed");
      expect(code).toBe(0);
      expect(cluster.pods).toEqual([]);
      cluster.refuse({ get: "The connection to the server localhost:8080 was refused" });
      expect(await walk(env as Record<string, string>)).toEqual({
        said: "Left out: no place with pods is walked through. There is no cluster: The connection to the server localhost:8080 was refused\n",
        code: 0,
      });
    },
    COMMANDS_TIMEOUT_MS,
  );
});
