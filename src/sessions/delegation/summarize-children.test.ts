import { expect, test } from "bun:test";
import { assistant } from "../../../tests/portlet/scene.ts";
import { lastLineOf } from "./summarize-children.ts";

test("the last line of an answer is quoted without its Markdown, and names keep their signs", () => {
  const quoted = (text: string) => lastLineOf([assistant("a", text)]);
  expect(quoted("# Done\n\n- Set **Voice** to *Detailed* and _ask_ again.")).toBe(
    "Set Voice to Detailed and ask again.",
  );
  expect(quoted("See [the notes](https://example.org/a) in `src/a.ts`.")).toBe("See the notes in src/a.ts.");
  expect(quoted("2 * 3 * 4 in node_modules/a_b and __init__")).toBe("2 * 3 * 4 in node_modules/a_b and __init__");
});
