import type { StorageFault } from "../../protocol/storage.ts";

const SQLITE_BUSY = 5;
const SQLITE_LOCKED = 6;
const SQLITE_READONLY = 8;
const SQLITE_IOERR = 10;
const SQLITE_FULL = 13;
const SQLITE_CANTOPEN = 14;

const BY_RESULT: ReadonlyMap<number, StorageFault> = new Map([
  [SQLITE_FULL, "disk-full"],
  [SQLITE_READONLY, "read-only"],
  [SQLITE_IOERR, "disk-error"],
  [SQLITE_CANTOPEN, "disk-error"],
  [SQLITE_BUSY, "in-use"],
  [SQLITE_LOCKED, "in-use"],
]);

const BY_CODE: ReadonlyMap<unknown, StorageFault> = new Map<unknown, StorageFault>([
  ["ENOSPC", "disk-full"],
  ["EDQUOT", "disk-full"],
  ["EROFS", "read-only"],
  ["EIO", "disk-error"],
  ["EFBIG", "disk-error"],
]);

/** What is wrong with the disk, when that is what the error is about; null for every other error. */
export function storageFaultOf(error: unknown): StorageFault | null {
  if (!(error instanceof Error)) return null;
  const result: unknown = Reflect.get(error, "errcode");
  // The low byte is the kind; the rest says more about it.
  if (typeof result === "number") return BY_RESULT.get(result & 0xff) ?? null;
  return BY_CODE.get(Reflect.get(error, "code")) ?? null;
}
