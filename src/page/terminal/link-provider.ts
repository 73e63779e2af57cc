import type { IBufferLine, ILink, ILinkProvider, Terminal } from "@xterm/xterm";
import { findLinks } from "./find-links.ts";

/** Makes the addresses a login prints clickable, over as many rows as they take: none is short. */
export function linkProvider(terminal: Terminal, open: (url: string) => void): ILinkProvider {
  return {
    provideLinks: (row, give) => give([...linksAt(terminal, row - 1, open)]),
  };
}

function linksAt(terminal: Terminal, row: number, open: (url: string) => void): readonly ILink[] {
  const { cols } = terminal;
  const first = firstRow(terminal, row);
  const text = wholeLine(terminal, first);
  const place = (column: number) => ({ x: (column % cols) + 1, y: first + Math.floor(column / cols) + 1 });
  return findLinks(text)
    .map(({ url, from, to }) => ({
      text: url,
      range: { start: place(from), end: place(to - 1) },
      activate: () => open(url),
    }))
    .filter(({ range }) => range.start.y <= row + 1 && range.end.y >= row + 1);
}

function lineAt(terminal: Terminal, row: number): IBufferLine | undefined {
  return terminal.buffer.active.getLine(row);
}

function firstRow(terminal: Terminal, row: number): number {
  let first = row;
  while (first > 0 && lineAt(terminal, first)?.isWrapped) first -= 1;
  return first;
}

/** Rows that wrap are full: a column of the text is a cell of the view. */
function wholeLine(terminal: Terminal, first: number): string {
  let text = lineAt(terminal, first)?.translateToString(false) ?? "";
  for (let row = first + 1; lineAt(terminal, row)?.isWrapped; row += 1) {
    text += lineAt(terminal, row)?.translateToString(false) ?? "";
  }
  return text;
}
