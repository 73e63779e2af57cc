import encodeQR from "qr";
import { PairingOutcome, ShownInvitation } from "../protocol/devices.ts";
import type { CommandLine } from "./command-line.ts";
import { EXIT, type ExitCode } from "./exit-codes.ts";
import { print, printNote } from "./print.ts";
import { bodyOf, type RunningServer } from "./running-server.ts";
import { connect } from "./server-link.ts";

const LOOK_AGAIN_MS = 500;

/** Prints a one-time link that signs in another device. */
export async function pair(line: CommandLine): Promise<ExitCode> {
  using link = await connect(line.env);
  const made = ShownInvitation.parse(await (await bodyOf(await link.server.post("/api/pairing", {}))).json());
  const [url = ""] = made.links;
  const fingerprint = made.certificate?.fingerprint;
  const told = { url, links: made.links, expiresAt: made.expiresAt, isReachable: made.isReachable };
  const result = { ...told, ...(fingerprint !== undefined && { fingerprint }) };
  if (!line.has("wait")) {
    print(line, result, words(made, url));
    return EXIT.done;
  }
  // A program that waits for the end needs the link before it.
  if (line.json) printNote(url);
  else print(line, result, words(made, url));
  const { status, device } = await ended(link.server, made.id);
  const text =
    status === "used"
      ? `Paired: ${device ?? "a device"}.`
      : "The link expired unused. Create a new one with: liminal pair";
  print(line, { ...result, status, ...(device !== undefined && { device }) }, text);
  return status === "used" ? EXIT.done : EXIT.failed;
}

function words({ links, certificate, isReachable, expiresAt }: ShownInvitation, url: string): string {
  const others = links.slice(1).map((other) => `  ${other}\n`);
  const minutes = "It works once and expires at ";
  return [
    `${encodeQR(url, "ascii", { ecc: "low", border: 2 })}\n`,
    `${url}\n`,
    ...(others.length > 0 ? ["Or use another address:\n", ...others] : []),
    `\n${minutes}${new Date(expiresAt).toLocaleTimeString()}.\n`,
    ...(certificate
      ? [`If the browser warns about the certificate, compare its SHA-256 fingerprint:\n${certificate.fingerprint}\n`]
      : []),
    ...(isReachable
      ? []
      : ["Only this machine can open it. For other devices, start the server with: liminal serve --host 0.0.0.0\n"]),
  ].join("");
}

async function ended(server: RunningServer, id: string): Promise<PairingOutcome> {
  for (;;) {
    const query = new URLSearchParams({ id });
    const outcome = PairingOutcome.parse(await (await bodyOf(await server.get(`/api/pairing?${query}`))).json());
    if (outcome.status !== "waiting") return outcome;
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
  }
}
