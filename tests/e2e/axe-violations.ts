import axe from "axe-core";
import type { Page } from "playwright-core";
import { z } from "zod";
import { loadedFrames } from "./loaded-frames.ts";

const Violation = z.object({
  id: z.string(),
  help: z.string(),
  nodes: z.array(z.object({ target: z.array(z.unknown()), html: z.string(), failureSummary: z.string().optional() })),
});

/** What axe finds wrong with the page and every frame in it, in words; nothing, if all is well. */
export async function axeViolations(page: Page): Promise<string[]> {
  for (const frame of await loadedFrames(page)) await frame.evaluate(axe.source);
  const found = await page.evaluate(
    // What WCAG 2.2 added is off unless asked for.
    "axe.run(document, { resultTypes: ['violations'], rules: { 'target-size': { enabled: true } } }).then((run) => run.violations)",
  );
  return z
    .array(Violation)
    .parse(found)
    .flatMap(({ id, help, nodes }) =>
      nodes.map(
        ({ target, html, failureSummary }) => `${id}: ${help}\n${target.join(" ")}\n${html}\n${failureSummary}`,
      ),
    );
}
