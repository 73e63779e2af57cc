import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";

/** In the environment of everything that runs in a pod: the folder that it is. */
export const POD_MARKER = "PLAYED_POD";

export const Played = z.object({
  kind: z.enum(["Pod", "SandboxClaim"]),
  metadata: z.looseObject({ name: z.string(), labels: z.record(z.string(), z.string()) }),
  spec: z.looseObject({
    containers: z.optional(z.array(z.looseObject({ name: z.string(), image: z.optional(z.string()) }))),
    additionalPodMetadata: z.optional(z.looseObject({ labels: z.record(z.string(), z.string()) })),
  }),
  status: z.optional(z.unknown()),
});
export type Played = z.infer<typeof Played>;

const HOME_CHARS = 5;
const OBJECT_FILE = "object.json";

/** Short enough for the sockets in it. */
export function homeOf(folder: string, { metadata }: { readonly metadata: { readonly name: string } }): string {
  return join(folder, metadata.name.slice(-HOME_CHARS));
}

/** All objects of a folder, but for those that another request makes or deletes at this moment. */
export function objectsIn(folder: string): Played[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder).flatMap((name) => {
    const object = readIfThere(join(folder, name, OBJECT_FILE));
    return object === null ? [] : [Played.parse(JSON.parse(object))];
  });
}

export function writeObject(folder: string, object: Played): void {
  writeWhole(join(folder, object.metadata.name, OBJECT_FILE), JSON.stringify(object));
}

/** Whoever reads it meanwhile gets all of it, or what was there before. */
export function writeWhole(path: string, text: string): void {
  const aside = `${path}.${process.pid}`;
  writeFileSync(aside, text);
  renameSync(aside, path);
}

function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}
