import type { Page } from "playwright-core";
import type { AppPage } from "../e2e/app-page.ts";

type Message = Readonly<Record<string, unknown>>;
/** Null: no answer. */
type Answer = Message | null | ((request: Message) => Message | null);
export type Answers = Record<string, Answer>;

interface Played {
  answers: Answers;
  /** Changes messages of the server. */
  rewrite: ((message: Message) => Message) | undefined;
}

const PLAYED = new WeakMap<Page, Played>();

/** Answers these messages in the server's place, for states that take a long time to make. */
export async function playServer(app: AppPage, answers: Answers, rewrite?: Played["rewrite"]): Promise<void> {
  const before = PLAYED.get(app.page);
  PLAYED.set(app.page, { answers, rewrite });
  if (before === undefined)
    await app.page.routeWebSocket(/\/ws/, (socket) => {
      const server = socket.connectToServer();
      socket.onMessage((frame) => {
        const request = JSON.parse(String(frame)) as { type: string; requestId?: string };
        const played = PLAYED.get(app.page)?.answers[request.type];
        const answer = typeof played === "function" ? played(request) : played;
        if (answer === undefined) server.send(frame);
        else if (answer !== null) socket.send(JSON.stringify({ ...answer, requestId: request.requestId }));
      });
      server.onMessage((frame) => {
        const change = PLAYED.get(app.page)?.rewrite;
        socket.send(change === undefined ? frame : JSON.stringify(change(JSON.parse(String(frame)))));
      });
    });
  if (before === undefined || before.rewrite !== rewrite) await app.refresh();
}
