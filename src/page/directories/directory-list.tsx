import { useLayoutEffect, useRef } from "preact/hooks";
import type { Directories, DirectoryEntry } from "../../protocol/directories.ts";
import { Icon } from "../../ui/icons/icon.tsx";

interface DirectoryListProps {
  readonly id: string;
  readonly found: Directories;
  readonly chosen: number | null;
  readonly onTake: (name: string) => void;
}

export const optionId = (listId: string, index: number): string => `${listId}-${index}`;

/** The directories a path could go on to. The cursor stays in the field; the choice is only marked here. */
export function DirectoryList({ id, found, chosen, onTake }: DirectoryListProps) {
  const list = useRef<HTMLDivElement>(null);
  const { entries, hasMore } = found;
  useLayoutEffect(() => {
    if (chosen !== null) list.current?.children[chosen]?.scrollIntoView({ block: "nearest" });
  }, [chosen]);
  return (
    <>
      <div class="directories" role="listbox" id={id} aria-label="Directories" ref={list} tabIndex={-1}>
        {entries.map((entry, index) => (
          <DirectoryOption
            key={entry.name}
            id={optionId(id, index)}
            entry={entry}
            isChosen={index === chosen}
            onTake={() => onTake(entry.name)}
          />
        ))}
      </div>
      {hasMore && <p class="hint">There are more: type on to find them.</p>}
    </>
  );
}

interface DirectoryOptionProps {
  readonly id: string;
  readonly entry: DirectoryEntry;
  readonly isChosen: boolean;
  readonly onTake: () => void;
}

function DirectoryOption({ id, entry, isChosen, onTake }: DirectoryOptionProps) {
  const { name, linkTo, isRepository, isUnreadable } = entry;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the field it belongs to holds the keyboard
    <div
      id={id}
      role="option"
      tabIndex={-1}
      class="menu-item"
      aria-selected={isChosen}
      title={linkTo === undefined ? name : `${name} → ${linkTo}`}
      onMouseDown={(event) => event.preventDefault()} // the cursor stays in the field
      onClick={onTake}
    >
      <Icon name={isUnreadable ? "fail" : isRepository ? "branch" : "folder"} class="icon-sm" />
      <span class="name truncate">{name}</span>
      {linkTo !== undefined && <span class="note truncate">→ {linkTo}</span>}
      {isRepository && <span class="end">git</span>}
      {isUnreadable && <span class="end">cannot be read</span>}
    </div>
  );
}
