import { z } from "zod";
import { parseJson } from "../lib/parse-json.ts";
import type { SessionId } from "../protocol/ids.ts";
import { CONFIRM_WORDS } from "../protocol/limits.ts";
import type { ExportService } from "../sessions/transfer/export/export-service.ts";
import { json, SECURITY_HEADERS, shortBody } from "./plain-pages.ts";

const ID_CHARS = 8;

export type Kept =
  | { readonly path: string; readonly bytes: number; readonly sessions: number }
  | { readonly error: string };
export type Deleted = { readonly sessions: number; readonly freedBytes: number } | { readonly error: string };

/** Operations on all data. */
export interface DataDoor {
  backUp(): Promise<Kept>;
  delete(which: "archived" | "everything"): Promise<Deleted>;
  sessionIds(): Promise<readonly SessionId[]>;
}

const DeleteRequest = z.union([
  z.object({ which: z.literal("archived") }),
  z.object({ which: z.literal("everything"), confirm: z.literal(CONFIRM_WORDS) }),
]);

/** `POST /api/backup` */
export async function backupRoute(door: DataDoor): Promise<Response> {
  const kept = await door.backUp();
  return json("error" in kept ? 507 : 201, kept);
}

/** `POST /api/delete` with `{"which": "archived"}`, or `{"which": "everything", "confirm": "delete everything"}`. */
export async function deleteRoute(door: DataDoor, request: Request): Promise<Response> {
  const asked = DeleteRequest.safeParse(parseJson((await shortBody(request)) ?? "")).data;
  if (!asked) return json(400, { error: `which: expected archived, or everything with confirm: "${CONFIRM_WORDS}".` });
  const deleted = await door.delete(asked.which);
  return json("error" in deleted ? 507 : 200, deleted);
}

/** `GET /api/export-all`: a tar file with one importable JSON document per session. */
export function exportAllRoute(door: DataDoor, exports: ExportService, request: Request): Response {
  const headers = {
    ...SECURITY_HEADERS,
    "Content-Type": "application/x-tar",
    "Content-Disposition": 'attachment; filename="liminal-sessions.tar"',
    "Cache-Control": "no-store",
  };
  if (request.method === "HEAD") return new Response(null, { headers });
  const pieces = tarOf(documents(door, exports));
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { value, done } = await pieces.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
    },
    { highWaterMark: 1 },
  );
  return new Response(body, { headers });
}

/** One after the other: the next one is read after the last one was sent. */
async function* documents(door: DataDoor, exports: ExportService) {
  for (const id of await door.sessionIds()) {
    const document = await exports.export(id, "json");
    if (!document) continue;
    const name = document.fileName.replace(/\.json$/, "").replace(/[^\p{L}\p{N}._-]+/gu, "-");
    const short = id
      .slice(id.indexOf(":") + 1)
      .replace(/[^\w-]/g, "")
      .slice(0, ID_CHARS);
    yield { name: `${name}-${short}.json`, pieces: document.pieces };
  }
}

const BLOCK_BYTES = 512;
const NAME_BYTES_MAX = 100;
const FILE_MODE = "0000600";

interface TarFile {
  readonly name: string;
  readonly pieces: () => AsyncGenerator<string>;
}

/** A tar file (ustar) of texts, with at most one of them in memory. */
async function* tarOf(files: AsyncIterable<TarFile>): AsyncGenerator<Uint8Array> {
  for await (const { name, pieces } of files) {
    // Built completely before its length is sent: a session may continue meanwhile.
    const bytes = Buffer.from((await Array.fromAsync(pieces())).join(""));
    yield headerOf(name, bytes.byteLength);
    yield bytes;
    const rest = bytes.byteLength % BLOCK_BYTES;
    if (rest > 0) yield new Uint8Array(BLOCK_BYTES - rest);
  }
  yield new Uint8Array(2 * BLOCK_BYTES);
}

function headerOf(name: string, bytes: number): Uint8Array {
  const header = Buffer.alloc(BLOCK_BYTES);
  header.write(shortened(name), 0);
  header.write(FILE_MODE, 100);
  header.write("0000000", 108);
  header.write("0000000", 116);
  header.write(bytes.toString(8).padStart(11, "0"), 124);
  header.write("00000000000", 136);
  header.write("        ", 148);
  header.write("0", 156);
  header.write("ustar\u000000", 257, "latin1");
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
  return header;
}

/** Cuts the beginning, because the end distinguishes files. */
function shortened(name: string): string {
  let kept = name;
  while (Buffer.byteLength(kept) > NAME_BYTES_MAX) kept = [...kept].slice(1).join("");
  return kept;
}
