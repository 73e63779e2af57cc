import { once } from "node:events";

/** Copies a body to stdout as fast as it is read there: none of it is kept. `clean` takes out what could steer a terminal. */
export async function pour(body: Response, clean: (text: string) => string): Promise<void> {
  if (body.body === null) return;
  const decoder = new TextDecoder();
  for await (const bytes of body.body) {
    if (!process.stdout.write(clean(decoder.decode(bytes, { stream: true })))) await once(process.stdout, "drain");
  }
  process.stdout.write(clean(decoder.decode()));
}
