import { once } from "node:events";
import { plain } from "./print.ts";

/** Copies a body to stdout as fast as it is read there: none of it is kept. Terminals get it without what could steer them. */
export async function pour(body: Response): Promise<void> {
  if (body.body === null) return;
  const decoder = new TextDecoder();
  for await (const bytes of body.body) {
    const piece = process.stdout.isTTY === true ? plain(decoder.decode(bytes, { stream: true })) : bytes;
    if (!process.stdout.write(piece)) await once(process.stdout, "drain");
  }
}
