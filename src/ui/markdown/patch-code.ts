import { codeLanguageId, codeLanguageLabel } from "../../presentation/code-languages.ts";
import { createBlockButton, showCopied } from "./block-button.ts";
import { copyText } from "./copy-text.ts";
import type { CodeNode } from "./markdown-node.ts";

/**
 * Text of a code block in one node. Longer code continues in the next one: appending copies the node, and layout shapes
 * it again.
 */
const CODE_CHUNK_CHARS_MAX = 4_096;

/** A code block: a head with language, wrap and copy, and a body that scrolls and is focusable. */
export function createCodeBlock(node: CodeNode): HTMLElement {
  const label = codeLanguageLabel(node.language);
  const name = document.createElement("span");
  name.className = "language";
  name.append(label);
  const end = document.createElement("span");
  end.className = "end";
  end.append(createButton("wrap", "Wrap lines"), createButton("copy", "Copy code"));
  const head = document.createElement("div");
  head.className = "block-head";
  head.append(name, end);

  const code = document.createElement("code");
  const body = document.createElement("pre");
  body.className = "code";
  body.tabIndex = 0;
  body.setAttribute("role", "group");
  body.setAttribute("aria-label", node.language === "" ? "Code" : `${label} code`);
  body.append(code);
  appendCode(code, node.text);

  const block = document.createElement("div");
  block.className = "block";
  const language = codeLanguageId(node.language);
  if (language !== null) block.dataset["language"] = language;
  block.append(head, body);
  return block;
}

/** Text that only grew is appended; anything else needs a new element. */
export function patchCodeBlock(dom: ChildNode, before: CodeNode, after: CodeNode): boolean {
  if (before.language !== after.language || !after.text.startsWith(before.text)) return false;
  const code = codeOf(dom);
  if (code === null) return false;
  appendCode(code, after.text.slice(before.text.length));
  return true;
}

/** The element that contains the code of a block. */
export function codeOf(block: Node): HTMLElement | null {
  return block instanceof Element ? block.querySelector<HTMLElement>(":scope > .code > code") : null;
}

/** Appends; the cost is that of the added text and of one chunk, not of the code before it. */
export function appendCode(code: HTMLElement, growth: string): void {
  let rest = growth;
  while (rest !== "") {
    const text = lastChunk(code);
    const room = CODE_CHUNK_CHARS_MAX - text.length;
    const cut = rest.length <= room ? rest.length : endOfLine(rest, room);
    text.appendData(rest.slice(0, cut));
    rest = rest.slice(cut);
    if (rest !== "") addChunk(code);
  }
}

/** A chunk ends after a line, so that chunks laid out as blocks look like one text. */
function endOfLine(text: string, from: number): number {
  const end = text.indexOf("\n", Math.max(0, from));
  return end === -1 ? text.length : end + 1;
}

function lastChunk(code: HTMLElement): Text {
  const text = code.lastElementChild?.firstChild;
  return text instanceof Text ? text : addChunk(code);
}

function addChunk(code: HTMLElement): Text {
  const text = document.createTextNode("");
  const chunk = document.createElement("span");
  chunk.className = "code-chunk";
  chunk.append(text);
  code.append(chunk);
  return text;
}

function createButton(action: "wrap" | "copy", label: string): HTMLButtonElement {
  const button = createBlockButton(action, label);
  button.dataset["action"] = action;
  if (action === "wrap") button.setAttribute("aria-pressed", "false");
  return button;
}

/** Runs the action of a clicked code block button. False if the click was elsewhere. */
export function runCodeAction(target: Element): boolean {
  const button = target.closest<HTMLElement>(".block-head [data-action]");
  const code = codeOf(button?.closest(".block") ?? target);
  if (button === null || code === null) return false;
  if (button.dataset["action"] === "wrap") toggleWrap(button, code.parentElement);
  else copyCode(button, code);
  return true;
}

/** Wraps the long lines of a block, or no longer does. */
export function toggleWrap(button: HTMLElement, body: Element | null): void {
  const isOn = body?.classList.toggle("wrap") ?? false;
  button.setAttribute("aria-pressed", String(isOn));
}

function copyCode(button: HTMLElement, code: HTMLElement): void {
  copyText(code.textContent ?? "").then(
    () => showCopied(button, true),
    () => {
      getSelection()?.selectAllChildren(code); // so that Ctrl+C works
      showCopied(button, false);
    },
  );
}
