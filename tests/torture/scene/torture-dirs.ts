import { mkdir } from "node:fs/promises";
import { join } from "node:path";

/** Where a run keeps what; only `data` is the server's, and only that may be made small or read-only. */
export interface TortureDirs {
  readonly root: string;
  readonly data: string;
  readonly home: string;
  readonly work: string;
  readonly records: string;
  readonly seam: string;
  /** Programs that the server finds before all others. */
  readonly bin: string;
  /** The home of the far machine. */
  readonly far: string;
}

export async function makeTortureDirs(root: string): Promise<TortureDirs> {
  const dirs: TortureDirs = {
    root,
    data: join(root, "data"),
    home: join(root, "home"),
    work: join(root, "work"),
    records: join(root, "records"),
    seam: join(root, "seam"),
    bin: join(root, "bin"),
    far: join(root, "far"),
  };
  for (const dir of Object.values(dirs)) await mkdir(dir, { recursive: true, mode: 0o700 });
  return dirs;
}
