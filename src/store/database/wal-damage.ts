import { existsSync, readFileSync, statSync } from "node:fs";

/** Larger ones, which only a huge transaction makes, are left to SQLite: reading them would cost the user seconds. */
const WAL_BYTES_MAX = 64 * 1024 * 1024;
const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
const MAGIC = 0x377f0682;

/**
 * True when changes that were committed are lost. SQLite reads a write-ahead log up to the first frame that does not
 * fit and drops the rest without a word, which is right for a transaction that was being written and wrong for the
 * ones behind a damaged place: a frame of this log's own salt that ends a transaction, behind one that does not fit.
 */
export function isWalDamaged(path: string): boolean {
  if (!existsSync(path)) return false;
  const { size } = statSync(path);
  if (size < HEADER_BYTES + FRAME_HEADER_BYTES || size > WAL_BYTES_MAX) return false;
  return hasLostCommits(readFileSync(path));
}

type Sum = readonly [number, number];

function hasLostCommits(bytes: Buffer): boolean {
  const magic = bytes.readUInt32BE(0);
  const pageBytes = bytes.readUInt32BE(8);
  // A log that was never begun is empty; one whose first words are not its own is not.
  if (magic === 0 && pageBytes === 0) return false;
  const isBigEndian = magic === MAGIC + 1;
  if ((magic !== MAGIC && !isBigEndian) || pageBytes < 512 || pageBytes > 65_536) return true;
  const read = (place: number) => (isBigEndian ? bytes.readUInt32BE(place) : bytes.readUInt32LE(place));
  let sum = checksum(read, 0, 24, [0, 0]);
  if (!isSum(bytes, 24, sum)) return true;
  const frameBytes = FRAME_HEADER_BYTES + pageBytes;
  let isBroken = false;
  for (let frame = HEADER_BYTES; frame + frameBytes <= bytes.byteLength; frame += frameBytes) {
    const isOurs = bytes.compare(bytes, 16, 24, frame + 8, frame + 16) === 0;
    const isCommit = bytes.readUInt32BE(frame + 4) !== 0;
    if (isBroken && isOurs && isCommit) return true;
    if (isBroken) continue;
    sum = checksum(read, frame + FRAME_HEADER_BYTES, pageBytes, checksum(read, frame, 8, sum));
    isBroken = !isOurs || !isSum(bytes, frame + 16, sum);
  }
  return false;
}

function isSum(bytes: Buffer, place: number, [first, second]: Sum): boolean {
  return bytes.readUInt32BE(place) === first && bytes.readUInt32BE(place + 4) === second;
}

/** As the format of SQLite says. */
function checksum(read: (place: number) => number, from: number, length: number, start: Sum): Sum {
  let [first, second] = start;
  for (let place = from; place < from + length; place += 8) {
    first = (first + read(place) + second) >>> 0;
    second = (second + read(place + 4) + first) >>> 0;
  }
  return [first, second];
}
