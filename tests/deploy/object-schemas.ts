import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";

/** The files of the package with the schema of each kind. It does not export them, its classes hide unknown fields. */
const SCHEMA_FILES: Readonly<Record<string, string>> = {
  Pod: "IoK8sApiCoreV1Pod",
  PodDisruptionBudget: "IoK8sApiPolicyV1PodDisruptionBudget",
  Role: "IoK8sApiRbacV1Role",
  RoleBinding: "IoK8sApiRbacV1RoleBinding",
  Service: "IoK8sApiCoreV1Service",
  ServiceAccount: "IoK8sApiCoreV1ServiceAccount",
  StatefulSet: "IoK8sApiAppsV1StatefulSet",
};
const SCHEMAS_DIR = join(dirname(fileURLToPath(import.meta.resolve("kubernetes-models"))), "_schemas");
const load = createRequire(import.meta.url);
const Validate = z.custom<(data: unknown) => boolean>((value) => typeof value === "function");
const Errors = z.array(z.object({ instancePath: z.string() }));

/**
 * Validates an object by the schema of its kind. Schemas of Kubernetes allow fields that they do not know, and the
 * cluster drops them: what nobody has read while it was validated is one of those.
 */
export function unknownFields(object: unknown): readonly string[] {
  const { kind } = z.looseObject({ kind: z.string() }).parse(object);
  const file = SCHEMA_FILES[kind];
  if (!file) throw new Error(`there is no schema for ${kind}`);
  const schema = Validate.parse(load(join(SCHEMAS_DIR, `${file}.js`)).validate);
  const read = new Set<string>();
  if (!schema(watched(object, "", read))) {
    const errors = Errors.parse(Reflect.get(schema, "errors"));
    throw new Error(`not by the schema of ${kind}: ${errors.map(({ instancePath }) => instancePath).join(" ")}`);
  }
  return unreadIn(object, "", read);
}

function watched(value: unknown, path: string, read: Set<string>): unknown {
  if (typeof value !== "object" || value === null) return value;
  return new Proxy(value, {
    get: (target, name) => {
      const found: unknown = Reflect.get(target, name);
      if (typeof name !== "string" || !Object.hasOwn(target, name)) return found;
      read.add(`${path}${name}`);
      return watched(found, `${path}${name}.`, read);
    },
  });
}

function unreadIn(value: unknown, path: string, read: ReadonlySet<string>): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    const own = `${path}${name}`;
    return read.has(own) ? unreadIn(inner, `${own}.`, read) : [own];
  });
}
