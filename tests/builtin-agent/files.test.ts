import { expect, test } from "bun:test";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { AgentDriver } from "./agent-driver.ts";
import { at, RpcFailure } from "./message.ts";
import { temporaryDirectory } from "./temporary-directory.ts";

async function withProject(
  use: (agent: AgentDriver, sessionId: string) => Promise<void>,
  clientCapabilities: object = {},
): Promise<void> {
  using directory = temporaryDirectory();
  const cwd = join(directory.path, "project");
  mkdirSync(join(cwd, "src"), { recursive: true });
  for (const skipped of [".git", "node_modules"]) {
    mkdirSync(join(cwd, skipped));
    writeFileSync(join(cwd, skipped, "hidden.txt"), "needle");
  }
  writeFileSync(join(cwd, "notes.md"), "first line\nthe Needle is here\n");
  writeFileSync(join(cwd, "src", "main.ts"), "const needle = 1;\n");
  writeFileSync(join(directory.path, "secret.txt"), "secret");
  symlinkSync(join(directory.path, "secret.txt"), join(cwd, "link.txt"));
  await using agent = new AgentDriver({ directory: directory.path, cwd });
  await use(agent, await agent.open(clientCapabilities));
}

/** The only tool call of a turn, folded, with the statuses it went through. */
function onlyTool(agent: AgentDriver, from = 0) {
  const tools = agent.tools(from);
  expect(tools).toHaveLength(1);
  const [tool = {}] = tools;
  const statuses = agent
    .updates(from)
    .filter((update) => update["toolCallId"] === tool["toolCallId"])
    .flatMap((update) => ("status" in update ? [update["status"]] : []));
  return { ...tool, statuses, text: at(tool, "content", 0, "content", "text") };
}

test("TC-3.3b read shows the file in a read call with its location", async () => {
  await withProject(async (agent, sessionId) => {
    await agent.prompt(sessionId, "read notes.md");
    expect(onlyTool(agent)).toMatchObject({
      kind: "read",
      title: "Read notes.md",
      rawInput: { path: "notes.md" },
      locations: [{ path: join(agent.cwd, "notes.md") }],
      statuses: ["pending", "in_progress", "completed"],
      text: "first line\nthe Needle is here\n",
    });
    expect(agent.text()).toBe("`notes.md` has 2 lines.");
  });
});

test("TC-3.3c W-10 what is missing or outside the session's directory is refused, links included", async () => {
  await withProject(async (agent, sessionId) => {
    for (const [path, reason] of [
      ["missing.md", "There is no file missing.md."],
      ["../secret.txt", "../secret.txt is outside this session's directory."],
      ["/etc/passwd", "/etc/passwd is outside this session's directory."],
      ["link.txt", "link.txt is outside this session's directory."],
      ["src", "src is a directory."],
    ]) {
      const from = agent.messages.length;
      await agent.prompt(sessionId, `read ${path}`);
      expect(onlyTool(agent, from)).toMatchObject({ status: "failed", text: reason });
    }
    const from = agent.messages.length;
    await agent.prompt(sessionId, 'edit link.txt "secret" "public"');
    expect(onlyTool(agent, from)).toMatchObject({ status: "failed" });
    expect(readFileSync(join(agent.directory, "secret.txt"), "utf8")).toBe("secret");
  });
});

test("list names the files and leaves out .git and node_modules", async () => {
  await withProject(async (agent, sessionId) => {
    await agent.prompt(sessionId, "list");
    expect(onlyTool(agent)).toMatchObject({ kind: "read", status: "completed", text: "notes.md\nsrc/main.ts" });
    expect(agent.text()).toContain("- `notes.md`\n- `src/main.ts`");
  });
});

test("list stops at its limit and reports that", async () => {
  await withProject(async (agent, sessionId) => {
    for (let count = 0; count < 510; count += 1) writeFileSync(join(agent.cwd, "src", `f${count}`), "");
    await agent.prompt(sessionId, "list");
    const tool = onlyTool(agent);
    expect(String(tool.text).split("\n")).toHaveLength(501);
    expect(tool).toMatchObject({ rawOutput: { files: 500, truncated: true } });
  });
});

test("search finds text in any case, with locations by line", async () => {
  await withProject(async (agent, sessionId) => {
    await agent.prompt(sessionId, "search NEEDLE");
    expect(onlyTool(agent)).toMatchObject({
      kind: "search",
      status: "completed",
      text: "notes.md:2: the Needle is here\nsrc/main.ts:1: const needle = 1;",
      locations: [
        { path: join(agent.cwd, "notes.md"), line: 2 },
        { path: join(agent.cwd, "src/main.ts"), line: 1 },
      ],
    });
    expect(agent.text()).toBe("I found 2 matches in 2 files.");
  });
});

test("W-8 edit asks with a diff and our three options, then writes", async () => {
  await withProject(async (agent, sessionId) => {
    const asked = agent.answerPermissions("allow-once");
    await agent.prompt(sessionId, 'edit notes.md "the Needle" "a \\"pin\\""');
    const path = join(agent.cwd, "notes.md");
    const newText = 'first line\na "pin" is here\n';
    const diff = { type: "diff", path, oldText: "first line\nthe Needle is here\n", newText };
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatchObject({
      sessionId,
      toolCall: { kind: "edit", title: "Edit notes.md", content: [diff], locations: [{ path, line: 2 }] },
      options: [
        { optionId: "allow-once", kind: "allow_once", name: "Allow once" },
        { optionId: "allow-always", kind: "allow_always", name: "Always allow edits in this session" },
        { optionId: "reject-once", kind: "reject_once", name: "Reject" },
      ],
    });
    expect(onlyTool(agent)).toMatchObject({ statuses: ["pending", "in_progress", "completed"], content: [diff] });
    expect(readFileSync(path, "utf8")).toBe(newText);
  });
});

test("edit with an empty old text creates a file, and only a new one", async () => {
  await withProject(async (agent, sessionId) => {
    agent.answerPermissions("allow-once");
    await agent.prompt(sessionId, 'edit "new file.txt" "" "one\\ntwo\\n"');
    expect(readFileSync(join(agent.cwd, "new file.txt"), "utf8")).toBe("one\ntwo\n");
    expect(onlyTool(agent)).toMatchObject({ content: [{ type: "diff", oldText: null }] });
    await agent.prompt(sessionId, 'edit notes.md "" "overwritten"');
    expect(readFileSync(join(agent.cwd, "notes.md"), "utf8")).toContain("first line");
  });
});

test("an edit that is rejected, ambiguous, absent or overtaken changes nothing", async () => {
  await withProject(async (agent, sessionId) => {
    const path = join(agent.cwd, "notes.md");
    const before = readFileSync(path, "utf8");
    agent.answerPermissions("reject-once");
    await agent.prompt(sessionId, 'edit notes.md "first" "1st"');
    expect(onlyTool(agent)).toMatchObject({ statuses: ["pending", "failed"], text: "Rejected." });
    await agent.prompt(sessionId, 'edit notes.md "line" "row"');
    await agent.prompt(sessionId, 'edit notes.md "e" "E"');
    await agent.prompt(sessionId, 'edit notes.md "absent" "present"');
    expect(readFileSync(path, "utf8")).toBe(before);
    agent.responders.set("session/request_permission", () => {
      writeFileSync(path, "someone else was here: first\n");
      return { outcome: { outcome: "selected", optionId: "allow-once" } };
    });
    await agent.prompt(sessionId, 'edit notes.md "first" "1st"');
    expect(readFileSync(path, "utf8")).toBe("someone else was here: first\n");
    expect(agent.text()).toContain("changed while I was asking");
  });
});

test("W-10 files go through the client where it offers that, and its refusal is reported as text", async () => {
  await withProject(
    async (agent, sessionId) => {
      const written: unknown[] = [];
      agent.answerPermissions("allow-once");
      agent.responders.set("fs/read_text_file", () => ({ content: "unsaved text\n" }));
      agent.responders.set("fs/write_text_file", (params) => {
        written.push(params);
        return {};
      });
      await agent.prompt(sessionId, 'edit notes.md "unsaved" "saved"');
      expect(written).toEqual([{ sessionId, path: join(agent.cwd, "notes.md"), content: "saved text\n" }]);
      expect(readFileSync(join(agent.cwd, "notes.md"), "utf8")).toContain("Needle");
      agent.responders.set("fs/read_text_file", () => {
        throw new RpcFailure(-32602, "outside the roots");
      });
      const from = agent.messages.length;
      expect(await agent.prompt(sessionId, "read notes.md")).toEqual({ stopReason: "end_turn" });
      expect(onlyTool(agent, from)).toMatchObject({ status: "failed", text: "outside the roots" });
    },
    { fs: { readTextFile: true, writeTextFile: true } },
  );
});
