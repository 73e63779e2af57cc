/** The body as text, read in pieces: one over the limit, announced or not, is aborted and not kept. */
export async function readBody(
  request: Request,
  bytesMax: number,
): Promise<{ readonly text: string } | "too large" | "no text"> {
  if (Number(request.headers.get("content-length") ?? 0) > bytesMax) return "too large";
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let bytes = 0;
  let text = "";
  try {
    for await (const piece of request.body ?? []) {
      bytes += piece.byteLength;
      if (bytes > bytesMax) return "too large";
      text += decoder.decode(piece, { stream: true });
    }
    return { text: text + decoder.decode() };
  } catch (error) {
    if (error instanceof TypeError) return "no text";
    throw error;
  }
}
