import type { Page, WebSocketRoute } from "playwright-core";
import { z } from "zod";
import { ProjectId } from "../../src/protocol/ids.ts";
import type { ServiceInfo, TerminalInfo } from "../../src/protocol/terminals.ts";

const Frame = z.looseObject({ type: z.string(), requestId: z.string().optional(), terminalId: z.string().optional() });
const Hello = z.object({ type: z.literal("hello"), projects: z.array(z.object({ id: ProjectId, name: z.string() })) });

export interface PlayedTerminal extends Partial<Omit<TerminalInfo, "projectId">> {
  /** Its project's name. */
  readonly project: string;
  readonly output: string;
}

export interface PlayedService extends Partial<Omit<ServiceInfo, "projectId">> {
  readonly project: string;
}

interface Played {
  readonly terminals: readonly PlayedTerminal[];
  readonly services?: readonly PlayedService[];
}

const SIZE = { columns: 100, rows: 20 };

/**
 * Plays terminals and services to a page in states that take a real program long to reach; everything else comes from the
 * real server. They are there after the next load of the page.
 */
export async function playTerminals(page: Page, { terminals, services = [] }: Played): Promise<void> {
  await page.routeWebSocket(/\/ws$/, (socket) => {
    const server = socket.connectToServer();
    let ids: Map<string, ProjectId> | null = null;
    const early: z.infer<typeof Frame>[] = [];
    const play = (asked: z.infer<typeof Frame>, known: Map<string, ProjectId>) =>
      answer(socket, asked, {
        terminals: terminals.map((one, index) => infoOf(one, index, known)),
        outputs: terminals.map(({ output }) => output),
        services: services.map((one) => serviceOf(one, known)),
      });
    server.onMessage((data) => {
      socket.send(data);
      const hello = Hello.safeParse(JSON.parse(String(data)));
      if (!hello.success) return;
      ids = new Map(hello.data.projects.map(({ id, name }) => [name, id]));
      for (const asked of early.splice(0)) play(asked, ids);
    });
    socket.onMessage((data) => {
      const asked = Frame.parse(JSON.parse(String(data)));
      if (!/^(terminal|service):/.test(asked.type)) server.send(data);
      else if (ids === null) early.push(asked);
      else play(asked, ids);
    });
  });
}

interface Scene {
  readonly terminals: readonly TerminalInfo[];
  readonly outputs: readonly string[];
  readonly services: readonly ServiceInfo[];
}

function answer(socket: WebSocketRoute, asked: z.infer<typeof Frame>, scene: Scene): void {
  const { terminals, outputs, services } = scene;
  const { type, requestId, terminalId } = asked;
  const send = (message: object) => socket.send(JSON.stringify(message));
  const at = terminals.findIndex((one) => one.terminalId === terminalId);
  const terminal = terminals[at];
  if (type === "terminal:list") send({ type, terminals, requestId });
  else if (type === "service:list") {
    const { projectId, worktreeId } = z
      .object({ projectId: z.string(), worktreeId: z.string().nullable() })
      .parse(asked);
    const here = services.filter((one) => one.projectId === projectId && one.worktreeId === worktreeId);
    send({ type, projectId, worktreeId, services: here, requestId });
  } else if (type === "terminal:attach" && terminal !== undefined) {
    const { columns, rows } = terminal;
    send({ type: "terminal:attached", terminal, offset: 0, skipped: 0, prelude: "", columns, rows, requestId });
    const data = outputs[at] ?? "";
    send({ type: "terminal:output", terminalId, data, offset: Buffer.byteLength(data) });
  } else send({ type: "ok", requestId });
}

function infoOf(
  { project, output: _, ...own }: PlayedTerminal,
  index: number,
  ids: Map<string, ProjectId>,
): TerminalInfo {
  return {
    terminalId: `played-${index}`,
    projectId: projectOf(project, ids),
    worktreeId: null,
    kind: "shell",
    title: "zsh",
    cwd: `/home/ada/code/${project}`,
    startedAt: `2026-01-01T00:00:0${index}.000Z`,
    end: null,
    ...SIZE,
    ...own,
  };
}

function serviceOf({ project, ...own }: PlayedService, ids: Map<string, ProjectId>): ServiceInfo {
  return {
    projectId: projectOf(project, ids),
    worktreeId: null,
    name: "dev",
    command: "bun run dev",
    state: "stopped",
    hash: "played",
    port: null,
    url: null,
    terminalId: null,
    startedAt: null,
    restarts: 0,
    lastEnd: null,
    ...own,
  };
}

function projectOf(name: string, ids: Map<string, ProjectId>): ProjectId {
  const id = ids.get(name);
  if (id === undefined) throw new Error(`the server has no project ${name}`);
  return id;
}
