import { describe, expect, test } from "bun:test";
import { readShellLine } from "./shell-line.ts";
import { unwrapCommand } from "./unwrap-command.ts";

const doubtsOf = (line: string) => readShellLine(line).doubts;

describe("X-4 what shells read differently is a doubt", () => {
  test.each(["echo a!b", "echo !b", 'echo "a!b"'])("history expansion with !: %s", (line) => {
    expect(doubtsOf(line).join()).toContain("!");
  });

  test.each(["echo a b", "echo 'a!b'", "echo 'a' \"b\""])("no history expansion: %s", (line) => {
    expect(doubtsOf(line)).toEqual([]);
  });

  test("in a nested shell as well, at any depth", () => {
    for (const line of ["sh -c 'echo a!b'", "bash -c \"sh -c 'echo a!b'\""]) {
      const [command] = readShellLine(line).commands;
      if (command === undefined) throw new Error(`${line} has no command`);
      expect(unwrapCommand(command).doubts.join()).toContain("!");
    }
    const [clean] = readShellLine("sh -c 'echo a b'").commands;
    expect(clean && unwrapCommand(clean).doubts).toEqual([]);
  });
});
