// A `kubectl` whose cluster is a folder: pods are processes of this machine. Started as: bun kubectl.ts <folder> …
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { findMarked, killMarked } from "../../../scripts/test/marked-processes.ts";
import { homeOf, objectsIn, Played, POD_MARKER, writeObject } from "../played-objects.ts";

const [folder = "", ...words] = process.argv.slice(2);
const { env, home, refuse } = z
  .object({
    env: z.record(z.string(), z.string()),
    /** Of all pods; each has its own if null. */
    home: z.nullable(z.string()),
    /** What it prints instead of an answer, by the first word of the request. */
    refuse: z.record(z.string(), z.string()),
  })
  .parse(JSON.parse(readFileSync(join(folder, "settings.json"), "utf8")));

const options = new Map<string, string>();
const plain: string[] = [];
let command: string[] = [];
for (let index = 0; index < words.length; index++) {
  const word = words[index] ?? "";
  if (word === "--") {
    command = words.slice(index + 1);
    break;
  }
  if (!word.startsWith("-")) plain.push(word);
  else if (word === "-i" || word.includes("=") || word === "--ignore-not-found") options.set(word, "");
  else options.set(word, words[++index] ?? "");
}
const [verb = "", resource = ""] = plain;
writeFileSync(join(folder, "said.log"), `${words.join(" ")}\n`, { flag: "a" });

function fail(text: string): never {
  process.stderr.write(`${text}\n`);
  process.exit(1);
}

function labelsAsked(): readonly [string, string][] {
  const pairs = options.get("--selector")?.split(",") ?? [];
  return pairs.map((pair): [string, string] => [pair.split("=")[0] ?? "", pair.split("=")[1] ?? ""]);
}

const folderOf = (kind: string) => join(folder, kind);

function all(kind: string): Played[] {
  return objectsIn(folderOf(kind)).filter(({ metadata }) =>
    labelsAsked().every(([key, value]) => metadata.labels[key] === value),
  );
}

function put(kind: string, object: Played): void {
  const own = join(folderOf(kind), object.metadata.name);
  if (existsSync(own)) fail(`Error from server (AlreadyExists): ${kind} "${object.metadata.name}" already exists`);
  mkdirSync(own, { recursive: true });
  mkdirSync(homeOf(folder, object), { recursive: true });
  writeObject(folderOf(kind), object);
}

/** What the cluster says about a pod: it depends on its image alone. */
function statusOf(image: string): object {
  const waiting = (reason: string, message: string) => ({
    phase: "Pending",
    conditions: [{ type: "Ready", status: "False" }],
    containerStatuses: [{ name: "agent", image, restartCount: 0, state: { waiting: { reason, message } } }],
  });
  if (image === "no-such-image") return waiting("ImagePullBackOff", 'Back-off pulling image "no-such-image"');
  if (image === "crashes") return waiting("CrashLoopBackOff", "back-off 40s restarting failed container");
  if (image === "ends") return { phase: "Succeeded", reason: "Completed" };
  return { phase: "Running", conditions: [{ type: "Ready", status: "True" }] };
}

function create(): void {
  const object = Played.parse(JSON.parse(readFileSync(0, "utf8")));
  if (object.kind === "Pod") {
    put("pods", { ...object, status: statusOf(object.spec.containers?.[0]?.image ?? "") });
    return;
  }
  put("claims", object);
  // The controller takes a pod that has its own name already.
  const { labels = {} } = object.spec.additionalPodMetadata ?? {};
  const spec = { containers: [{ name: "agent", image: "from-the-pool" }] };
  const name = `warm-${object.metadata.name.slice(-4)}`;
  put("pods", { kind: "Pod", metadata: { name, labels }, spec, status: statusOf("from-the-pool") });
}

/** Whatever runs in a pod. A process may have started another one while it was looked for. */
function endAll(pod: string): void {
  for (let left = findMarked(POD_MARKER, pod); left.length > 0; left = findMarked(POD_MARKER, pod)) killMarked(left);
}

function remove(kind: string): void {
  for (const { metadata } of all(kind)) {
    endAll(join(folderOf("pods"), metadata.name));
    rmSync(homeOf(folder, { metadata }), { recursive: true, force: true });
    // In one step, and last: whoever no longer sees it may make one of the same name, with the same home.
    const [own, gone] = [join(folderOf(kind), metadata.name), join(folder, `gone-${process.pid}-${metadata.name}`)];
    renameSync(own, gone);
    rmSync(gone, { recursive: true, force: true });
  }
}

async function exec(): Promise<never> {
  const [, name = ""] = plain;
  const own = join(folderOf("pods"), name);
  if (!existsSync(own)) fail(`Error from server (NotFound): pods "${name}" not found`);
  const inPod = { HOME: home ?? homeOf(folder, { metadata: { name } }), ...env, [POD_MARKER]: own };
  if (Bun.which(command[0] ?? "", { PATH: env["PATH"] ?? "" }) === null)
    fail(`OCI runtime exec failed: exec: "${command[0]}": executable file not found in $PATH: unknown`);
  const child = Bun.spawn(command, { env: inPod, stdin: "inherit", stdout: "inherit", stderr: "inherit" });
  process.exit(await child.exited);
}

const refused = refuse[verb];
if (refused !== undefined) fail(refused);
const kind = resource.startsWith("sandboxclaims") ? "claims" : resource;
if (verb === "create") create();
else if (verb === "get") process.stdout.write(JSON.stringify({ items: all(kind) }));
else if (verb === "delete" && kind === "claims") {
  remove("pods");
  remove("claims");
} else if (verb === "delete") remove(kind);
else if (verb === "exec") await exec();
else fail(`unknown command "${verb}" for "kubectl"`);
