import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { z } from "zod";
import { loadedFrames } from "./loaded-frames.ts";

const Violation = z.object({
  id: z.string(),
  help: z.string(),
  nodes: z.array(z.object({ target: z.array(z.unknown()), html: z.string(), failureSummary: z.string().optional() })),
});

/** Minified, which is half as long: every frame reads it anew. */
export const AXE = readFileSync(new URL(import.meta.resolve("axe-core/axe.min.js")), "utf8");
/** What WCAG 2.2 added is off unless asked for. */
const ALL_RULES = { rules: { "target-size": { enabled: true } } };
/** What a theme can change of a document that stays as it is. */
const COLOUR_RULES = { runOnly: ["color-contrast", "link-in-text-block"] };

/** What axe finds wrong with the page and every frame in it, in words; nothing, if all is well. */
export function axeViolations(page: Page): Promise<string[]> {
  return violationsOf(page, ALL_RULES);
}

/** The same of a page that was looked at in another theme: the rules about colours. */
export function colourViolations(page: Page): Promise<string[]> {
  return violationsOf(page, COLOUR_RULES);
}

async function violationsOf(page: Page, rules: object): Promise<string[]> {
  for (const frame of await loadedFrames(page))
    if (!(await frame.evaluate<boolean>("'axe' in globalThis"))) await frame.evaluate(AXE);
  const options = JSON.stringify({ resultTypes: ["violations"], ...rules });
  const found = await page.evaluate(`axe.run(document, ${options}).then((run) => run.violations)`);
  return z
    .array(Violation)
    .parse(found)
    .flatMap(({ id, help, nodes }) =>
      nodes.map(
        ({ target, html, failureSummary }) => `${id}: ${help}\n${target.join(" ")}\n${html}\n${failureSummary}`,
      ),
    );
}
