import { expect, test } from "bun:test";
import { z } from "zod";
import { rows, untilDone } from "../transfer/import-steps.ts";
import { AgentTalk, openAgentScene } from "./agent-scene.ts";
import { AgentTerminal } from "./agent-terminal.ts";
import { CodexBackground } from "./codex-background.ts";
import { textsBy } from "./model-server/model-request.ts";
import { expectSettled, type Line, outline } from "./outline.ts";
import { PlainAcpRun } from "./plain-acp-run.ts";
import { REAL_AGENTS } from "./real-agents.ts";

/** Half of the time that Codex holds a conversation that is closed. */
const HALF_MS = 30_000;

function said(text: string): readonly Line[] {
  return [
    ["user", `say: ${text}`],
    ["assistant", text],
  ];
}

for (const agent of REAL_AGENTS)
  test.skipIf(!agent.isInstalled)(
    `[CV-1] [CV-2] [CV-4] (A3, A4) a conversation that another ${agent.title} process has open gets no prompt; once it is free, what was said there is remembered and shown once`,
    async () => {
      await using scene = await openAgentScene(agent);
      const talk = await scene.newSession();
      const { sessionId } = talk;
      await talk.run("say: The first answer.");
      await scene.killAgent();
      const before = scene.model.requests.length;
      {
        await using other = await PlainAcpRun.start(agent, scene.env, talk.directory, "listed");
        await other.prompt("say: Elsewhere.");
        const asked = scene.model.requests.length;
        expect(asked).toBeGreaterThan(before);
        const send = { type: "session:send", sessionId, content: "say: The second answer." } as const;
        const refusal = await scene.client.ask("error", send);
        expect(refusal).toMatchObject({ code: "AGENT_SESSION_BUSY" });
        expect(refusal.message).toMatch(/process \d+/);
        expect(talk.state.turn.state).toBe("idle");
        expect(textsOf(scene.model.requests)).not.toContain("The second answer.");
      }
      await talk.run("say: The second answer.");
      const expected = ["The first answer.", "Elsewhere.", "The second answer."].flatMap(said);
      expect(outline(talk.entries)).toEqual(expected);
      const known = textsBy(scene.model.requests.at(-1), "assistant");
      expect(known).toContain("The first answer.");
      expect(known).toContain("Elsewhere.");
      await scene.killAgent();
      await talk.run("say: Nothing changed.");
      expect(outline(talk.entries)).toEqual([...expected, ...said("Nothing changed.")]);
      expectSettled(talk);
    },
  );

for (const agent of REAL_AGENTS)
  test.skipIf(!agent.isInstalled)(
    `[CV-1] [CV-4] [CV-5] [CV-7] a session of ${agent.title} goes to a terminal and comes back three times, and stays one session`,
    async () => {
      await using scene = await openAgentScene(agent);
      const { client, server } = scene;
      const directory = await server.directory("outside");
      {
        await using run = await PlainAcpRun.start(agent, scene.env, directory);
        await run.prompt("say: Begun outside.");
      }
      const { project } = await client.ask("project:added", { type: "project:add", path: directory });
      const from = { projectId: project.id, cliType: agent.cliType };
      const { sessions } = await client.ask("import:found", { type: "import:list", ...from });
      const ids = sessions.map(({ agentSessionId }) => agentSessionId);
      const start = { type: "import:start", ...from, agentSessionIds: ids } as const;
      const { importId } = await client.ask("import:started", start);
      await untilDone(client, importId);
      const [row] = await rows(client, project.id);
      const sessionId = z.string().parse(row?.id);
      await client.ask("session:history", { type: "session:open", sessionId });
      const talk = new AgentTalk(scene, sessionId, directory);
      const expected = [said("Begun outside.")];
      for (const round of [1, 2, 3]) {
        await talk.run(`say: Here ${round}.`);
        const { command } = await client.ask("session:handed-back", { type: "session:handback", sessionId });
        expect(command).toContain(`cd ${directory} && `);
        expect(command).toContain(ids[0] ?? "no session");
        {
          await using terminal = await AgentTerminal.open(agent, scene.env, directory, command);
          await terminal.answers(`Here ${round}.`);
          await terminal.say(`say: Elsewhere ${round}.`);
          await terminal.answers(`Elsewhere ${round}.`);
          const send = { type: "session:send", sessionId, content: "say: Not now." } as const;
          const refusal = await client.ask("error", send);
          expect(refusal.message).toMatch(new RegExp(`^${agent.name} \\(process \\d+\\) has this conversation open`));
          await terminal.leave();
        }
        expected.push(said(`Here ${round}.`), said(`Elsewhere ${round}.`));
      }
      await talk.run("say: The end.");
      expect(outline(talk.entries)).toEqual([...expected, said("The end.")].flat());
      expect(textsBy(scene.model.requests.at(-1), "assistant")).toContain("Elsewhere 3.");
      expect(talk.state.away).toBeNull();
      const again = await client.ask("import:started", start);
      expect(await untilDone(client, again.importId)).toMatchObject({ adopted: 0, known: 1 });
      expect(await rows(client, project.id)).toHaveLength(1);
      expectSettled(talk);
    },
  );

for (const agent of REAL_AGENTS.filter(({ name }) => name === "claude"))
  test.skipIf(!agent.isInstalled)(
    `[CV-4] what is said in a terminal while ${agent.title} has the session open here, too, is read before the next message, and shown at once to who follows`,
    async () => {
      await using scene = await openAgentScene(agent);
      const talk = await scene.newSession();
      const { sessionId } = talk;
      const { client } = scene;
      await talk.run("say: Here.");
      const { command } = await client.ask("session:handed-back", { type: "session:handback", sessionId });
      await talk.run("say: Here again.");
      const does = (doing: string) => client.untilState(sessionId, doing, ({ away }) => away?.writer?.doing === doing);
      const shows = (what: string, lines: number) =>
        client.untilState(sessionId, what, () => outline(talk.entries).length === lines);
      const expected = [...said("Here."), ...said("Here again.")];
      {
        await using terminal = await AgentTerminal.open(agent, scene.env, talk.directory, command);
        await terminal.answers("Here again.");
        await client.ask("ok", { type: "session:seen", sessionId, seq: talk.state.seq, showing: true });
        await does("idle");
        await client.ask("ok", { type: "session:elsewhere", sessionId, follow: true });
        await terminal.say(`hold: ${sessionId}`);
        await scene.model.untilHeld(sessionId);
        await does("working");
        scene.model.release(sessionId);
        const endedAt = performance.now();
        expected.push(["user", `hold: ${sessionId}`]);
        await shows("the turn in the terminal", expected.length);
        console.log(`a turn elsewhere is shown ${Math.round(performance.now() - endedAt)} ms after its end`);
        // A turn that waits there has no end yet: it is shown once, with the call that was allowed and what was said then.
        const asks = agent.shellWithQuestion("touch made");
        await terminal.say(asks);
        await does("asking");
        terminal.press("1");
        await does("idle");
        await terminal.say("say: In the terminal.");
        await terminal.answers("In the terminal.");
        expected.push(["user", asks], ["tool-call", "touch made", "complete"], ["assistant", "Done."]);
        expected.push(...said("In the terminal."));
        await shows("all that was said in the terminal", expected.length);
        expect(outline(talk.entries)).toEqual(expected);
        await terminal.leave();
      }
      await client.untilState(sessionId, "a free conversation", ({ away }) => away === null);
      await talk.run("say: Back.");
      expected.push(...said("Back."));
      expect(outline(talk.entries)).toEqual(expected);
      expect(textsBy(scene.model.requests.at(-1), "assistant")).toContain("In the terminal.");
      const authors = talk.entries.flatMap((entry) => (entry.type === "user" ? [entry.author ?? "here"] : []));
      expect(authors).toEqual(["here", "here", "terminal", "terminal", "terminal", "here"]);
      expectSettled(talk);
    },
  );

for (const agent of REAL_AGENTS.filter(({ name }) => name === "codex"))
  test.skipIf(!agent.isInstalled)(
    `[CV-1] [CV-4] [CV-7] ${agent.title} is handed back while another session works in its process; its background server, which outlives a terminal, is named, and a message waits for it`,
    async () => {
      await using scene = await openAgentScene(agent);
      const shown = await scene.newSession();
      await shown.run("say: Before the terminal.");
      await scene.killAgent();
      await using background = await CodexBackground.start(scene.env, shown.directory);
      await background.sayInTerminal("say: In the terminal.");
      const next = { type: "session:send", sessionId: shown.sessionId, content: "say: After the terminal." } as const;
      const refusal = await scene.client.ask("error", next);
      expect(refusal).toMatchObject({ code: "AGENT_SESSION_BUSY" });
      expect(refusal.message).toStartWith(
        `Codex's background server (process ${background.pid}) has this conversation`,
      );
      await scene.client.ask("ok", { ...next, whenFree: true });
      const talk = await scene.newSession();
      await talk.run("say: Here.");
      const other = await scene.newSession();
      await other.askFirst();
      await other.send(agent.shellWithQuestion("true"));
      await other.untilAsked();
      const { pid } = await scene.agentStatus();
      // The process lets go after 60 s. That is longer than a request is waited for, so it is repeated.
      const back = { type: "session:handback", sessionId: talk.sessionId, commandId: "back-1" } as const;
      const first = await Promise.race([scene.client.ask("session:handed-back", back), Bun.sleep(HALF_MS)]);
      if (first === undefined) await scene.client.ask("session:handed-back", back);
      {
        await using terminal = await PlainAcpRun.start(agent, scene.env, talk.directory, "listed");
        await terminal.prompt("say: Elsewhere.");
      }
      expect((await scene.agentStatus()).pid).toBe(pid);
      expect(other.state.turn.state).toBe("waiting");
      await other.cancel();
      await other.untilIdle();
      // It lets go 60 s after the terminal was closed, and stays.
      const words = ["Before the terminal.", "In the terminal.", "After the terminal."].flatMap(said);
      await scene.client.untilState(shown.sessionId, "all words", () => outline(shown.entries).length === words.length);
      await shown.untilIdle();
      expect(outline(shown.entries)).toEqual(words);
      expect(process.kill(background.pid, 0)).toBe(true);
    },
    180_000,
  );

function textsOf(requests: readonly unknown[]): string {
  return JSON.stringify(requests);
}
