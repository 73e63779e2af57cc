import { useEffect, useRef } from "preact/hooks";
import type { Part } from "../../protocol/entry.ts";
import type { PermissionToolCall } from "../../protocol/session-parts.ts";
import { Icon } from "../icons/icon.tsx";
import { createContentPart } from "../transcript/parts/content-part.ts";
import { commandOf, isRecord, toolLine } from "../transcript/tool-words.ts";
import { commandWords } from "./permission-words.ts";

/** The exact thing that is asked for: the whole command, the change, the place; never a summary alone. */
export function PermissionSubject({ toolCall, note }: { toolCall: PermissionToolCall; note?: string | undefined }) {
  const command = commandOf(toolCall);
  const parts = (toolCall.parts ?? []).filter(({ type }) => type !== "terminal");
  const { name, target } = toolLine(toolCall);
  const isSaid = command !== null && (name === "Run" || name === command);
  const directory = workingDirectory(toolCall);
  return (
    <div class="ask-body">
      {!isSaid && (
        <p class="ask-what">
          {name} {command === null && target !== "" && <span class="mono">{target}</span>}
        </p>
      )}
      {command !== null && <CommandLine command={command} />}
      {parts.map((part, index) => (
        <ContentPart key={index} part={part} />
      ))}
      {command === null && parts.length === 0 && <Input toolCall={toolCall} />}
      {(directory !== null || note !== undefined) && (
        <div class="ask-facts">
          {directory !== null && (
            <span>
              <Icon name="folder" class="icon-sm" />
              <span class="mono">{directory}</span>
            </span>
          )}
          {note !== undefined && (
            <span>
              <Icon name="info" class="icon-sm" />
              <span>{note}</span>
            </span>
          )}
        </div>
      )}
    </div>
  );
}

function CommandLine({ command }: { command: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a long command scrolls, and what scrolls must be reachable by keyboard
    <code class="ask-command" tabIndex={0}>
      {commandWords(command).map((word, index) => (
        <span key={index}>{word}</span>
      ))}
    </code>
  );
}

function ContentPart({ part }: { part: Part }) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => place.current?.replaceChildren(createContentPart(part, true)), [part]);
  return <div class="ask-part" ref={place} />;
}

/** Without a command or a change in view, what the tool would be given is all there is to judge by. */
function Input({ toolCall: { input, locations } }: { toolCall: PermissionToolCall }) {
  const hasInput = input !== undefined && input !== null && !(isRecord(input) && Object.keys(input).length === 0);
  if (hasInput) {
    return (
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a long input scrolls, and what scrolls must be reachable by keyboard
      <pre class="ask-input" tabIndex={0}>
        {JSON.stringify(input, null, 2)}
      </pre>
    );
  }
  return locations?.map(({ path }) => (
    <p class="mono" key={path}>
      {path}
    </p>
  ));
}

function workingDirectory({ input }: PermissionToolCall): string | null {
  const directory = isRecord(input) ? (input["cwd"] ?? input["workdir"]) : null;
  return typeof directory === "string" && directory !== "" ? directory : null;
}
