CREATE TABLE project (
  id TEXT PRIMARY KEY,
  path TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  added_at TEXT NOT NULL,
  position INTEGER NOT NULL,
  removed INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE TABLE session (
  key INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  project_id TEXT NOT NULL REFERENCES project (id),
  cli_type TEXT NOT NULL,
  title TEXT NOT NULL,
  created_at TEXT NOT NULL,
  last_active_at TEXT NOT NULL,
  archived INTEGER NOT NULL DEFAULT 0,
  turn TEXT NOT NULL,
  unfinished INTEGER NOT NULL DEFAULT 0,
  parent_id TEXT,
  agent_session_id TEXT NOT NULL,
  agent_session_at TEXT NOT NULL,
  cwd TEXT NOT NULL,
  agent_state TEXT NOT NULL,
  agent_state_at TEXT NOT NULL,
  last_seq INTEGER NOT NULL DEFAULT 0,
  kept_from_seq INTEGER NOT NULL DEFAULT 1,
  snapshot_seq INTEGER NOT NULL DEFAULT 0,
  snapshot TEXT,
  next_position INTEGER NOT NULL DEFAULT 1,
  draft TEXT NOT NULL DEFAULT ''
, attention_seq INTEGER NOT NULL DEFAULT 0, seen_seq INTEGER NOT NULL DEFAULT 0, usage TEXT, adopted INTEGER NOT NULL DEFAULT 0, armed_waits INTEGER NOT NULL DEFAULT 0, process_id TEXT, heard INTEGER NOT NULL DEFAULT 0, cancelling TEXT) STRICT;
CREATE TABLE fact (
  session_key INTEGER NOT NULL REFERENCES session (key) ON DELETE CASCADE,
  seq INTEGER NOT NULL,
  type TEXT NOT NULL,
  json TEXT NOT NULL,
  PRIMARY KEY (session_key, seq)
) STRICT, WITHOUT ROWID;
CREATE TABLE entry (
  session_key INTEGER NOT NULL REFERENCES session (key) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  entry_id TEXT NOT NULL,
  agent_id TEXT,
  json TEXT NOT NULL,
  UNIQUE (session_key, position),
  UNIQUE (session_key, entry_id)
) STRICT;
CREATE TABLE receipt (
  command_id TEXT PRIMARY KEY,
  answer TEXT NOT NULL,
  at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE policy_mode (
  scope TEXT NOT NULL,
  target TEXT NOT NULL,
  mode TEXT NOT NULL,
  PRIMARY KEY (scope, target)
) STRICT, WITHOUT ROWID;
CREATE TABLE policy_rule (
  key INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  scope TEXT NOT NULL,
  target TEXT NOT NULL,
  json TEXT NOT NULL
) STRICT;
CREATE TABLE permission_record (
  key INTEGER PRIMARY KEY,
  session_key INTEGER NOT NULL REFERENCES session (key) ON DELETE CASCADE,
  permission_id TEXT NOT NULL,
  asked_at TEXT NOT NULL,
  tool_call TEXT NOT NULL,
  options TEXT NOT NULL,
  answered TEXT,
  answered_by TEXT,
  answered_at TEXT,
  why TEXT,
  UNIQUE (session_key, permission_id)
) STRICT;
CREATE TABLE search_text (
  key INTEGER PRIMARY KEY,
  session_key INTEGER REFERENCES session (key) ON DELETE SET NULL,
  entry_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  at TEXT
) STRICT;
CREATE TABLE search_file (
  session_key INTEGER NOT NULL REFERENCES session (key) ON DELETE CASCADE,
  path TEXT NOT NULL,
  text_key INTEGER NOT NULL,
  PRIMARY KEY (session_key, path, text_key)
) STRICT, WITHOUT ROWID;
CREATE VIRTUAL TABLE search_index USING fts5 (text, tokenize = "unicode61 remove_diacritics 2", prefix = '2 3');
CREATE TABLE search_backlog (
  session_key INTEGER PRIMARY KEY REFERENCES session (key) ON DELETE CASCADE,
  before_position INTEGER NOT NULL
) STRICT;
CREATE TABLE output_piece (
  session_key INTEGER NOT NULL REFERENCES session (key) ON DELETE CASCADE,
  entry_id TEXT NOT NULL,
  part INTEGER NOT NULL,
  start INTEGER NOT NULL,
  chars INTEGER NOT NULL,
  json TEXT NOT NULL,
  UNIQUE (session_key, entry_id, part, start)
) STRICT;
CREATE TABLE agent_choice (
  cli_type TEXT NOT NULL,
  config_id TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (cli_type, config_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE draft_attachments (
  session_key INTEGER PRIMARY KEY REFERENCES session (key) ON DELETE CASCADE,
  json TEXT NOT NULL
) STRICT;
CREATE TABLE agent_session (
  cli_type TEXT NOT NULL,
  agent_session_id TEXT NOT NULL,
  session_key INTEGER NOT NULL REFERENCES session (key) ON DELETE CASCADE,
  PRIMARY KEY (cli_type, agent_session_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE imported_file (
  project_id TEXT NOT NULL REFERENCES project (id),
  digest TEXT NOT NULL,
  session_key INTEGER NOT NULL REFERENCES session (key) ON DELETE CASCADE,
  PRIMARY KEY (project_id, digest)
) STRICT, WITHOUT ROWID;
CREATE TABLE delegation (
  session_key INTEGER PRIMARY KEY REFERENCES session (key) ON DELETE CASCADE,
  child_id TEXT NOT NULL UNIQUE,
  parent_id TEXT,
  root_id TEXT,
  depth INTEGER NOT NULL,
  budget TEXT NOT NULL,
  last_turn_id TEXT,
  turns INTEGER NOT NULL DEFAULT 0,
  tokens INTEGER NOT NULL DEFAULT 0,
  cost REAL NOT NULL DEFAULT 0,
  work_ms INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE TABLE tool_choice (
  project_id TEXT NOT NULL,
  name TEXT NOT NULL,
  enabled INTEGER NOT NULL,
  PRIMARY KEY (project_id, name)
) STRICT, WITHOUT ROWID;
CREATE TABLE device (
  id TEXT PRIMARY KEY,
  secret_hash TEXT NOT NULL,
  token_mark TEXT NOT NULL,
  name TEXT NOT NULL,
  created_at TEXT NOT NULL,
  last_seen_at TEXT NOT NULL,
  revoked INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE TABLE forgotten_session (
  cli_type TEXT NOT NULL,
  agent_session_id TEXT NOT NULL,
  PRIMARY KEY (cli_type, agent_session_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX session_by_project ON session (project_id, last_active_at DESC);
CREATE INDEX session_unfinished ON session (unfinished) WHERE unfinished = 1;
CREATE INDEX entry_by_agent_id ON entry (session_key, agent_id) WHERE agent_id IS NOT NULL;
CREATE INDEX receipt_by_time ON receipt (at);
CREATE INDEX policy_rule_by_target ON policy_rule (scope, target);
CREATE INDEX permission_record_automatic ON permission_record (key) WHERE answered_by = 'policy';
CREATE UNIQUE INDEX search_text_by_entry ON search_text (session_key, entry_id) WHERE session_key IS NOT NULL;
CREATE INDEX search_text_ownerless ON search_text (key) WHERE session_key IS NULL;
CREATE INDEX delegation_by_parent ON delegation (parent_id, session_key);
CREATE INDEX delegation_by_root ON delegation (root_id);
CREATE INDEX session_waiting ON session (armed_waits) WHERE armed_waits > 0;
CREATE INDEX session_by_process ON session (process_id) WHERE process_id IS NOT NULL;
INSERT INTO project (id, path, name, added_at, position, removed) VALUES ('e403671b-5d36-4cf6-b41c-03b76a9da513', '/sample/projects/ab600afe-b68e-430e-a690-85ae68c9b474', 'ab600afe-b68e-430e-a690-85ae68c9b474', '2026-11-15T19:28:20.830Z', 1, 0);
INSERT INTO session (key, id, project_id, cli_type, title, created_at, last_active_at, archived, turn, unfinished, parent_id, agent_session_id, agent_session_at, cwd, agent_state, agent_state_at, last_seq, kept_from_seq, snapshot_seq, snapshot, next_position, draft, attention_seq, seen_seq, usage, adopted, armed_waits, process_id, heard, cancelling) VALUES (1, 'builtin:fe264a56-a197-4673-bff2-8b98cf266db2', 'e403671b-5d36-4cf6-b41c-03b76a9da513', 'builtin', 'stream 3 words', '2026-11-15T19:28:21.118Z', '2026-11-15T19:28:21.414Z', 0, '{"state":"idle","turnId":"c900be4e-04b9-48f6-a44b-b24cb83c2304","startedAt":"2026-11-15T19:28:21.171Z","stopReason":"end_turn"}', 0, NULL, 'guide_9f56d84a-d894-4d36-967e-2368b52ee115', '2026-11-15T19:28:21.118Z', '/sample/projects/ab600afe-b68e-430e-a690-85ae68c9b474', 'active', '2026-11-15T19:28:21.118Z', 33, 1, 33, '{"seq":33,"title":"stream 3 words","titleSource":"derived","archived":false,"open":[],"turn":{"state":"idle","turnId":"c900be4e-04b9-48f6-a44b-b24cb83c2304","startedAt":"2026-11-15T19:28:21.171Z","stopReason":"end_turn"},"pending":[],"visits":[],"queue":[],"queuePaused":false,"config":{"options":[{"id":"mode","name":"Permissions","description":"When the guide asks before it changes something.","category":"mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask first","description":"Asks before each edit and each command."},{"value":"edits","name":"Allow edits","description":"Edits files without asking; asks before commands."},{"value":"all","name":"Allow everything","description":"Edits files and runs commands without asking."},{"value":"read","name":"Read only","description":"Refuses edits and commands."}]},{"id":"voice","name":"Voice","description":"How much the guide says.","category":"_voice","type":"select","currentValue":"brief","options":[{"value":"brief","name":"Brief","description":"Short answers."},{"value":"detailed","name":"Detailed","description":"Answers with examples and background."}]},{"id":"thoughts","name":"Think aloud","description":"Shows a thought before each answer.","type":"boolean","currentValue":false}],"commands":[{"name":"help","description":"Shows this page."},{"name":"list","description":"Lists the files of this directory (without .git and node_modules).","hint":"[directory]"},{"name":"read","description":"Reads a file of this directory.","hint":"<file>"},{"name":"search","description":"Looks for a text in the files of this directory.","hint":"<text>"},{"name":"edit","description":"Replaces a text in a file, after showing you the diff.","hint":"<file> \"<old>\" \"<new>\""},{"name":"run","description":"Runs a shell command here, after asking you.","hint":"<command>"},{"name":"plan","description":"Makes a plan of three steps and works through it."},{"name":"think","description":"Thinks aloud for a moment, then answers."},{"name":"ask","description":"Asks you something with a form, or asks you to visit a page.","hint":"url"},{"name":"image","description":"Paints a small picture."},{"name":"stream","description":"Streams numbered words, as fast as it can or at a steady rate.","hint":"<n> words at <m>/s"},{"name":"sleep","description":"Waits, for ever without a number; Cancel wakes me.","hint":"[seconds]"},{"name":"all","description":"Sends one of every kind of update, and asks one of every kind of request."},{"name":"fail","description":"Answers with an error, to see what that looks like."},{"name":"crash","description":"Ends this agent''s process in the middle of a turn."}],"usage":null,"abilities":{"image":true,"audio":false,"embeddedContext":true,"steering":true}}}', 10, 'a draft', 33, 0, NULL, 0, 0, '67a272f2-e72b-4b66-a8d8-78d5598868ed', 32, NULL);
INSERT INTO session (key, id, project_id, cli_type, title, created_at, last_active_at, archived, turn, unfinished, parent_id, agent_session_id, agent_session_at, cwd, agent_state, agent_state_at, last_seq, kept_from_seq, snapshot_seq, snapshot, next_position, draft, attention_seq, seen_seq, usage, adopted, armed_waits, process_id, heard, cancelling) VALUES (2, 'builtin:f5feaf8d-e109-4098-94c1-6b0b9dff66d3', 'e403671b-5d36-4cf6-b41c-03b76a9da513', 'builtin', 'stream 100000 words at 200/s', '2026-11-15T19:28:21.420Z', '2026-11-15T19:28:21.442Z', 0, '{"state":"running","turnId":"4d7e2a59-143c-4594-81d8-1dd141359abf","startedAt":"2026-11-15T19:28:21.424Z"}', 1, NULL, 'guide_054cf0a3-11a5-4693-9190-8285ca82011f', '2026-11-15T19:28:21.420Z', '/sample/projects/ab600afe-b68e-430e-a690-85ae68c9b474', 'active', '2026-11-15T19:28:21.420Z', 8, 1, 3, '{"seq":3,"title":"New Session","titleSource":"none","archived":false,"open":[],"turn":{"state":"idle"},"pending":[],"visits":[],"queue":[],"queuePaused":false,"config":{"options":[{"id":"mode","name":"Permissions","description":"When the guide asks before it changes something.","category":"mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask first","description":"Asks before each edit and each command."},{"value":"edits","name":"Allow edits","description":"Edits files without asking; asks before commands."},{"value":"all","name":"Allow everything","description":"Edits files and runs commands without asking."},{"value":"read","name":"Read only","description":"Refuses edits and commands."}]},{"id":"voice","name":"Voice","description":"How much the guide says.","category":"_voice","type":"select","currentValue":"brief","options":[{"value":"brief","name":"Brief","description":"Short answers."},{"value":"detailed","name":"Detailed","description":"Answers with examples and background."}]},{"id":"thoughts","name":"Think aloud","description":"Shows a thought before each answer.","type":"boolean","currentValue":false}],"commands":[{"name":"help","description":"Shows this page."},{"name":"list","description":"Lists the files of this directory (without .git and node_modules).","hint":"[directory]"},{"name":"read","description":"Reads a file of this directory.","hint":"<file>"},{"name":"search","description":"Looks for a text in the files of this directory.","hint":"<text>"},{"name":"edit","description":"Replaces a text in a file, after showing you the diff.","hint":"<file> \"<old>\" \"<new>\""},{"name":"run","description":"Runs a shell command here, after asking you.","hint":"<command>"},{"name":"plan","description":"Makes a plan of three steps and works through it."},{"name":"think","description":"Thinks aloud for a moment, then answers."},{"name":"ask","description":"Asks you something with a form, or asks you to visit a page.","hint":"url"},{"name":"image","description":"Paints a small picture."},{"name":"stream","description":"Streams numbered words, as fast as it can or at a steady rate.","hint":"<n> words at <m>/s"},{"name":"sleep","description":"Waits, for ever without a number; Cancel wakes me.","hint":"[seconds]"},{"name":"all","description":"Sends one of every kind of update, and asks one of every kind of request."},{"name":"fail","description":"Answers with an error, to see what that looks like."},{"name":"crash","description":"Ends this agent''s process in the middle of a turn."}],"usage":null,"abilities":{"image":true,"audio":false,"embeddedContext":true,"steering":true}}}', 1, '', 0, 0, NULL, 0, 0, '67a272f2-e72b-4b66-a8d8-78d5598868ed', 40, NULL);
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 1, 'session:config', '{"type":"session:config","config":{"options":[{"id":"mode","name":"Permissions","description":"When the guide asks before it changes something.","category":"mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask first","description":"Asks before each edit and each command."},{"value":"edits","name":"Allow edits","description":"Edits files without asking; asks before commands."},{"value":"all","name":"Allow everything","description":"Edits files and runs commands without asking."},{"value":"read","name":"Read only","description":"Refuses edits and commands."}]},{"id":"voice","name":"Voice","description":"How much the guide says.","category":"_voice","type":"select","currentValue":"brief","options":[{"value":"brief","name":"Brief","description":"Short answers."},{"value":"detailed","name":"Detailed","description":"Answers with examples and background."}]},{"id":"thoughts","name":"Think aloud","description":"Shows a thought before each answer.","type":"boolean","currentValue":false}],"commands":[],"usage":null},"sessionId":"builtin:fe264a56-a197-4673-bff2-8b98cf266db2","seq":1}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 2, 'session:config', '{"type":"session:config","config":{"options":[{"id":"mode","name":"Permissions","description":"When the guide asks before it changes something.","category":"mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask first","description":"Asks before each edit and each command."},{"value":"edits","name":"Allow edits","description":"Edits files without asking; asks before commands."},{"value":"all","name":"Allow everything","description":"Edits files and runs commands without asking."},{"value":"read","name":"Read only","description":"Refuses edits and commands."}]},{"id":"voice","name":"Voice","description":"How much the guide says.","category":"_voice","type":"select","currentValue":"brief","options":[{"value":"brief","name":"Brief","description":"Short answers."},{"value":"detailed","name":"Detailed","description":"Answers with examples and background."}]},{"id":"thoughts","name":"Think aloud","description":"Shows a thought before each answer.","type":"boolean","currentValue":false}],"commands":[],"usage":null,"abilities":{"image":true,"audio":false,"embeddedContext":true,"steering":true}},"sessionId":"builtin:fe264a56-a197-4673-bff2-8b98cf266db2","seq":2}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 3, 'session:title-updated', '{"type":"session:title-updated","title":"stream 3 words","source":"derived","sessionId":"builtin:fe264a56-a197-4673-bff2-8b98cf266db2","seq":3}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 4, 'session:update', '{"type":"session:update","entry":{"type":"user","entryId":"14fdf9eb-5f06-49cf-adf6-22d0bf6675a7","turnId":"9f2f063d-7a4b-425e-86e6-060068846b3b","content":"stream 3 words","timestamp":"2026-11-15T19:28:21.133Z","commandId":"7ee92f6a-e212-446c-9ed7-2646550e5a7d"},"sessionId":"builtin:fe264a56-a197-4673-bff2-8b98cf266db2","seq":4}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 5, 'session:turn', '{"type":"session:turn","turn":{"state":"running","turnId":"9f2f063d-7a4b-425e-86e6-060068846b3b","startedAt":"2026-11-15T19:28:21.133Z"},"sessionId":"builtin:fe264a56-a197-4673-bff2-8b98cf266db2","seq":5}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 6, 'session:config', '{"type":"session:config","config":{"options":[{"id":"mode","name":"Permissions","description":"When the guide asks before it changes something.","category":"mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask first","description":"Asks before each edit and each command."},{"value":"edits","name":"Allow edits","description":"Edits files without asking; asks before commands."},{"value":"all","name":"Allow everything","description":"Edits files and runs commands without asking."},{"value":"read","name":"Read only","description":"Refuses edits and commands."}]},{"id":"voice","name":"Voice","description":"How much the guide says.","category":"_voice","type":"select","currentValue":"brief","options":[{"value":"brief","name":"Brief","description":"Short answers."},{"value":"detailed","name":"Detailed","description":"Answers with examples and background."}]},{"id":"thoughts","name":"Think aloud","description":"Shows a thought before each answer.","type":"boolean","currentValue":false}],"commands":[{"name":"help","description":"Shows this page."},{"name":"list","description":"Lists the files of this directory (without .git and node_modules).","hint":"[directory]"},{"name":"read","description":"Reads a file of this directory.","hint":"<file>"},{"name":"search","description":"Looks for a text in the files of this directory.","hint":"<text>"},{"name":"edit","description":"Replaces a text in a file, after showing you the diff.","hint":"<file> \"<old>\" \"<new>\""},{"name":"run","description":"Runs a shell command here, after asking you.","hint":"<command>"},{"name":"plan","description":"Makes a plan of three steps and works through it."},{"name":"think","description":"Thinks aloud for a moment, then answers."},{"name":"ask","description":"Asks you something with a form, or asks you to visit a page.","hint":"url"},{"name":"image","description":"Paints a small picture."},{"name":"stream","description":"Streams numbered words, as fast as it can or at a steady rate.","hint":"<n> words at <m>/s"},{"name":"sleep","description":"Waits, for ever without a number; Cancel wakes me.","hint":"[seconds]"},{"name":"all","description":"Sends one of every kind of update, and asks one of every kind of request."},{"name":"fail","description":"Answers with an error, to see what that looks like."},{"name":"crash","description":"Ends this agent''s process in the middle of a turn."}],"usage":null,"abilities":{"image":true,"audio":false,"embeddedContext":true,"steering":true}},"sessionId":"builtin:fe264a56-a197-4673-bff2-8b98cf266db2","seq":6}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 7, 'session:update', '{"type":"session:update","entry":{"entryId":"7192911e-db0d-48d4-806a-8721a222409d","turnId":"9f2f063d-7a4b-425e-86e6-060068846b3b","content":"w1 w2 w3","timestamp":"2026-11-15T19:28:21.142Z","messageId":"msg_78f138f5-8ab1-47ab-957c-df2f2022cd3f","type":"assistant"},"sessionId":"builtin:fe264a56-a197-4673-bff2-8b98cf266db2","seq":7}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 8, 'session:complete', '{"type":"session:complete","entryId":"7192911e-db0d-48d4-806a-8721a222409d","sessionId":"builtin:fe264a56-a197-4673-bff2-8b98cf266db2","seq":8}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 9, 'session:turn', '{"type":"session:turn","turn":{"state":"idle","turnId":"9f2f063d-7a4b-425e-86e6-060068846b3b","startedAt":"2026-11-15T19:28:21.133Z","stopReason":"end_turn"},"sessionId":"builtin:fe264a56-a197-4673-bff2-8b98cf266db2","seq":9}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 10, 'session:update', '{"type":"session:update","entry":{"type":"user","entryId":"2b8e4722-a986-4889-a1bf-7bcbbcc14bf5","turnId":"1dad01d4-e55f-4680-8711-93af2499472a","content":"run echo hi","timestamp":"2026-11-15T19:28:21.146Z","commandId":"18f03604-02ef-4700-8ee7-6a4502d9e5c2"},"sessionId":"builtin:fe264a56-a197-4673-bff2-8b98cf266db2","seq":10}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 11, 'session:turn', '{"type":"session:turn","turn":{"state":"running","turnId":"1dad01d4-e55f-4680-8711-93af2499472a","startedAt":"2026-11-15T19:28:21.146Z"},"sessionId":"builtin:fe264a56-a197-4673-bff2-8b98cf266db2","seq":11}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 12, 'session:update', '{"type":"session:update","entry":{"type":"tool-call","entryId":"6af1e40a-3cb1-4f88-bfe6-7102cf0d94fc","turnId":"1dad01d4-e55f-4680-8711-93af2499472a","toolCallId":"call_540bbbed-cd66-41ce-a985-89f07a4f5195","name":"echo hi","status":"running","content":"","startedAt":"2026-11-15T19:28:21.149Z","kind":"execute","input":{"command":"echo hi","cwd":"/sample/projects/ab600afe-b68e-430e-a690-85ae68c9b474"}},"sessionId":"builtin:fe264a56-a197-4673-bff2-8b98cf266db2","seq":12}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 13, 'permission:request', '{"type":"permission:request","permissionId":"67a272f2-e72b-4b66-a8d8-78d5598868ed-11","toolCall":{"toolCallId":"call_540bbbed-cd66-41ce-a985-89f07a4f5195","name":"echo hi","kind":"execute","input":{"command":"echo hi","cwd":"/sample/projects/ab600afe-b68e-430e-a690-85ae68c9b474"}},"options":[{"optionId":"allow-once","name":"Allow once","kind":"allow_once"},{"optionId":"allow-always","name":"Always allow commands in this session","kind":"allow_always"},{"optionId":"reject-once","name":"Reject","kind":"reject_once"}],"askedAt":"2026-11-15T19:28:21.152Z","offers":[{"effect":"allow","command":"echo"}],"sessionId":"builtin:fe264a56-a197-4673-bff2-8b98cf266db2","seq":13}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 14, 'session:turn', '{"type":"session:turn","turn":{"state":"waiting","turnId":"1dad01d4-e55f-4680-8711-93af2499472a","startedAt":"2026-11-15T19:28:21.146Z"},"sessionId":"builtin:fe264a56-a197-4673-bff2-8b98cf266db2","seq":14}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 15, 'permission:resolved', '{"type":"permission:resolved","permissionId":"67a272f2-e72b-4b66-a8d8-78d5598868ed-11","outcome":{"outcome":"selected","optionId":"allow-once"},"sessionId":"builtin:fe264a56-a197-4673-bff2-8b98cf266db2","seq":15}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 16, 'session:turn', '{"type":"session:turn","turn":{"state":"running","turnId":"1dad01d4-e55f-4680-8711-93af2499472a","startedAt":"2026-11-15T19:28:21.146Z"},"sessionId":"builtin:fe264a56-a197-4673-bff2-8b98cf266db2","seq":16}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 17, 'session:update', '{"type":"session:update","entry":{"type":"tool-call","entryId":"6af1e40a-3cb1-4f88-bfe6-7102cf0d94fc","turnId":"1dad01d4-e55f-4680-8711-93af2499472a","toolCallId":"call_540bbbed-cd66-41ce-a985-89f07a4f5195","name":"echo hi","status":"running","content":"","startedAt":"2026-11-15T19:28:21.149Z","kind":"execute","input":{"command":"echo hi","cwd":"/sample/projects/ab600afe-b68e-430e-a690-85ae68c9b474"},"parts":[{"type":"terminal","terminalId":"c82c01eb-2051-4fba-8471-575806b5ce87"}]},"sessionId":"builtin:fe264a56-a197-4673-bff2-8b98cf266db2","seq":17}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 18, 'session:chunk', '{"type":"session:chunk","entryId":"6af1e40a-3cb1-4f88-bfe6-7102cf0d94fc","content":"hi\n","field":"result","sessionId":"builtin:fe264a56-a197-4673-bff2-8b98cf266db2","seq":18}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 19, 'session:update', '{"type":"session:update","entry":{"type":"tool-call","entryId":"6af1e40a-3cb1-4f88-bfe6-7102cf0d94fc","turnId":"1dad01d4-e55f-4680-8711-93af2499472a","toolCallId":"call_540bbbed-cd66-41ce-a985-89f07a4f5195","name":"echo hi","status":"complete","content":"","startedAt":"2026-11-15T19:28:21.149Z","kind":"execute","input":{"command":"echo hi","cwd":"/sample/projects/ab600afe-b68e-430e-a690-85ae68c9b474"},"parts":[{"type":"terminal","terminalId":"c82c01eb-2051-4fba-8471-575806b5ce87"}],"output":{"truncated":false,"exitCode":0},"result":"hi\n","endedAt":"2026-11-15T19:28:21.168Z"},"sessionId":"builtin:fe264a56-a197-4673-bff2-8b98cf266db2","seq":19}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 20, 'session:update', '{"type":"session:update","entry":{"entryId":"d1e1443f-d460-48fa-91e0-146654906b6c","turnId":"1dad01d4-e55f-4680-8711-93af2499472a","content":"The command succeeded.","timestamp":"2026-11-15T19:28:21.169Z","messageId":"msg_2cec09af-6ea4-4a4b-9815-0d480e01a498","type":"assistant"},"sessionId":"builtin:fe264a56-a197-4673-bff2-8b98cf266db2","seq":20}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 21, 'session:complete', '{"type":"session:complete","entryId":"d1e1443f-d460-48fa-91e0-146654906b6c","sessionId":"builtin:fe264a56-a197-4673-bff2-8b98cf266db2","seq":21}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 22, 'session:turn', '{"type":"session:turn","turn":{"state":"idle","turnId":"1dad01d4-e55f-4680-8711-93af2499472a","startedAt":"2026-11-15T19:28:21.146Z","stopReason":"end_turn"},"sessionId":"builtin:fe264a56-a197-4673-bff2-8b98cf266db2","seq":22}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 23, 'session:update', '{"type":"session:update","entry":{"type":"user","entryId":"e7d3acb0-3d34-4ed9-a248-49066d32402c","turnId":"c900be4e-04b9-48f6-a44b-b24cb83c2304","content":"plan","timestamp":"2026-11-15T19:28:21.171Z","commandId":"8ef06871-61db-4eea-a500-4a5ec6b59b1b"},"sessionId":"builtin:fe264a56-a197-4673-bff2-8b98cf266db2","seq":23}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 24, 'session:turn', '{"type":"session:turn","turn":{"state":"running","turnId":"c900be4e-04b9-48f6-a44b-b24cb83c2304","startedAt":"2026-11-15T19:28:21.171Z"},"sessionId":"builtin:fe264a56-a197-4673-bff2-8b98cf266db2","seq":24}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 25, 'session:update', '{"type":"session:update","entry":{"entryId":"13f2ce05-8450-4bd4-a333-f8ba9d5a3887","turnId":"c900be4e-04b9-48f6-a44b-b24cb83c2304","content":"Here is my plan.","timestamp":"2026-11-15T19:28:21.173Z","messageId":"msg_e654b95f-37bb-4313-96aa-425c96760cf7","type":"assistant"},"sessionId":"builtin:fe264a56-a197-4673-bff2-8b98cf266db2","seq":25}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 26, 'session:complete', '{"type":"session:complete","entryId":"13f2ce05-8450-4bd4-a333-f8ba9d5a3887","sessionId":"builtin:fe264a56-a197-4673-bff2-8b98cf266db2","seq":26}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 27, 'session:update', '{"type":"session:update","entry":{"type":"plan","entryId":"2c48b5dc-8911-4c23-ad01-6bfdcbe1210a","turnId":"c900be4e-04b9-48f6-a44b-b24cb83c2304","content":"- [ ] Write the steps down\n- [ ] Work through them one by one\n- [ ] Look back at what was done","items":[{"content":"Write the steps down","priority":"high","status":"in_progress"},{"content":"Work through them one by one","priority":"medium","status":"pending"},{"content":"Look back at what was done","priority":"low","status":"pending"}]},"sessionId":"builtin:fe264a56-a197-4673-bff2-8b98cf266db2","seq":27}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 28, 'session:update', '{"type":"session:update","entry":{"type":"plan","entryId":"2c48b5dc-8911-4c23-ad01-6bfdcbe1210a","turnId":"c900be4e-04b9-48f6-a44b-b24cb83c2304","content":"- [x] Write the steps down\n- [ ] Work through them one by one\n- [ ] Look back at what was done","items":[{"content":"Write the steps down","priority":"high","status":"completed"},{"content":"Work through them one by one","priority":"medium","status":"in_progress"},{"content":"Look back at what was done","priority":"low","status":"pending"}]},"sessionId":"builtin:fe264a56-a197-4673-bff2-8b98cf266db2","seq":28}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 29, 'session:update', '{"type":"session:update","entry":{"type":"plan","entryId":"2c48b5dc-8911-4c23-ad01-6bfdcbe1210a","turnId":"c900be4e-04b9-48f6-a44b-b24cb83c2304","content":"- [x] Write the steps down\n- [x] Work through them one by one\n- [ ] Look back at what was done","items":[{"content":"Write the steps down","priority":"high","status":"completed"},{"content":"Work through them one by one","priority":"medium","status":"completed"},{"content":"Look back at what was done","priority":"low","status":"in_progress"}]},"sessionId":"builtin:fe264a56-a197-4673-bff2-8b98cf266db2","seq":29}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 30, 'session:update', '{"type":"session:update","entry":{"type":"plan","entryId":"2c48b5dc-8911-4c23-ad01-6bfdcbe1210a","turnId":"c900be4e-04b9-48f6-a44b-b24cb83c2304","content":"- [x] Write the steps down\n- [x] Work through them one by one\n- [x] Look back at what was done","items":[{"content":"Write the steps down","priority":"high","status":"completed"},{"content":"Work through them one by one","priority":"medium","status":"completed"},{"content":"Look back at what was done","priority":"low","status":"completed"}]},"sessionId":"builtin:fe264a56-a197-4673-bff2-8b98cf266db2","seq":30}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 31, 'session:update', '{"type":"session:update","entry":{"entryId":"fb956be9-179c-43a7-9fc7-7833d9cbf8da","turnId":"c900be4e-04b9-48f6-a44b-b24cb83c2304","content":"Done.","timestamp":"2026-11-15T19:28:21.414Z","messageId":"msg_4b3ace4b-f2b5-40a6-8905-183c3654dfb2","type":"assistant"},"sessionId":"builtin:fe264a56-a197-4673-bff2-8b98cf266db2","seq":31}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 32, 'session:complete', '{"type":"session:complete","entryId":"fb956be9-179c-43a7-9fc7-7833d9cbf8da","sessionId":"builtin:fe264a56-a197-4673-bff2-8b98cf266db2","seq":32}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 33, 'session:turn', '{"type":"session:turn","turn":{"state":"idle","turnId":"c900be4e-04b9-48f6-a44b-b24cb83c2304","startedAt":"2026-11-15T19:28:21.171Z","stopReason":"end_turn"},"sessionId":"builtin:fe264a56-a197-4673-bff2-8b98cf266db2","seq":33}');
INSERT INTO fact (session_key, seq, type, json) VALUES (2, 1, 'session:config', '{"type":"session:config","config":{"options":[],"commands":[{"name":"help","description":"Shows this page."},{"name":"list","description":"Lists the files of this directory (without .git and node_modules).","hint":"[directory]"},{"name":"read","description":"Reads a file of this directory.","hint":"<file>"},{"name":"search","description":"Looks for a text in the files of this directory.","hint":"<text>"},{"name":"edit","description":"Replaces a text in a file, after showing you the diff.","hint":"<file> \"<old>\" \"<new>\""},{"name":"run","description":"Runs a shell command here, after asking you.","hint":"<command>"},{"name":"plan","description":"Makes a plan of three steps and works through it."},{"name":"think","description":"Thinks aloud for a moment, then answers."},{"name":"ask","description":"Asks you something with a form, or asks you to visit a page.","hint":"url"},{"name":"image","description":"Paints a small picture."},{"name":"stream","description":"Streams numbered words, as fast as it can or at a steady rate.","hint":"<n> words at <m>/s"},{"name":"sleep","description":"Waits, for ever without a number; Cancel wakes me.","hint":"[seconds]"},{"name":"all","description":"Sends one of every kind of update, and asks one of every kind of request."},{"name":"fail","description":"Answers with an error, to see what that looks like."},{"name":"crash","description":"Ends this agent''s process in the middle of a turn."}],"usage":null},"sessionId":"builtin:f5feaf8d-e109-4098-94c1-6b0b9dff66d3","seq":1}');
INSERT INTO fact (session_key, seq, type, json) VALUES (2, 2, 'session:config', '{"type":"session:config","config":{"options":[{"id":"mode","name":"Permissions","description":"When the guide asks before it changes something.","category":"mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask first","description":"Asks before each edit and each command."},{"value":"edits","name":"Allow edits","description":"Edits files without asking; asks before commands."},{"value":"all","name":"Allow everything","description":"Edits files and runs commands without asking."},{"value":"read","name":"Read only","description":"Refuses edits and commands."}]},{"id":"voice","name":"Voice","description":"How much the guide says.","category":"_voice","type":"select","currentValue":"brief","options":[{"value":"brief","name":"Brief","description":"Short answers."},{"value":"detailed","name":"Detailed","description":"Answers with examples and background."}]},{"id":"thoughts","name":"Think aloud","description":"Shows a thought before each answer.","type":"boolean","currentValue":false}],"commands":[{"name":"help","description":"Shows this page."},{"name":"list","description":"Lists the files of this directory (without .git and node_modules).","hint":"[directory]"},{"name":"read","description":"Reads a file of this directory.","hint":"<file>"},{"name":"search","description":"Looks for a text in the files of this directory.","hint":"<text>"},{"name":"edit","description":"Replaces a text in a file, after showing you the diff.","hint":"<file> \"<old>\" \"<new>\""},{"name":"run","description":"Runs a shell command here, after asking you.","hint":"<command>"},{"name":"plan","description":"Makes a plan of three steps and works through it."},{"name":"think","description":"Thinks aloud for a moment, then answers."},{"name":"ask","description":"Asks you something with a form, or asks you to visit a page.","hint":"url"},{"name":"image","description":"Paints a small picture."},{"name":"stream","description":"Streams numbered words, as fast as it can or at a steady rate.","hint":"<n> words at <m>/s"},{"name":"sleep","description":"Waits, for ever without a number; Cancel wakes me.","hint":"[seconds]"},{"name":"all","description":"Sends one of every kind of update, and asks one of every kind of request."},{"name":"fail","description":"Answers with an error, to see what that looks like."},{"name":"crash","description":"Ends this agent''s process in the middle of a turn."}],"usage":null},"sessionId":"builtin:f5feaf8d-e109-4098-94c1-6b0b9dff66d3","seq":2}');
INSERT INTO fact (session_key, seq, type, json) VALUES (2, 3, 'session:config', '{"type":"session:config","config":{"options":[{"id":"mode","name":"Permissions","description":"When the guide asks before it changes something.","category":"mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask first","description":"Asks before each edit and each command."},{"value":"edits","name":"Allow edits","description":"Edits files without asking; asks before commands."},{"value":"all","name":"Allow everything","description":"Edits files and runs commands without asking."},{"value":"read","name":"Read only","description":"Refuses edits and commands."}]},{"id":"voice","name":"Voice","description":"How much the guide says.","category":"_voice","type":"select","currentValue":"brief","options":[{"value":"brief","name":"Brief","description":"Short answers."},{"value":"detailed","name":"Detailed","description":"Answers with examples and background."}]},{"id":"thoughts","name":"Think aloud","description":"Shows a thought before each answer.","type":"boolean","currentValue":false}],"commands":[{"name":"help","description":"Shows this page."},{"name":"list","description":"Lists the files of this directory (without .git and node_modules).","hint":"[directory]"},{"name":"read","description":"Reads a file of this directory.","hint":"<file>"},{"name":"search","description":"Looks for a text in the files of this directory.","hint":"<text>"},{"name":"edit","description":"Replaces a text in a file, after showing you the diff.","hint":"<file> \"<old>\" \"<new>\""},{"name":"run","description":"Runs a shell command here, after asking you.","hint":"<command>"},{"name":"plan","description":"Makes a plan of three steps and works through it."},{"name":"think","description":"Thinks aloud for a moment, then answers."},{"name":"ask","description":"Asks you something with a form, or asks you to visit a page.","hint":"url"},{"name":"image","description":"Paints a small picture."},{"name":"stream","description":"Streams numbered words, as fast as it can or at a steady rate.","hint":"<n> words at <m>/s"},{"name":"sleep","description":"Waits, for ever without a number; Cancel wakes me.","hint":"[seconds]"},{"name":"all","description":"Sends one of every kind of update, and asks one of every kind of request."},{"name":"fail","description":"Answers with an error, to see what that looks like."},{"name":"crash","description":"Ends this agent''s process in the middle of a turn."}],"usage":null,"abilities":{"image":true,"audio":false,"embeddedContext":true,"steering":true}},"sessionId":"builtin:f5feaf8d-e109-4098-94c1-6b0b9dff66d3","seq":3}');
INSERT INTO fact (session_key, seq, type, json) VALUES (2, 4, 'session:title-updated', '{"type":"session:title-updated","title":"stream 100000 words at 200/s","source":"derived","sessionId":"builtin:f5feaf8d-e109-4098-94c1-6b0b9dff66d3","seq":4}');
INSERT INTO fact (session_key, seq, type, json) VALUES (2, 5, 'session:update', '{"type":"session:update","entry":{"type":"user","entryId":"d1a0e0e9-5d1d-4ab1-aaea-832f2856a52a","turnId":"4d7e2a59-143c-4594-81d8-1dd141359abf","content":"stream 100000 words at 200/s","timestamp":"2026-11-15T19:28:21.424Z","commandId":"310014be-235c-4a3c-872e-0c434515396d"},"sessionId":"builtin:f5feaf8d-e109-4098-94c1-6b0b9dff66d3","seq":5}');
INSERT INTO fact (session_key, seq, type, json) VALUES (2, 6, 'session:turn', '{"type":"session:turn","turn":{"state":"running","turnId":"4d7e2a59-143c-4594-81d8-1dd141359abf","startedAt":"2026-11-15T19:28:21.424Z"},"sessionId":"builtin:f5feaf8d-e109-4098-94c1-6b0b9dff66d3","seq":6}');
INSERT INTO fact (session_key, seq, type, json) VALUES (2, 7, 'session:update', '{"type":"session:update","entry":{"entryId":"c32d682a-2aa1-4699-a1c3-a994e6e4f335","turnId":"4d7e2a59-143c-4594-81d8-1dd141359abf","content":"w1 ","timestamp":"2026-11-15T19:28:21.427Z","messageId":"msg_5df88895-6c22-4866-93c9-a146820f48e3","type":"assistant"},"sessionId":"builtin:f5feaf8d-e109-4098-94c1-6b0b9dff66d3","seq":7}');
INSERT INTO fact (session_key, seq, type, json) VALUES (2, 8, 'session:chunk', '{"type":"session:chunk","entryId":"c32d682a-2aa1-4699-a1c3-a994e6e4f335","content":"w2 w3 w4 ","sessionId":"builtin:f5feaf8d-e109-4098-94c1-6b0b9dff66d3","seq":8}');
INSERT INTO entry (session_key, position, entry_id, agent_id, json) VALUES (1, 1, '14fdf9eb-5f06-49cf-adf6-22d0bf6675a7', NULL, '{"type":"user","entryId":"14fdf9eb-5f06-49cf-adf6-22d0bf6675a7","turnId":"9f2f063d-7a4b-425e-86e6-060068846b3b","content":"stream 3 words","timestamp":"2026-11-15T19:28:21.133Z","commandId":"7ee92f6a-e212-446c-9ed7-2646550e5a7d"}');
INSERT INTO entry (session_key, position, entry_id, agent_id, json) VALUES (1, 2, '7192911e-db0d-48d4-806a-8721a222409d', 'msg_78f138f5-8ab1-47ab-957c-df2f2022cd3f', '{"entryId":"7192911e-db0d-48d4-806a-8721a222409d","turnId":"9f2f063d-7a4b-425e-86e6-060068846b3b","content":"w1 w2 w3","timestamp":"2026-11-15T19:28:21.142Z","messageId":"msg_78f138f5-8ab1-47ab-957c-df2f2022cd3f","type":"assistant"}');
INSERT INTO entry (session_key, position, entry_id, agent_id, json) VALUES (1, 3, '2b8e4722-a986-4889-a1bf-7bcbbcc14bf5', NULL, '{"type":"user","entryId":"2b8e4722-a986-4889-a1bf-7bcbbcc14bf5","turnId":"1dad01d4-e55f-4680-8711-93af2499472a","content":"run echo hi","timestamp":"2026-11-15T19:28:21.146Z","commandId":"18f03604-02ef-4700-8ee7-6a4502d9e5c2"}');
INSERT INTO entry (session_key, position, entry_id, agent_id, json) VALUES (1, 4, '6af1e40a-3cb1-4f88-bfe6-7102cf0d94fc', 'call_540bbbed-cd66-41ce-a985-89f07a4f5195', '{"type":"tool-call","entryId":"6af1e40a-3cb1-4f88-bfe6-7102cf0d94fc","turnId":"1dad01d4-e55f-4680-8711-93af2499472a","toolCallId":"call_540bbbed-cd66-41ce-a985-89f07a4f5195","name":"echo hi","status":"complete","content":"","startedAt":"2026-11-15T19:28:21.149Z","kind":"execute","input":{"command":"echo hi","cwd":"/sample/projects/ab600afe-b68e-430e-a690-85ae68c9b474"},"parts":[{"type":"terminal","terminalId":"c82c01eb-2051-4fba-8471-575806b5ce87"}],"output":{"truncated":false,"exitCode":0},"result":"hi\n","endedAt":"2026-11-15T19:28:21.168Z"}');
INSERT INTO entry (session_key, position, entry_id, agent_id, json) VALUES (1, 5, 'd1e1443f-d460-48fa-91e0-146654906b6c', 'msg_2cec09af-6ea4-4a4b-9815-0d480e01a498', '{"entryId":"d1e1443f-d460-48fa-91e0-146654906b6c","turnId":"1dad01d4-e55f-4680-8711-93af2499472a","content":"The command succeeded.","timestamp":"2026-11-15T19:28:21.169Z","messageId":"msg_2cec09af-6ea4-4a4b-9815-0d480e01a498","type":"assistant"}');
INSERT INTO entry (session_key, position, entry_id, agent_id, json) VALUES (1, 6, 'e7d3acb0-3d34-4ed9-a248-49066d32402c', NULL, '{"type":"user","entryId":"e7d3acb0-3d34-4ed9-a248-49066d32402c","turnId":"c900be4e-04b9-48f6-a44b-b24cb83c2304","content":"plan","timestamp":"2026-11-15T19:28:21.171Z","commandId":"8ef06871-61db-4eea-a500-4a5ec6b59b1b"}');
INSERT INTO entry (session_key, position, entry_id, agent_id, json) VALUES (1, 7, '13f2ce05-8450-4bd4-a333-f8ba9d5a3887', 'msg_e654b95f-37bb-4313-96aa-425c96760cf7', '{"entryId":"13f2ce05-8450-4bd4-a333-f8ba9d5a3887","turnId":"c900be4e-04b9-48f6-a44b-b24cb83c2304","content":"Here is my plan.","timestamp":"2026-11-15T19:28:21.173Z","messageId":"msg_e654b95f-37bb-4313-96aa-425c96760cf7","type":"assistant"}');
INSERT INTO entry (session_key, position, entry_id, agent_id, json) VALUES (1, 8, '2c48b5dc-8911-4c23-ad01-6bfdcbe1210a', NULL, '{"type":"plan","entryId":"2c48b5dc-8911-4c23-ad01-6bfdcbe1210a","turnId":"c900be4e-04b9-48f6-a44b-b24cb83c2304","content":"- [x] Write the steps down\n- [x] Work through them one by one\n- [x] Look back at what was done","items":[{"content":"Write the steps down","priority":"high","status":"completed"},{"content":"Work through them one by one","priority":"medium","status":"completed"},{"content":"Look back at what was done","priority":"low","status":"completed"}]}');
INSERT INTO entry (session_key, position, entry_id, agent_id, json) VALUES (1, 9, 'fb956be9-179c-43a7-9fc7-7833d9cbf8da', 'msg_4b3ace4b-f2b5-40a6-8905-183c3654dfb2', '{"entryId":"fb956be9-179c-43a7-9fc7-7833d9cbf8da","turnId":"c900be4e-04b9-48f6-a44b-b24cb83c2304","content":"Done.","timestamp":"2026-11-15T19:28:21.414Z","messageId":"msg_4b3ace4b-f2b5-40a6-8905-183c3654dfb2","type":"assistant"}');
INSERT INTO permission_record (key, session_key, permission_id, asked_at, tool_call, options, answered, answered_by, answered_at, why) VALUES (1, 1, '67a272f2-e72b-4b66-a8d8-78d5598868ed-11', '2026-11-15T19:28:21.152Z', '{"toolCallId":"call_540bbbed-cd66-41ce-a985-89f07a4f5195","name":"echo hi","kind":"execute","input":{"command":"echo hi","cwd":"/sample/projects/ab600afe-b68e-430e-a690-85ae68c9b474"}}', '[{"optionId":"allow-once","name":"Allow once","kind":"allow_once"},{"optionId":"allow-always","name":"Always allow commands in this session","kind":"allow_always"},{"optionId":"reject-once","name":"Reject","kind":"reject_once"}]', 'allowed', 'user', NULL, NULL);
INSERT INTO search_text (key, session_key, entry_id, kind, at) VALUES (1000000000001, 1, '', 'title', NULL);
INSERT INTO search_text (key, session_key, entry_id, kind, at) VALUES (1000000000002, 1, '14fdf9eb-5f06-49cf-adf6-22d0bf6675a7', 'user', '2026-11-15T19:28:21.133Z');
INSERT INTO search_text (key, session_key, entry_id, kind, at) VALUES (1000000000003, 1, '7192911e-db0d-48d4-806a-8721a222409d', 'assistant', '2026-11-15T19:28:21.142Z');
INSERT INTO search_text (key, session_key, entry_id, kind, at) VALUES (1000000000004, 1, '2b8e4722-a986-4889-a1bf-7bcbbcc14bf5', 'user', '2026-11-15T19:28:21.146Z');
INSERT INTO search_text (key, session_key, entry_id, kind, at) VALUES (1000000000005, 1, '6af1e40a-3cb1-4f88-bfe6-7102cf0d94fc', 'tool-call', '2026-11-15T19:28:21.149Z');
INSERT INTO search_text (key, session_key, entry_id, kind, at) VALUES (1000000000006, 1, 'd1e1443f-d460-48fa-91e0-146654906b6c', 'assistant', '2026-11-15T19:28:21.169Z');
INSERT INTO search_text (key, session_key, entry_id, kind, at) VALUES (1000000000007, 1, 'e7d3acb0-3d34-4ed9-a248-49066d32402c', 'user', '2026-11-15T19:28:21.171Z');
INSERT INTO search_text (key, session_key, entry_id, kind, at) VALUES (1000000000008, 1, '13f2ce05-8450-4bd4-a333-f8ba9d5a3887', 'assistant', '2026-11-15T19:28:21.173Z');
INSERT INTO search_text (key, session_key, entry_id, kind, at) VALUES (1000000000009, 1, '2c48b5dc-8911-4c23-ad01-6bfdcbe1210a', 'plan', '2026-11-15T19:28:21.414Z');
INSERT INTO search_text (key, session_key, entry_id, kind, at) VALUES (1000000000010, 1, 'fb956be9-179c-43a7-9fc7-7833d9cbf8da', 'assistant', '2026-11-15T19:28:21.414Z');
INSERT INTO search_text (key, session_key, entry_id, kind, at) VALUES (1000000000011, 2, '', 'title', NULL);
INSERT INTO search_index (rowid, text) VALUES (1000000000001, 'stream 3 words');
INSERT INTO search_index (rowid, text) VALUES (1000000000002, 'stream 3 words');
INSERT INTO search_index (rowid, text) VALUES (1000000000003, 'w1 w2 w3');
INSERT INTO search_index (rowid, text) VALUES (1000000000004, 'run echo hi');
INSERT INTO search_index (rowid, text) VALUES (1000000000005, 'echo hi
/sample/projects/ab600afe-b68e-430e-a690-85ae68c9b474
hi
');
INSERT INTO search_index (rowid, text) VALUES (1000000000006, 'The command succeeded.');
INSERT INTO search_index (rowid, text) VALUES (1000000000007, 'plan');
INSERT INTO search_index (rowid, text) VALUES (1000000000008, 'Here is my plan.');
INSERT INTO search_index (rowid, text) VALUES (1000000000009, '- [x] Write the steps down
- [x] Work through them one by one
- [x] Look back at what was done
Write the steps down
Work through them one by one
Look back at what was done');
INSERT INTO search_index (rowid, text) VALUES (1000000000010, 'Done.');
INSERT INTO search_index (rowid, text) VALUES (1000000000011, 'stream 100000 words at 200/s');
INSERT INTO agent_session (cli_type, agent_session_id, session_key) VALUES ('builtin', 'guide_054cf0a3-11a5-4693-9190-8285ca82011f', 2);
INSERT INTO agent_session (cli_type, agent_session_id, session_key) VALUES ('builtin', 'guide_9f56d84a-d894-4d36-967e-2368b52ee115', 1);
CREATE TRIGGER agent_session_of_new AFTER INSERT ON session WHEN NEW.agent_session_id <> '' BEGIN
  INSERT OR IGNORE INTO agent_session VALUES (NEW.cli_type, NEW.agent_session_id, NEW.key);
END;
CREATE TRIGGER agent_session_of_bound AFTER UPDATE OF agent_session_id ON session WHEN NEW.agent_session_id <> '' BEGIN
  INSERT OR IGNORE INTO agent_session VALUES (NEW.cli_type, NEW.agent_session_id, NEW.key);
END;
PRAGMA user_version = 11;
