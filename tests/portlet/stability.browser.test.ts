import { afterAll, beforeAll, expect, test } from "bun:test";
import { EntryId } from "../../src/protocol/ids.ts";
import type { ShellToPortlet } from "../../src/protocol/portlet-messages.ts";
import { type OpenPortlet, openPortlet, painted } from "./open-portlet.ts";
import { assistant, conversation, Facts, history, RUNNING, SESSION, thinking, tool } from "./scene.ts";

/** Less than this is not movement. */
const STILL_PX = 1;
/** Half a minute of an agent that writes 20 times a second. */
const STEPS = 600;
const CHUNKS_PER_STEP = 3;

let portlet: OpenPortlet;
beforeAll(async () => {
  portlet = await openPortlet();
});
afterAll(() => portlet[Symbol.asyncDispose]());

/** What an agent does meanwhile: it writes below, prints and thinks above, and comes back to earlier calls. */
function scriptedSteps(facts: Facts): ShellToPortlet[][] {
  return Array.from({ length: STEPS }, (_, step) => {
    const messages: ShellToPortlet[] = [];
    for (let chunk = 0; chunk < CHUNKS_PER_STEP; chunk += 1)
      messages.push(facts.chunk("end", step % 9 === 0 ? `\n\n- **point** ${step} ` : ` word \`${step}\``));
    if (step % 4 === 0) messages.push(facts.chunk("run", `output of step ${step}\n`, "result"));
    if (step % 30 === 10) messages.push(facts.update(thinking("think", "A thought.\n\n".repeat(1 + (step % 7)))));
    return messages;
  });
}

/** In the page: one step of facts per frame, cards opened and closed on the way, the reader's line looked at after every frame. */
const RUN = (steps: readonly ShellToPortlet[][]) => `(async () => {
  const steps = ${JSON.stringify(steps)};
  const inside = frames[0];
  const { document } = inside;
  const log = document.querySelector(".transcript");
  const view = log.getBoundingClientRect();
  const mark = [...document.querySelectorAll('article[data-entry-id="read"] p')].find((p) => p.getBoundingClientRect().top > view.top + 40);
  const start = mark.getBoundingClientRect().top;
  const frame = () => new Promise((done) => inside.requestAnimationFrame(() => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => { port1.close(); done(); };
    port2.postMessage(null);
  }));
  const buttons = (side) => [...document.querySelectorAll('article button.line')].filter((button) => {
    const { top, bottom } = button.getBoundingClientRect();
    return side === "above" ? bottom < view.top : top > start + 20;
  });
  let moved = 0;
  let toggled = { above: 0, below: 0 };
  for (const [index, messages] of steps.entries()) {
    post(messages);
    if (index % 5 === 0) {
      const side = index % 10 === 0 ? "above" : "below";
      const found = buttons(side);
      const button = found[(index / 5) % Math.max(1, found.length) | 0];
      if (button) { button.click(); toggled[side] += 1; }
    }
    await frame();
    moved = Math.max(moved, Math.abs(mark.getBoundingClientRect().top - start));
  }
  return { moved, toggled, isThere: mark.isConnected };
})()`;

test("[X-3] while half a minute of text streams and cards open and close above and below, the line one reads does not move", async () => {
  const facts = new Facts();
  const shell = "Read the file and say what it does. ";
  const run = tool("run", "make", { status: "running", kind: "execute", input: { command: "make" }, result: "" });
  await portlet.show(SESSION, { type: "agent:status", status: "connected" });
  await portlet.show(
    history(conversation(4), { turn: RUNNING }),
    facts.update(thinking("think", "First.\n\nSecond.")),
    facts.update(run),
    facts.update(assistant("read", `${shell.repeat(6)}\n\n`.repeat(20))),
    ...Array.from({ length: 4 }, (_, call) =>
      facts.update(tool(`below${call}`, `Read b${call}.ts`, { result: "text\n".repeat(9) })),
    ),
    facts.update(assistant("end", "Now it writes.\n\n".repeat(60))),
  );
  // Some screens above the end it is not in the page until the reader is there.
  await portlet.show({ type: "portlet:reveal", entryId: EntryId.parse("run") });
  await portlet.frame.locator('[data-entry-id="run"] button.line').click();
  await portlet.frame.evaluate(`(() => {
    const log = document.querySelector(".transcript");
    const article = document.querySelector('[data-entry-id="read"]');
    log.scrollTop += article.getBoundingClientRect().bottom - log.getBoundingClientRect().top - 300;
  })()`);
  await painted(portlet.frame);
  await painted(portlet.frame);
  const seen = await portlet.page.evaluate<{
    moved: number;
    toggled: { above: number; below: number };
    isThere: boolean;
  }>(RUN(scriptedSteps(facts)));
  expect(seen.isThere).toBe(true);
  expect(seen.toggled.above).toBeGreaterThan(20);
  expect(seen.toggled.below).toBeGreaterThan(20);
  expect(seen.moved).toBeLessThan(STILL_PX);
  expect(await portlet.problems()).toEqual([]);
});
