import type { ErrorCode } from "../protocol/errors.ts";
import { CliType, ProjectId, SessionId } from "../protocol/ids.ts";
import { IMPORT_BYTES_MAX, IMPORT_TOO_LARGE } from "../protocol/limits.ts";
import { type Export, type ExportService, isExportForm } from "../sessions/transfer/export/export-service.ts";
import type { FileImport, FileImportResult } from "../sessions/transfer/file-import.ts";
import { json, SECURITY_HEADERS } from "./plain-pages.ts";
import { readBody } from "./read-body.ts";

/** Pieces are joined to at least this size before they are sent. */
const PIECE_CHARS_MIN = 64 * 1024;
/** If a browser displays it anyway, it may run nothing. */
const EXPORT_POLICY =
  "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; media-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** `GET /api/export?sessionId=…&format=md|html|json` */
export async function exportRoute(exports: ExportService, request: Request, url: URL): Promise<Response> {
  const form = url.searchParams.get("format") ?? "";
  if (!isExportForm(form)) return json(400, { error: "format: expected md, html or json." });
  const sessionId = SessionId.safeParse(url.searchParams.get("sessionId"));
  const document = sessionId.success ? await exports.export(sessionId.data, form) : null;
  if (!document) return json(404, { error: "Session not found." });
  const headers = {
    ...SECURITY_HEADERS,
    "Content-Security-Policy": EXPORT_POLICY,
    "Content-Type": document.contentType,
    "Content-Disposition": dispositionOf(document.fileName),
    "Cache-Control": "no-store",
  };
  return new Response(request.method === "HEAD" ? null : streamOf(document), { headers });
}

/** A plain ASCII name for old clients, and the full name. Neither can end the header or leave its directory. */
function dispositionOf(fileName: string): string {
  const plain = fileName.replace(/[^A-Za-z0-9.-]+/g, "_");
  const encoded = encodeURIComponent(fileName).replace(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}

/** Produced as fast as it is read, so that a long session is never completely in memory. */
function streamOf(document: Export): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const pieces = document.pieces();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        let text = "";
        while (text.length < PIECE_CHARS_MIN) {
          const { value, done } = await pieces.next();
          if (done) {
            if (text !== "") controller.enqueue(encoder.encode(text));
            controller.close();
            return;
          }
          text += value;
        }
        controller.enqueue(encoder.encode(text));
      },
    },
    { highWaterMark: 1 },
  );
}

/** `POST /api/import?projectId=…[&copy=1][&cliType=…]` with an exported JSON document as its body. */
export async function importRoute(imports: FileImport, request: Request, url: URL): Promise<Response> {
  const projectId = ProjectId.safeParse(url.searchParams.get("projectId"));
  if (!projectId.success) return json(404, { error: "Project not found." });
  const named = url.searchParams.get("cliType");
  const cliType = CliType.safeParse(named);
  if (named !== null && !cliType.success) return json(400, { error: "cliType: unknown agent." });
  const read = await readBody(request, IMPORT_BYTES_MAX);
  if (read === "too large") return json(413, { error: IMPORT_TOO_LARGE });
  if (read === "no text") return json(422, { error: "The file is not UTF-8 text. Choose a JSON export." });
  const copy = url.searchParams.get("copy") === "1";
  const { text } = read;
  return answerOf(
    await imports.import({ projectId: projectId.data, text, copy, cliType: cliType.success ? cliType.data : null }),
  );
}

const REFUSED_STATUS: Partial<Record<ErrorCode, number>> = { PROJECT_NOT_FOUND: 404, LIMIT_EXCEEDED: 429 };

function answerOf(result: FileImportResult): Response {
  switch (result.kind) {
    case "imported":
      return json(201, { session: result.session });
    case "known": {
      const { title } = result.session;
      const error = `Already imported as “${title}”.`;
      return json(409, { error, code: "ALREADY_IMPORTED", session: result.session });
    }
    case "unreadable":
      return json(422, { error: result.message });
    case "refused": {
      const { code, message } = result.refusal;
      return json(REFUSED_STATUS[code] ?? 422, { error: message, code });
    }
    default:
      return result satisfies never;
  }
}
