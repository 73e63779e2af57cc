import type { IconName } from "../../ui/icons/icon-shapes.ts";

const ICON_OF_KIND: Readonly<Record<string, IconName>> = {
  read: "read",
  edit: "edit",
  delete: "trash",
  move: "file",
  search: "search",
  execute: "terminal",
  think: "brain",
  fetch: "globe",
  switch_mode: "settings",
};

export function toolIcon(kind: string | undefined): IconName {
  return (kind === undefined ? undefined : ICON_OF_KIND[kind]) ?? "bolt";
}
