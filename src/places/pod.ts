import { createHash } from "node:crypto";
import { homedir } from "node:os";
import { join } from "node:path";
import { z } from "zod/mini";
import { POD_ID_CHARS } from "../protocol/place-path.ts";
import { PlaceError } from "./place-error.ts";

/** Of what a place of the kind `kubernetes` makes its pods, and where. */
export interface PodTemplate {
  readonly from:
    | { readonly kind: "spec"; readonly spec: Readonly<Record<string, unknown>> }
    /** JSON or YAML: a pod, or only its spec. It is read for each pod. */
    | { readonly kind: "file"; readonly path: string }
    /** A pool of the agent-sandbox controller: its pods are claimed. */
    | { readonly kind: "sandbox"; readonly pool: string };
  readonly namespace: string | null;
  readonly context: string | null;
  readonly kubeconfig: string | null;
  /** In which the runner is started; the first one if null. */
  readonly container: string | null;
  /** A pod in which nothing has happened for this long is deleted. Null: only when its session is archived or deleted. */
  readonly idleMinutes: number | null;
}

/** Which of the pods of a place. */
export interface PodIdentity {
  readonly name: string;
  /** `main`, or one made of its session's id. */
  readonly id: string;
  /** Of the server and the place: as all of its pods are known in the cluster. */
  readonly owner: string;
}

const HASH_CHARS = 8;
const PLACE_LABEL = "liminal-builder/place";
export const POD_LABEL = "liminal-builder/pod";
export const CLAIMS = "sandboxclaims.extensions.agents.x-k8s.io";

const hash = (text: string, chars: number) => createHash("sha256").update(text).digest("hex").slice(0, chars);

/** The pod in which a session works. */
export function podIdOf(sessionId: string): string {
  return hash(sessionId, POD_ID_CHARS);
}

/** Ids hold what users and agents have chosen: only their hashes become names and labels. */
export function podIdentity(server: string, place: string, id: string): PodIdentity {
  const owner = hash(`${server} ${place}`, HASH_CHARS);
  return { name: `liminal-${owner}-${id}`, id, owner };
}

/** Selects all pods of a place, or this one. */
export function selectorOf({ owner, id }: Pick<PodIdentity, "owner"> & { readonly id?: string }): string {
  return id === undefined ? `${PLACE_LABEL}=${owner}` : `${PLACE_LABEL}=${owner},${POD_LABEL}=${id}`;
}

export function podIdIn(labels: Readonly<Record<string, string>> | undefined): string | null {
  return labels?.[POD_LABEL] ?? null;
}

const CONTAINERS_MAX = 50;
const Texts = z.record(z.string(), z.string());
const PodSpec = z.looseObject({
  containers: z
    .array(z.looseObject({ name: z.string() }), { error: "containers: expected a list with a name in each" })
    .check(z.minLength(1), z.maxLength(CONTAINERS_MAX)),
});
const Pod = z.looseObject({
  kind: z.optional(z.literal("Pod", { error: "kind: expected Pod" })),
  metadata: z.optional(z.looseObject({ labels: z.optional(Texts), annotations: z.optional(Texts) })),
  spec: PodSpec,
});
type Pod = z.infer<typeof Pod>;

/** The words before those of a request. */
export function kubectlOf({ kubeconfig, context, namespace }: PodTemplate): readonly string[] {
  return [
    "kubectl",
    ...(kubeconfig === null ? [] : ["--kubeconfig", fromHome(kubeconfig)]),
    ...(context === null ? [] : ["--context", context]),
    ...(namespace === null ? [] : ["--namespace", namespace]),
  ];
}

/** What is given to `kubectl create`. Throws a PlaceError that says what is wrong with the template. */
export async function objectFor(place: string, template: PodTemplate, pod: PodIdentity): Promise<object> {
  const labels = {
    "app.kubernetes.io/managed-by": "liminal-builder",
    [PLACE_LABEL]: pod.owner,
    [POD_LABEL]: pod.id,
  };
  const annotations = { [PLACE_LABEL]: place };
  if (template.from.kind === "sandbox")
    return {
      apiVersion: "extensions.agents.x-k8s.io/v1beta1",
      kind: "SandboxClaim",
      metadata: { name: pod.name, labels, annotations },
      spec: { warmPoolRef: { name: template.from.pool }, additionalPodMetadata: { labels } },
    };
  const { metadata, spec } = await readTemplate(place, template);
  const { container } = template;
  if (container !== null && !spec.containers.some(({ name }) => name === container))
    throw new PlaceError(
      `The pod template of ${place} has no container "${container}": correct places.${place}.container in config.json.`,
    );
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name: pod.name,
      labels: { ...metadata?.labels, ...labels },
      annotations: { ...metadata?.annotations, ...annotations },
    },
    // What runs in there is an agent: it gets no account of the cluster unless the template says so.
    spec: { automountServiceAccountToken: false, ...spec },
  };
}

async function readTemplate(place: string, { from }: PodTemplate): Promise<Pod> {
  if (from.kind === "sandbox") throw new Error("a claim has no template of ours");
  const given: unknown = from.kind === "spec" ? from.spec : parsed(place, from.path, await textOf(place, from.path));
  const isSpec = typeof given === "object" && given !== null && "containers" in given;
  const pod = Pod.safeParse(isSpec ? { spec: given } : given);
  if (pod.success) return pod.data;
  const where = from.kind === "file" ? from.path : `places.${place}.pod in config.json`;
  const [issue] = pod.error.issues;
  throw new PlaceError(`The pod template of ${place} is no pod (${issue?.message}): correct ${where}.`);
}

async function textOf(place: string, path: string): Promise<string> {
  try {
    return await Bun.file(fromHome(path)).text();
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    throw new PlaceError(
      `The pod template ${path} cannot be read (${error.message}): correct places.${place}.pod in config.json.`,
    );
  }
}

function parsed(place: string, path: string, text: string): unknown {
  try {
    return Bun.YAML.parse(text);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    throw new PlaceError(
      `The pod template ${path} of ${place} is neither YAML nor JSON (${error.message}): correct it.`,
    );
  }
}

/** A path of this machine, which may begin with `~`. */
export function fromHome(path: string): string {
  return path === "~" || path.startsWith("~/") ? join(homedir(), path.slice(1)) : path;
}
