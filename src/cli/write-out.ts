import { once } from "node:events";

/** Copies a body to stdout as fast as it is read there: none of it is kept. */
export async function pour(body: Response): Promise<void> {
  if (body.body === null) return;
  for await (const bytes of body.body) {
    if (!process.stdout.write(bytes)) await once(process.stdout, "drain");
  }
}
