import { z } from "zod";

const TEXT_CHARS_MAX = 2_000;
const WORDS_MAX = 50;
const ENTRIES_MAX = 500;

const text = z.string().min(1).max(TEXT_CHARS_MAX);
const args = z.array(z.string().max(TEXT_CHARS_MAX)).max(WORDS_MAX).optional();
const env = z.record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/), z.string().max(TEXT_CHARS_MAX)).optional();

/** A program in an archive of its vendor's; where the snapshot knows no archive, only the command is given. */
const BinaryTarget = z.object({ cmd: text, args, env });
const PackageDistribution = z.object({ package: text, cmd: text.optional(), args, env });
export type PackageDistribution = z.infer<typeof PackageDistribution>;

/** One agent of the public ACP registry. */
export const RegistryEntry = z.object({
  id: z
    .string()
    .max(64)
    .regex(/^[a-z][a-z0-9-]*$/),
  name: text,
  version: z.string().min(1).max(64),
  description: text,
  /** Ours: names under which its own installer puts it on the PATH. */
  programs: z.array(text).max(WORDS_MAX).optional(),
  /** Ours: what to look for when we cannot install it, in words. */
  vendor: text.optional(),
  distribution: z.object({
    npx: PackageDistribution.optional(),
    uvx: PackageDistribution.optional(),
    /** By `<os>-<cpu>`; `*` stands for any. */
    binary: z.record(z.string(), BinaryTarget).optional(),
  }),
});
export type RegistryEntry = z.infer<typeof RegistryEntry>;

/** An entry with what this program itself says about starting it; null for one that only the network knows. */
export type KnownEntry = RegistryEntry & { readonly bundled: RegistryEntry["distribution"] | null };

const Registry = z.object({ agents: z.array(z.unknown()).max(ENTRIES_MAX) });

/** The entries we understand, or null when it is no registry at all: one odd entry costs only itself. */
export function parseRegistry(json: unknown): readonly RegistryEntry[] | null {
  const parsed = Registry.safeParse(json);
  if (!parsed.success) return null;
  return parsed.data.agents.flatMap((entry) => RegistryEntry.safeParse(entry).data ?? []);
}
