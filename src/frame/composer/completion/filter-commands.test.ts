import { expect, test } from "bun:test";
import { filterCommands } from "./completion-popup.tsx";

const COMMANDS = [
  { name: "search", description: "Looks for a text" },
  { name: "list", description: "Lists files" },
  { name: "research", description: "Reads far and wide" },
  { name: "ask", description: "Starts a search of its own" },
];
const names = (query: string) => filterCommands(COMMANDS, query).map(({ name }) => name);

test("[X-7] names that begin so come first, then names that hold it, then what speaks of it", () => {
  expect(names("search")).toEqual(["search", "research", "ask"]);
  expect(names("SEA")).toEqual(["search", "research", "ask"]);
  expect(names("")).toEqual(["search", "list", "research", "ask"]);
  expect(names("nothing like it")).toEqual([]);
});
