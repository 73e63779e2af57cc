import { describe, expect, it } from "bun:test";
import { CliType, SessionId } from "../../protocol/ids.ts";
import { PortletToShell } from "../../protocol/portlet-commands.ts";
import { completeCommand } from "./portlet-session.ts";

const SESSION = { id: SessionId.parse("codex:mine"), cliType: CliType.parse("codex") };
const complete = (message: object) => completeCommand(PortletToShell.parse(message), SESSION);

describe("completeCommand", () => {
  it("adds the frame's own session to its commands", () => {
    expect(complete({ type: "session:send", content: "hi", commandId: "c1" })).toEqual({
      type: "session:send",
      sessionId: SESSION.id,
      content: "hi",
      commandId: expect.stringMatching(/^c1$/),
      requestId: undefined,
    });
  });

  it("a frame cannot send commands for another session, or choose another agent", () => {
    expect(complete({ type: "session:cancel", sessionId: "codex:other" })).toMatchObject({ sessionId: SESSION.id });
    expect(complete({ type: "session:reconnect", cliType: "builtin" })).toMatchObject({
      cliType: "codex",
      sessionId: SESSION.id,
    });
  });

  it.each([
    ["a command that concerns no session", { type: "session:create", projectId: "p1" }],
    ["a list of sessions", { type: "session:list", projectId: "p1" }],
    ["a type nobody knows", { type: "session:explode" }],
    ["a message about the frame", { type: "portlet:title", title: "x" }],
  ])("refuses %s", (_case, message) => {
    expect(complete(message)).toBeNull();
  });
});
