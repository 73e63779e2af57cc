import { MarkdownView } from "../../../src/ui/markdown/markdown-view.ts";

const PROSE =
  "## Heading\n\nA paragraph with **bold**, `code` and [a link](https://example.com).\n\n- one\n- two\n\n```ts\nconst a = 1;\n```\n\n";

function open(): MarkdownView {
  const view = new MarkdownView();
  document.querySelector("main")?.replaceChildren(view.element);
  return view;
}

/** All of it now, without waiting for frames. */
export function drawAll(view: MarkdownView): void {
  do view.flush();
  while (view.isDrawing);
}

function stream(view: MarkdownView, text: string, size: number): void {
  for (let from = 0; from < text.length; from += size) {
    view.append(text.slice(from, from + size));
    view.flush();
  }
}

/** Selects from a settled paragraph into the growing one, streams on, and returns the selection. */
export function selectionWhileStreaming(): { before: string; after: string; isSameNode: boolean; text: string } {
  const view = open();
  stream(view, "First paragraph.\n\nSecond **bold** and gro", 3);
  const [first, second] = view.element.querySelectorAll("p");
  const start = first?.firstChild;
  const end = second?.lastChild;
  if (!start || !end) throw new Error("the paragraphs are not there");
  getSelection()?.setBaseAndExtent(start, 6, end, 4);
  const before = String(getSelection());
  stream(view, "wing text, *more* of it.\n\n- a list\n- follows\n\n[late]: https://example.com\n\n# End\n", 2);
  view.finish();
  view.flush();
  return {
    before,
    after: String(getSelection()),
    isSameNode: getSelection()?.focusNode === end && end.isConnected,
    text: second?.textContent ?? "",
  };
}

/** Counts what one more chunk changes in a message of the given length. */
export function nodesTouchedByChunk(length: number, chunk: string): { touched: number; charactersOutside: number } {
  const view = open();
  view.append(PROSE.repeat(Math.ceil(length / PROSE.length)));
  view.append("A last paragraph");
  drawAll(view);
  const last = view.element.lastElementChild?.lastElementChild ?? null;
  const observer = new MutationObserver(() => undefined);
  observer.observe(view.element, { subtree: true, childList: true, characterData: true, attributes: true });
  view.append(chunk);
  view.flush();
  const records = observer.takeRecords();
  observer.disconnect();
  return { touched: records.length, charactersOutside: records.filter(({ target }) => !last?.contains(target)).length };
}

/** Streams a long open code block and returns what each chunk changed and whether the code is complete. */
export function codeGrowth(lines: number): {
  nodeIsSmall: boolean;
  recordsMax: number;
  isWhole: boolean;
  isSameBlock: boolean;
} {
  const line = "  const value = compute(input, { attempts: 8 });\n";
  const view = open();
  view.append(`Intro\n\n\`\`\`ts\n${line}`);
  view.flush();
  const block = view.element.querySelector(".block");
  const observer = new MutationObserver(() => undefined);
  observer.observe(view.element, { subtree: true, childList: true, characterData: true });
  let nodeLengthMax = 0;
  let recordsMax = 0;
  for (let count = 1; count < lines; count += 1) {
    view.append(line);
    view.flush();
    const records = observer.takeRecords();
    recordsMax = Math.max(recordsMax, records.length);
    for (const { target } of records)
      if (target instanceof Text) nodeLengthMax = Math.max(nodeLengthMax, target.length);
  }
  observer.disconnect();
  view.append("```\n");
  view.finish();
  view.flush();
  return {
    nodeIsSmall: nodeLengthMax > 0 && nodeLengthMax < 5_000,
    recordsMax,
    isWhole: view.element.querySelector("pre code")?.textContent === line.repeat(lines).trimEnd(),
    isSameBlock: block !== null && block === view.element.querySelector(".block"),
  };
}

/** Adds a definition after its use and returns which settled paragraphs changed. */
export function lateDefinition(): { changed: string[]; link: string | undefined } {
  const view = open();
  stream(view, "Plain one.\n\nSee [docs] here.\n\nPlain two.\n\nEnd of it.\n\n", 5);
  const paragraphs = [...view.element.querySelectorAll("p")];
  const observer = new MutationObserver(() => undefined);
  for (const paragraph of paragraphs)
    observer.observe(paragraph, { subtree: true, childList: true, characterData: true });
  stream(view, "[docs]: https://example.com/docs\n\nMore.", 5);
  const records = observer.takeRecords();
  observer.disconnect();
  const changed = paragraphs.filter((paragraph) => records.some(({ target }) => paragraph.contains(target)));
  return { changed: changed.map(({ textContent }) => textContent ?? ""), link: view.element.querySelector("a")?.href };
}

/** Gives a view whole texts instead of chunks, as after a reconnect. */
export function replacements(): { isSameNode: boolean; grown: string; redrawn: string; resumed: string } {
  const view = open();
  const show = (text: string): string => {
    view.replace(text);
    view.flush();
    return view.element.textContent ?? "";
  };
  show("One **two");
  const before = view.element.querySelector("p")?.firstChild;
  const grown = show("One **two** three");
  const isSameNode = before !== undefined && before === view.element.querySelector("p")?.firstChild;
  const redrawn = show("Other");
  view.finish();
  view.flush();
  view.append(" text");
  view.flush();
  return { isSameNode, grown, redrawn, resumed: view.element.textContent ?? "" };
}
