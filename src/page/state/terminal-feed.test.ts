import { expect, it } from "bun:test";
import { PlainServerMessage } from "../../protocol/server-messages.ts";
import { TerminalFeed } from "./terminal-feed.ts";

const say = (feed: TerminalFeed, ...messages: object[]) => {
  for (const message of messages) feed.receive(PlainServerMessage.parse(message));
};
const opened = { type: "terminal:opened", terminalId: "t", title: "Sign in" };
const output = (terminalId: string, data: string) => ({ type: "terminal:output", terminalId, data });

function listener() {
  const heard: unknown[] = [];
  return { heard, output: (data: string) => heard.push(data), exited: (code: number | null) => heard.push(code) };
}

it("keeps its terminal's output until there is a listener, then passes on new output in order", () => {
  const feed = new TerminalFeed();
  const shown = listener();
  say(feed, opened, output("t", "one"), output("t", "two"));
  feed.listen("t", shown);
  say(feed, output("t", "three"), { type: "terminal:exited", terminalId: "t", exitCode: 0 });
  expect(shown.heard).toEqual(["one", "two", "three", 0]);
});

it("ignores the terminals of other pages, and drops its own when the listener leaves", () => {
  const feed = new TerminalFeed();
  const shown = listener();
  say(feed, output("other", "secret"), opened);
  const stop = feed.listen("t", shown);
  stop();
  say(feed, output("t", "late"));
  feed.listen("t", shown);
  feed.listen("other", shown);
  expect(shown.heard).toEqual([]);
});
