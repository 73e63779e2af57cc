import type { ClientRequest } from "../../client/pending-requests.ts";
import type { ServerMessage } from "../../protocol/server-messages.ts";
import type { Trouble } from "./trouble.ts";

/** Told what went wrong: as one line, and in its parts. */
export type Tell = (words: string, trouble: Trouble) => void;

/** Asks the server; null when it was refused, which `tell` hears, or else the page. */
export type Attempt = (request: ClientRequest, tell?: Tell) => Promise<ServerMessage | null>;
