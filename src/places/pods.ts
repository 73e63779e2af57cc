import { z } from "zod/mini";
import { ignore } from "../lib/ignore.ts";
import { parseJson } from "../lib/parse-json.ts";
import { configuredName } from "../protocol/place-path.ts";
import { kubectlFailure, shortened } from "./cluster-failure.ts";
import { type PodPlace, placeFailure } from "./place.ts";
import { PlaceError } from "./place-error.ts";
import { CLAIMS, kubectlOf, objectFor, type PodIdentity, podIdIn, selectorOf } from "./pod.ts";

/** One answer of the cluster. */
const ANSWER_MS_MAX = 30_000;
const OUTPUT_BYTES_MAX = 16 * 1024 * 1024;
/** Images are pulled, and projects cloned, within this. */
const READY_MS_MAX = 10 * 60_000;
const LOOK_MS_FIRST = 100;
const LOOK_MS_MAX = 2_000;

type Env = Readonly<Record<string, string>>;

const Status = z.looseObject({
  image: z.optional(z.string()),
  name: z.optional(z.string()),
  restartCount: z.optional(z.number()),
  state: z.optional(
    z.looseObject({
      waiting: z.optional(z.looseObject({ reason: z.optional(z.string()), message: z.optional(z.string()) })),
    }),
  ),
});
const Listed = z.looseObject({
  metadata: z.looseObject({
    name: z.string(),
    labels: z.optional(z.record(z.string(), z.string())),
    deletionTimestamp: z.optional(z.string()),
  }),
});
const ListedPod = z.extend(Listed, {
  spec: z.looseObject({ containers: z.array(z.looseObject({ name: z.string() })) }),
  status: z.optional(
    z.looseObject({
      phase: z.optional(z.string()),
      reason: z.optional(z.string()),
      message: z.optional(z.string()),
      conditions: z.optional(z.array(z.looseObject({ type: z.string(), status: z.string() }))),
      containerStatuses: z.optional(z.array(Status)),
      initContainerStatuses: z.optional(z.array(Status)),
    }),
  ),
});
type ListedPod = z.infer<typeof ListedPod>;
const Event = z.looseObject({ type: z.optional(z.string()), message: z.optional(z.string()) });

/** The pods of a place, by the user's own `kubectl`. Every method rejects with a PlaceError that says what to do. */
export class Cluster {
  readonly #place: PodPlace;
  readonly #env: Env;

  constructor(place: PodPlace, env: Env) {
    this.#place = place;
    this.#env = env;
  }

  /**
   * The command that leads to the runner in this pod, once it is ready. A pod that is missing is made if `mayMake` says so
   * then. One that never got ready holds nothing, and is removed again.
   */
  async reach(pod: PodIdentity, mayMake: () => boolean): Promise<readonly string[]> {
    const isNew = await this.#make(pod, mayMake);
    try {
      return this.#execIn(await this.#untilReady(pod));
    } catch (error) {
      if (isNew) await this.remove(pod).catch(ignore("why it did not get ready is what is told"));
      throw error;
    }
  }

  /** Ids of the pods of this place that are there. */
  async ids(msMax = ANSWER_MS_MAX): Promise<readonly string[]> {
    const found = await this.#list(this.#resource, Listed, selectorOf({ owner: this.#place.pod.owner }), { msMax });
    return found.flatMap(({ metadata }) =>
      metadata.deletionTimestamp === undefined ? (podIdIn(metadata.labels) ?? []) : [],
    );
  }

  /** With everything in it. Does not wait for its end. */
  async remove(pod: PodIdentity): Promise<void> {
    await this.#run(
      ["delete", this.#resource, "--selector", selectorOf(pod), "--wait=false", "--ignore-not-found"],
      {},
    );
  }

  get #resource(): string {
    return this.#place.template.from.kind === "sandbox" ? CLAIMS : "pods";
  }

  /** False if it is there already. */
  async #make(pod: PodIdentity, mayMake: () => boolean): Promise<boolean> {
    for (let lookMs = LOOK_MS_FIRST; ; lookMs = Math.min(lookMs * 2, LOOK_MS_MAX)) {
      const [known] = await this.#list(this.#resource, Listed, selectorOf(pod));
      if (known && known.metadata.deletionTimestamp === undefined) return false;
      if (!mayMake())
        throw new PlaceError(
          `The pod of this session at ${this.#name} is gone, with all that was in it. The next message makes a new one.`,
          { isFinal: true, isGone: true },
        );
      if (!known) break;
      // The one before is still ending, and has its name.
      await Bun.sleep(lookMs);
    }
    const object = await objectFor(this.#name, this.#place.template, pod);
    try {
      await this.#run(["create", "--filename", "-"], { input: JSON.stringify(object) });
    } catch (error) {
      // Another server of the team was first.
      if (!(error instanceof KubectlError) || !/alreadyexists|already exists/i.test(error.said)) throw error;
      return false;
    }
    return true;
  }

  async #untilReady(pod: PodIdentity): Promise<ListedPod> {
    const deadline = performance.now() + READY_MS_MAX;
    for (let lookMs = LOOK_MS_FIRST; ; lookMs = Math.min(lookMs * 2, LOOK_MS_MAX)) {
      const [found] = await this.#list("pods", ListedPod, selectorOf(pod));
      if (found) {
        const problem = this.#problemOf(found);
        if (problem !== null) throw new PlaceError(problem);
        if (isReady(found)) return found;
      }
      if (performance.now() > deadline) throw new PlaceError(await this.#whyPending(pod, found));
      await Bun.sleep(lookMs);
    }
  }

  #problemOf({ metadata, status = {} }: ListedPod): string | null {
    const { name } = metadata;
    const place = this.#name;
    const ended = status.phase === "Failed" || status.phase === "Succeeded";
    if (ended) {
      const why = [status.phase, status.reason, status.message].filter(Boolean).join(": ");
      return `The pod ${name} at ${place} has ended (${shortened(why)}). Nothing in it can be reached: delete it with "kubectl delete pod ${name}", and a new one is made. Its containers have to run on, for example with "sleep infinity".`;
    }
    for (const one of [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])]) {
      const { reason, message = "" } = one.state?.waiting ?? {};
      const said = message === "" ? "" : ` (${shortened(message)})`;
      switch (reason) {
        case "ImagePullBackOff":
        case "InvalidImageName":
        case "ErrImageNeverPull":
          return `The image ${one.image} cannot be pulled${said}: correct the pod template of ${place}, or give the cluster access to the image.`;
        case "CreateContainerConfigError":
        case "CreateContainerError":
        case "RunContainerError":
          return `The container ${one.name} of the pod cannot start${said}: correct the pod template of ${place}.`;
        case "CrashLoopBackOff":
          return `The container ${one.name} of the pod ends again and again${said}: see "kubectl logs ${name} -c ${one.name}", and correct the pod template of ${place}.`;
        default:
      }
    }
    return null;
  }

  async #whyPending(pod: PodIdentity, found: ListedPod | undefined): Promise<string> {
    const minutes = READY_MS_MAX / 60_000;
    const name = found?.metadata.name ?? pod.name;
    const fields = `involvedObject.name=${name}`;
    const events = await this.#list("events", Event, null, { fields }).catch(none);
    const last = events.filter(({ type }) => type === "Warning").at(-1) ?? events.at(-1);
    const said = last?.message === undefined ? "" : ` (${shortened(last.message)})`;
    return `The pod ${name} at ${this.#name} was not ready within ${minutes} minutes${said}: see "kubectl describe pod ${name}".`;
  }

  #execIn({ metadata, spec }: ListedPod): readonly string[] {
    const { template, program } = this.#place;
    const container = template.container ?? spec.containers[0]?.name;
    return [
      ...kubectlOf(template),
      ...["exec", "-i", metadata.name],
      ...(container === undefined ? [] : ["-c", container]),
      ...["--", program, "runner"],
    ];
  }

  get #name(): string {
    return configuredName(this.#place.name);
  }

  async #list<Schema extends z.ZodMiniType>(
    resource: string,
    schema: Schema,
    labels: string | null,
    { fields, msMax }: { readonly fields?: string; readonly msMax?: number | undefined } = {},
  ): Promise<z.infer<Schema>[]> {
    const selected = labels === null ? [] : ["--selector", labels];
    const narrowed = fields === undefined ? [] : ["--field-selector", fields];
    const text = await this.#run(["get", resource, ...selected, ...narrowed, "--output", "json"], { msMax });
    const list = z.looseObject({ items: z.array(schema) }).safeParse(parseJson(text));
    if (!list.success)
      throw new PlaceError(`kubectl answered for ${this.#name} with something else than a list: update kubectl.`);
    return list.data.items;
  }

  async #run(words: readonly string[], { input = "", msMax = ANSWER_MS_MAX }: RunOptions): Promise<string> {
    const command = [...kubectlOf(this.#place.template), ...words];
    const { stdout, stderr, code } = await this.#spawn(command, input, msMax);
    if (code === 0) return stdout;
    throw new KubectlError(kubectlFailure(this.#name, stderr, code), stderr);
  }

  async #spawn(command: string[], input: string, timeout: number) {
    try {
      const child = Bun.spawn(command, {
        ...{ env: this.#env, stdin: new Blob([input]), stdout: "pipe", stderr: "pipe" },
        ...{ timeout, killSignal: "SIGKILL", maxBuffer: OUTPUT_BYTES_MAX },
      });
      const [stdout, stderr] = await Promise.all([
        new Response(child.stdout).text(),
        new Response(child.stderr).text(),
      ]);
      await child.exited;
      // Null: it was ended because it took too long.
      return { stdout, stderr, code: child.exitCode };
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      throw placeFailure(this.#place, { notStartable: error.message });
    }
  }
}

interface RunOptions {
  readonly input?: string | undefined;
  readonly msMax?: number | undefined;
}

/** Events are told where they may be read. */
function none(error: unknown): [] {
  if (!(error instanceof PlaceError)) throw error;
  return [];
}

class KubectlError extends PlaceError {
  readonly said: string;

  constructor(failure: PlaceError, said: string) {
    super(failure.message, failure);
    this.said = said;
  }
}

function isReady({ status }: ListedPod): boolean {
  return status?.conditions?.some(({ type, status: is }) => type === "Ready" && is === "True") ?? false;
}
