import type { CommandSpec } from "../command-spec.ts";

const NO_ARGS = { args: "", argsMin: 0, argsMax: 0, offers: [] } as const;

/** The commands about the server and the program itself. */
export const SERVER_COMMANDS: readonly CommandSpec[] = [
  {
    name: "serve",
    summary: "start Liminal Builder here and print its URL",
    ...NO_ARGS,
    options: [{ name: "insecure", help: "allow an address that other machines can reach, without TLS" }],
    notes: ["Without any command, this is what happens. It runs until Ctrl-C."],
    json: '{"url", "port", "pid", "dataDir"}, once it runs; the url carries the token',
    examples: ["LIMINAL_PORT=0 liminal serve"],
  },
  {
    name: "open",
    summary: "open the page in a browser, or a session in it",
    args: "[session]",
    argsMin: 0,
    argsMax: 1,
    offers: ["sessions"],
    options: [],
    notes: ["Never prints the token: a browser that is not signed in gets it through a file that only you can read."],
    json: '{"url", "opened"}, the url without the token',
    examples: ["liminal open", "liminal open 3f2a"],
  },
  {
    name: "stop",
    summary: "stop the running server; agents are closed",
    ...NO_ARGS,
    options: [],
    notes: ["Stopping what does not run is no error."],
    json: '{"status": "stopped" | "not-running", "pid"?}',
    examples: ["liminal stop"],
  },
  {
    name: "doctor",
    summary: "check everything and say what to fix",
    ...NO_ARGS,
    options: [
      { name: "agent", short: "a", value: "id", offer: "agents", help: "of the agents, try only this one" },
      { name: "no-agents", help: "start no agent" },
    ],
    notes: [
      "Changes nothing, never signs in, and needs no running server. Ends with 1 when something has to be fixed.",
    ],
    json: '{"ok", "checks": [{"id", "status": "ok" | "note" | "problem", "message", "fix"?}]}',
    examples: ["liminal doctor", "liminal doctor --json | jq '.checks[] | select(.status == \"problem\")'"],
  },
  {
    name: "mcp",
    summary: "offer the server's tools over MCP on stdio, to agents and programs",
    ...NO_ARGS,
    options: [],
    json: null,
    examples: ["liminal mcp"],
  },
  {
    name: "completion",
    summary: "print the completion script of a shell",
    args: "<bash | zsh | fish>",
    argsMin: 1,
    argsMax: 2,
    offers: [["bash", "zsh", "fish"]],
    options: [],
    json: null,
    examples: [
      "source <(liminal completion bash)",
      "liminal completion zsh > ~/.zfunc/_liminal  # with ~/.zfunc in fpath",
      "liminal completion fish > ~/.config/fish/completions/liminal.fish",
    ],
  },
  {
    name: "help",
    summary: "show what there is, or how one command is used",
    args: "[command]",
    argsMin: 0,
    argsMax: 1,
    offers: ["commands"],
    options: [],
    json: null,
    examples: ["liminal help run"],
  },
];
