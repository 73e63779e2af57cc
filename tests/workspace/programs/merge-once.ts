import { ProjectId } from "../../../src/protocol/ids.ts";
import { WorktreeId } from "../../../src/protocol/worktree-ref.ts";
import { LocalMerging } from "../../../src/workspace/merging/merging.ts";

/** Merges the branch of a worktree into `main`, and is killed while it does. */
const [root = "", project = "", path = "", branch = ""] = process.argv.slice(2);
const merging = new LocalMerging({ root, env: { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "" } });
const projectId = ProjectId.parse("p");
const place = { worktreeId: WorktreeId.parse("w"), projectId, name: branch, branch, path, cwd: path };
const about = { id: projectId, path: project, name: "work", addedAt: "2026-01-01T00:00:00Z" };
const { expect } = await merging.preview(about, place, "main", null);
await merging.merge(about, place, { into: "main", how: "merge", message: null, expect });
