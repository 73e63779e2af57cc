import type { CommandSpec, OptionSpec } from "../command-spec.ts";

const WAIT: OptionSpec = { name: "wait", short: "w", help: "wait for the answer and print its text" };
const TURN_JSON =
  '{"sessionId", "status": "done" | "failed" | "cancelled" | "blocked", "text", "stopReason"?, "error"?, "pending"?, "declined"?} with --wait, else {"sessionId", "status": "sent"}';

/** The commands that make an agent do something. */
export const ACTING_COMMANDS: readonly CommandSpec[] = [
  {
    name: "run",
    summary: "start a session with a prompt",
    args: "<prompt | ->",
    argsMin: 0,
    argsMax: 1_000,
    offers: ["nothing"],
    options: [
      {
        name: "agent",
        short: "a",
        value: "id",
        offer: "agents",
        help: "agent to use (default: the one used last in the project, else builtin)",
      },
      {
        name: "project",
        short: "p",
        value: "dir",
        offer: "directories",
        help: "project directory, name or id (default: current directory); added if it is new",
      },
      { name: "title", short: "t", value: "text", offer: "nothing", help: "the session's title" },
      {
        name: "permissions",
        value: "mode",
        offer: ["ask", "edits", "all"],
        help: "what the session may do unasked: nothing, edits in its directory, everything",
      },
      { name: "model", value: "name", offer: "nothing", help: "model, by the agent's name for it" },
      { name: "mode", value: "name", offer: "nothing", help: "the agent's own mode, such as plan" },
      WAIT,
      { name: "timeout", value: "seconds", offer: "nothing", help: "wait, and cancel a turn that takes longer" },
      {
        name: "output-schema",
        value: "file",
        offer: "files",
        help: "wait, ask for JSON that matches this JSON Schema, and check the answer",
      },
    ],
    notes: [
      "The prompt also comes from stdin: with - as the prompt, or with no prompt in a pipe.",
      "With --wait the answer's text goes to stdout and everything else to stderr, so it can be piped. Without a terminal, questions of the agent are declined at once; a permission that no policy answers ends the wait with code 4 and says how to answer it.",
    ],
    json: TURN_JSON,
    examples: [
      'liminal run --wait "explain this repository"',
      'git diff | liminal run -a claude-code --wait "review this change: " -',
      'liminal run --wait --permissions edits --json "fix the failing test" | jq -r .text',
    ],
  },
  {
    name: "send",
    summary: "send a message to a session",
    args: "<session> <message | ->",
    argsMin: 1,
    argsMax: 1_000,
    offers: ["sessions", "nothing"],
    options: [WAIT],
    notes: ["A message sent while a turn runs is queued; --wait waits for its own turn."],
    json: TURN_JSON,
    examples: ['liminal send 3f2a "now the tests"'],
  },
  {
    name: "attach",
    summary: "follow a session live; Ctrl-C detaches",
    args: "<session>",
    argsMin: 1,
    argsMax: 1,
    offers: ["sessions"],
    options: [
      { name: "until-idle", help: "end when no turn runs, instead of following for ever" },
      {
        name: "entries",
        short: "n",
        value: "count",
        offer: "nothing",
        help: "earlier entries to show first (default 20)",
      },
    ],
    notes: ["Detaching leaves the session and its turn alone."],
    json: "one line per message of the session, as the socket sends them",
    examples: ["liminal attach 3f2a", "liminal attach 3f2a --until-idle --json | jq .type"],
  },
  {
    name: "cancel",
    summary: "stop the running turn of a session",
    args: "<session>",
    argsMin: 1,
    argsMax: 1,
    offers: ["sessions"],
    options: [],
    notes: ["Where nothing runs it says so, and ends with 0 all the same."],
    json: '{"sessionId", "status": "cancelling" | "idle"}',
    examples: ["liminal cancel 3f2a"],
  },
  {
    name: "kill",
    summary: "end the agent of a session by force",
    args: "<session>",
    argsMin: 1,
    argsMax: 1,
    offers: ["sessions"],
    options: [],
    notes: ["What was said stays; the next message starts the agent again."],
    json: '{"sessionId", "status": "killed"}',
    examples: ["liminal kill 3f2a"],
  },
  {
    name: "permit",
    summary: "list and answer what agents ask: permissions and questions",
    args: "[request] [answer] [field=value …]",
    argsMin: 0,
    argsMax: 60,
    offers: ["requests", ["allow", "deny", "accept", "decline", "cancel"], "nothing"],
    options: [
      { name: "session", short: "s", value: "session", offer: "sessions", help: "only what this session asks" },
    ],
    notes: [
      "Without arguments: everything that waits. With a request (its id, or the beginning or the end of it) and an answer: answers it.",
      "Answers to a permission: allow, deny, or one of the option ids listed. To a question: accept with field=value for each field, decline, or cancel.",
    ],
    json: '{"requests": [{"id", "kind": "permission" | "question", "sessionId", "title", "asks", "command"?, "toolCall"?, "options" | "fields"}]}, or {"id", "answer"}',
    examples: ["liminal permit", "liminal permit 7c1 allow", "liminal permit 9d0 accept name=Ada colour=blue"],
  },
];
