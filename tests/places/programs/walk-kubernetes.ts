// Walks through a place with pods of a real cluster: node scripts/bun.mjs tests/places/programs/walk-kubernetes.ts -- --image <image>
import { writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { repeatFailures, reportLine, reportOutput, seconds } from "../../../scripts/test/report.ts";
import { inWords, ONE_FAILED, ONE_PASSED, sum, type Tally } from "../../../scripts/test/tally.ts";
import { POD_LABEL, podIdIn, podIdOf } from "../../../src/places/pod.ts";
import { pathThere } from "../../../src/protocol/place-path.ts";
import { anotherTalk, reopen } from "../../integration/talk.ts";
import { startTestServer } from "../../support/test-server.ts";
import { waitFor } from "../../support/wait-for.ts";
import { TerminalView } from "../../terminals/screen.ts";

const WORDS = 400;
const STREAMED = Array.from({ length: WORDS }, (_, index) => `w${index + 1}`).join(" ");
const ANSWER_MS_MAX = 30_000;
const HELP = `npm run test:kubernetes -- --image <image with Liminal Builder> [--context <name>] [--namespace <name>]
The cluster is that of KUBECONFIG or ~/.kube/config. The image is built from the Dockerfile, and the cluster can pull it.`;

const { values } = parseArgs({
  args: process.argv.slice(2).filter((word) => word !== "--"),
  options: { image: { type: "string" }, context: { type: "string" }, namespace: { type: "string" } },
});
const { image, context, namespace } = values;
const KUBECONFIG = process.env["KUBECONFIG"] ?? join(homedir(), ".kube/config");
const kubectl = [
  "kubectl",
  ...(context === undefined ? [] : ["--context", context]),
  ...(namespace === undefined ? [] : ["--namespace", namespace]),
];

function ask(...words: readonly string[]): { readonly code: number | null; readonly said: string } {
  const env = { ...process.env, KUBECONFIG };
  const { exitCode, stdout, stderr } = Bun.spawnSync([...kubectl, ...words], { env, timeout: ANSWER_MS_MAX });
  return { code: exitCode, said: exitCode === 0 ? stdout.toString() : stderr.toString().trim() };
}

/** Why nothing can be walked through here; null if it can. */
function reasonAgainst(): string | null {
  if (Bun.which("kubectl") === null) return "kubectl is not on PATH.";
  const { code, said } = ask("get", "pods", "--output", "name");
  if (code !== 0) return `There is no cluster: ${said.split("\n").at(-1)}`;
  return image === undefined ? `There is no image.\n${HELP}` : null;
}

/** The pods that were made for this run, by their ids. */
function podIds(): readonly (string | null)[] {
  const { code, said } = ask("get", "pods", "--selector", "liminal-builder/test=yes", "--output", "json");
  if (code !== 0) throw new Error(said);
  const { items } = JSON.parse(said) as { items: { metadata: { labels?: Record<string, string> } }[] };
  return items.map(({ metadata }) => podIdIn(metadata.labels));
}

/** What a shell in the pod prints, without Liminal Builder in between. */
function inPod(id: string, script: string): string {
  const pod = ask("get", "pods", "--selector", `${POD_LABEL}=${id}`, "--output", "json");
  const { items } = JSON.parse(pod.said) as { items: { metadata: { name: string } }[] };
  const { said } = ask("exec", "-i", items[0]?.metadata.name ?? "", "--", "sh", "-c", script);
  return said.trim();
}

function expect(found: string, wanted: string): void {
  if (found !== wanted) throw new Error(`"${found}" instead of "${wanted}"`);
}

async function main(): Promise<Tally> {
  const tallies: Tally[] = [];
  const step = async <Value>(name: string, act: () => Promise<Value>): Promise<Value> => {
    const startedAt = performance.now();
    try {
      const value = await act();
      reportLine("ok", name, seconds(startedAt));
      tallies.push(ONE_PASSED);
      return value;
    } catch (error) {
      reportLine("FAIL", name, seconds(startedAt));
      reportOutput(error instanceof Error ? error.message : String(error));
      tallies.push(ONE_FAILED);
      throw new StepFailed();
    }
  };
  const pod = {
    metadata: { labels: { "liminal-builder/test": "yes" } },
    spec: { containers: [{ name: "agent", image, command: ["tini", "--", "sleep", "infinity"] }] },
  };
  const setting = { kind: "kubernetes", pod, ...(context && { context }), ...(namespace && { namespace }) };
  await using server = await startTestServer({
    env: { KUBECONFIG, PATH: process.env["PATH"] ?? "" },
    prepare: (dataDir) => writeFileSync(join(dataDir, "config.json"), JSON.stringify({ places: { pods: setting } })),
  });
  try {
    const client = await server.connect();
    const { project } = await step("project, in a first pod", () =>
      client.ask("project:added", { type: "project:add", path: "pods:~" }),
    );
    const root = pathThere(project.path);
    let talk = await step("session, in its own pod", () => anotherTalk(client, project.id));
    const id = podIdOf(talk.sessionId);
    await step("prompt", async () => {
      await talk.say("help");
      if (!podIds().includes(id)) throw new Error(`there is no pod ${id}`);
    });
    const terminalId = await step("terminal", async () => {
      const { sessionId } = talk;
      const opened = await client.ask("terminal:opened", { type: "terminal:open", sessionId });
      const view = await TerminalView.attach(client, opened.terminalId);
      view.type("git init -q; echo made $((40 + 2))\r");
      await view.shows("made 42");
      return opened.terminalId;
    });
    await step("permission, and a file written in the pod", async () => {
      const seq = await talk.send('edit note.txt "" "written there"');
      const { options } = await talk.asked();
      await talk.answerWith(options.find(({ kind }) => kind === "allow_once")?.optionId ?? "");
      await talk.untilIdle(seq);
      const { sessionId } = talk;
      const read = await client.ask("files:text", { type: "files:read", sessionId, path: "note.txt" });
      expect(read.content, "written there");
      expect(inPod(id, `cat ${root}/note.txt`), "written there");
    });
    await step("changes, and one discarded", async () => {
      await talk.until("the changes of the turn", () => talk.shape.includes("changes"));
      const { sessionId } = talk;
      const scope = { kind: "unreviewed" } as const;
      const { files, version } = await client.ask("changes:state", { type: "changes:open", sessionId, scope });
      expect(files.map(({ path, status }) => `${status} ${path}`).join(), "added note.txt");
      await client.ask("changes:state", {
        ...{ type: "changes:decide", sessionId, commandId: "discard", decision: "discard", scope, expect: version },
      });
      expect(inPod(id, `ls ${root}/note.txt 2>/dev/null || echo none`), "none");
    });
    await step("another session, in another pod", async () => {
      const other = await anotherTalk(client, project.id);
      await other.say("help");
      if (podIdOf(other.sessionId) === id || !podIds().includes(podIdOf(other.sessionId)))
        throw new Error("it has no pod of its own");
      await client.ask("session:deleted", { type: "session:delete", sessionId: other.sessionId });
      await waitFor(podIds, (ids) => !ids.includes(podIdOf(other.sessionId)), "its pod to be gone");
    });
    await step("kill -9 and go on", async () => {
      const seq = await talk.send(`stream ${WORDS} words at 100/s`);
      await talk.until("the first words", () => talk.answer.includes("w20"));
      await server.kill();
      await server.start();
      talk = await reopen(await server.connect(), talk);
      await talk.untilIdle(seq);
      if (!talk.answer.endsWith(STREAMED)) throw new Error("words were lost or doubled");
      const view = await TerminalView.attach(talk.client, terminalId);
      await view.shows("made 42");
    });
    await step("the pod is deleted in a turn, and the next message has a new one", async () => {
      const seq = await talk.send(`stream ${WORDS} words at 10/s`);
      await talk.until("the first words", () => talk.answer.includes(`w${WORDS}w1 w2`));
      const { code, said } = ask("delete", "pods", "--selector", `${POD_LABEL}=${id}`, "--wait=false");
      if (code !== 0) throw new Error(said);
      const { turn } = await talk.untilIdle(seq);
      expect(turn.stopReason ?? "", "interrupted");
      await talk.say("stream 3 words");
      if (!talk.answer.endsWith("w1 w2 w3")) throw new Error(`it says ${talk.answer}`);
    });
    await step("archive, and its pod goes", async () => {
      await talk.client.ask("session:archived", { type: "session:archive", sessionId: talk.sessionId });
      await waitFor(podIds, (ids) => !ids.includes(id), "the pod to be gone");
    });
  } catch (error) {
    if (!(error instanceof StepFailed)) throw error;
  } finally {
    await server.stop();
    ask("delete", "pods", "--selector", "liminal-builder/test=yes", "--wait=false");
  }
  return sum(tallies);
}

/** What follows a step that failed would fail for its reason. */
class StepFailed extends Error {}

const reason = reasonAgainst();
if (reason !== null) {
  console.log(`Left out: no place with pods is walked through. ${reason}`);
} else {
  const total = await main();
  repeatFailures();
  console.log(inWords(total));
  process.exitCode = total.failed === 0 ? 0 : 1;
}
