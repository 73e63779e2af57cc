import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { type VisiblePiece, visibleLines, visiblePieces } from "../../lib/visible-text.ts";
import { isRecord, relativePaths } from "../../presentation/tool-line.ts";
import { commandOf } from "../../protocol/command-of.ts";
import type { Part } from "../../protocol/entry.ts";
import type { PermissionToolCall } from "../../protocol/session-parts.ts";
import { Icon } from "../icons/icon.tsx";
import { createContentPart } from "../parts/content-part.ts";

/** Fields of a command's input that the card shows separately. */
const SHOWN_FIELDS = new Set(["command", "cmd", "cwd", "workdir"]);

interface PermissionSubjectProps {
  readonly toolCall: PermissionToolCall;
  readonly note?: string | undefined;
  /** The session's own: paths of a change inside it are shown relative to it. A command is always unchanged. */
  readonly directory: string;
  /** Called with whether it scrolls. */
  readonly onScrolls: (scrolls: boolean) => void;
}

/** The exact subject of the request: the whole command, the change, the path; never a summary alone. */
export function PermissionSubject({ toolCall, note, directory, onScrolls }: PermissionSubjectProps) {
  const { name, input, locations } = toolCall;
  const command = commandOf(input);
  const parts = (toolCall.parts ?? []).filter(({ type }) => type !== "terminal");
  const whole = name.replaceAll("`", "").trim();
  const title = command === null ? relativePaths(whole, directory) : whole;
  const workplace = workingDirectory(toolCall);
  return (
    <ScrollingBody onScrolls={onScrolls}>
      {note !== undefined && (
        <p class="ask-note">
          <Icon name="info" class="icon-sm" />
          <span>
            <VisibleLine text={note} />
          </span>
        </p>
      )}
      {title !== command && (
        <p class="ask-what">
          <VisibleText text={title} />
        </p>
      )}
      {command !== null && (
        <code class="ask-command">
          <VisibleText text={command} />
        </code>
      )}
      {parts.map((part, index) => (
        <ContentPart key={index} part={part} directory={directory} />
      ))}
      {command === null && parts.length === 0 && hasFields(input) && (
        <pre class="ask-input">
          <VisibleText text={JSON.stringify(input, null, 2)} />
        </pre>
      )}
      {command === null &&
        parts.length === 0 &&
        !hasFields(input) &&
        locations?.map(({ path }) => <Place key={path} path={relativePaths(path, directory)} />)}
      {workplace !== null && <Place path={workplace} />}
      {(command !== null || parts.length > 0) && <RestOfInput input={input} hasCommand={command !== null} />}
    </ScrollingBody>
  );
}

function Place({ path }: { path: string }) {
  return (
    <p class="ask-place">
      <Icon name="folder" class="icon-sm" />
      <span class="mono">
        <VisibleLine text={path} />
      </span>
    </p>
  );
}

/** Wraps, then scrolls, and indicates that there is more below. */
function ScrollingBody({
  children,
  onScrolls,
}: {
  children: ComponentChildren;
  onScrolls: (scrolls: boolean) => void;
}) {
  const body = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const [hasMore, setMore] = useState(false);
  const look = () => {
    const { scrollTop = 0, clientHeight = 0, scrollHeight = 0 } = body.current ?? {};
    onScrolls(scrollHeight > clientHeight + 1);
    setMore(scrollTop + clientHeight < scrollHeight - 1);
  };
  useEffect(() => {
    const watch = new ResizeObserver(look);
    for (const element of [body.current, content.current]) if (element) watch.observe(element);
    return () => watch.disconnect();
  }, []);
  const showMore = () => body.current?.scrollBy({ top: body.current.clientHeight * 0.8 });
  return (
    <div class="ask-frame">
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <div class="ask-body" ref={body} tabIndex={0} role="group" aria-label="Requested action" onScroll={look}>
        <div class="ask-content" ref={content}>
          {children}
        </div>
      </div>
      {hasMore && (
        <button type="button" class="ask-more" onClick={showMore}>
          <Icon name="down" class="icon-sm" />
          More below
        </button>
      )}
    </div>
  );
}

function ContentPart({ part, directory }: { part: Part; directory: string }) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (part.type !== "text") place.current?.replaceChildren(createContentPart(part, { directory, isPlain: true }));
  }, [part, directory]);
  const cut = "truncated" in part ? part.truncated : undefined;
  return (
    <>
      {part.type === "text" ? (
        <p class="part-text">
          <VisibleText text={part.text} />
        </p>
      ) : (
        <div class="ask-part" ref={place} />
      )}
      {cut && (
        <p class="ask-note">
          <Icon name="info" class="icon-sm" />
          <span>
            {`Only ${cut.headChars + cut.tailChars} of ${cut.totalChars} characters are shown. Open the tool call above to see all of it.`}
          </span>
        </p>
      )}
    </>
  );
}

/** The rest of the tool's input. */
function RestOfInput({ input, hasCommand }: { input: PermissionToolCall["input"]; hasCommand: boolean }) {
  if (!isRecord(input)) return null;
  const fields = Object.keys(input).filter((field) => !hasCommand || !SHOWN_FIELDS.has(field));
  const hasTwo = input["command"] !== undefined && input["cmd"] !== undefined;
  if (fields.length === 0 && !hasTwo) return null;
  return (
    <details class="ask-rest" open={hasTwo}>
      <summary>
        <Icon name="chevron" class="icon-sm" />
        Full input
      </summary>
      <pre class="ask-input">
        <VisibleText text={JSON.stringify(input, null, 2)} />
      </pre>
    </details>
  );
}

function hasFields(input: PermissionToolCall["input"]): boolean {
  return input !== undefined && input !== null && !(isRecord(input) && Object.keys(input).length === 0);
}

function workingDirectory({ input }: PermissionToolCall): string | null {
  const directory = isRecord(input) ? (input["cwd"] ?? input["workdir"]) : null;
  return typeof directory === "string" && directory !== "" ? directory : null;
}

/** Longer lines are drawn without a node for each word: they break anywhere. */
const WORDS_LINE_CHARS_MAX = 2_000;

/** Agent text that the user decides by: each line is separate with its number, and every character is visible. */
export function VisibleText({ text }: { text: string }) {
  const lines = useMemo(() => visibleLines(text), [text]);
  const isOne = lines.length === 1;
  return lines.map((line, index) => (
    <span key={index} class={isOne ? "seen-line" : "seen-line numbered"} data-line={line.number}>
      {line.kind === "line" ? (
        <>
          <Pieces pieces={line.pieces} />
          {index < lines.length - 1 && "\n"}
        </>
      ) : (
        <>
          <span class="unseen">{line.words}</span>
          {"\n"}
        </>
      )}
    </span>
  ));
}

/** The same for a single line: a name, a path, a button. */
export function VisibleLine({ text }: { text: string }) {
  return <Pieces pieces={visiblePieces(text)} />;
}

function Pieces({ pieces }: { pieces: readonly VisiblePiece[] }) {
  return pieces.map(({ kind, text }, index) =>
    kind === "sign" ? (
      <span key={index} class="unseen">
        {text}
      </span>
    ) : (
      <Words key={index} text={text} />
    ),
  );
}

/** A long line breaks between words and never inside a flag; a right-to-left word reorders no other. */
function Words({ text }: { text: string }) {
  if (text.length > WORDS_LINE_CHARS_MAX) return <>{text}</>;
  return text.split(/(?<=\s)(?=\S)/).map((word, index) => (
    <span key={index} class="seen-word">
      {word}
    </span>
  ));
}
