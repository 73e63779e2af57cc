-- migration sha256 d9c1b2c55558ebfd
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
, attention_seq INTEGER NOT NULL DEFAULT 0, seen_seq INTEGER NOT NULL DEFAULT 0, usage TEXT, adopted INTEGER NOT NULL DEFAULT 0, armed_waits INTEGER NOT NULL DEFAULT 0, process_id TEXT, heard INTEGER NOT NULL DEFAULT 0, cancelling TEXT, agent_seen_at TEXT) STRICT;
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
INSERT INTO project (id, path, name, added_at, position, removed) VALUES ('14693ca7-403a-4703-988a-4483db772aeb', '/sample/projects/06ae7219-7c33-427e-965f-0e26e88cacd1', '06ae7219-7c33-427e-965f-0e26e88cacd1', '2026-11-16T01:40:03.721Z', 1, 0);
INSERT INTO session (key, id, project_id, cli_type, title, created_at, last_active_at, archived, turn, unfinished, parent_id, agent_session_id, agent_session_at, cwd, agent_state, agent_state_at, last_seq, kept_from_seq, snapshot_seq, snapshot, next_position, draft, attention_seq, seen_seq, usage, adopted, armed_waits, process_id, heard, cancelling, agent_seen_at) VALUES (1, 'builtin:0ddf3b23-92d7-4e85-9b38-e8a1fc937acb', '14693ca7-403a-4703-988a-4483db772aeb', 'builtin', 'stream 3 words', '2026-11-16T01:40:03.967Z', '2026-11-16T01:40:04.339Z', 0, '{"state":"idle","turnId":"79dd47aa-c6bc-4ee8-bf85-f3d1b51157cf","startedAt":"2026-11-16T01:40:04.089Z","stopReason":"end_turn"}', 0, NULL, 'guide_9e981ffe-85f6-481a-8d6b-4e164d340e26', '2026-11-16T01:40:03.967Z', '/sample/projects/06ae7219-7c33-427e-965f-0e26e88cacd1', 'idle', '2026-11-16T01:40:04.339Z', 33, 1, 33, '{"seq":33,"title":"stream 3 words","titleSource":"derived","archived":false,"open":[],"turn":{"state":"idle","turnId":"79dd47aa-c6bc-4ee8-bf85-f3d1b51157cf","startedAt":"2026-11-16T01:40:04.089Z","stopReason":"end_turn"},"pending":[],"visits":[],"queue":[],"queuePaused":false,"config":{"options":[{"id":"mode","name":"Permissions","description":"When the guide asks before it changes something.","category":"mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask first","description":"Asks before each edit and each command."},{"value":"edits","name":"Allow edits","description":"Edits files without asking; asks before commands."},{"value":"all","name":"Allow everything","description":"Edits files and runs commands without asking."},{"value":"read","name":"Read only","description":"Refuses edits and commands."}]},{"id":"voice","name":"Voice","description":"How much the guide says.","category":"_voice","type":"select","currentValue":"brief","options":[{"value":"brief","name":"Brief","description":"Short answers."},{"value":"detailed","name":"Detailed","description":"Answers with examples and background."}]},{"id":"thoughts","name":"Think aloud","description":"Shows a thought before each answer.","type":"boolean","currentValue":false}],"commands":[{"name":"help","description":"Shows this page."},{"name":"list","description":"Lists the files of this directory (without .git and node_modules).","hint":"[directory]"},{"name":"read","description":"Reads a file of this directory.","hint":"<file>"},{"name":"search","description":"Looks for a text in the files of this directory.","hint":"<text>"},{"name":"edit","description":"Replaces a text in a file, after showing you the diff.","hint":"<file> \"<old>\" \"<new>\""},{"name":"run","description":"Runs a shell command here, after asking you.","hint":"<command>"},{"name":"plan","description":"Makes a plan of three steps and works through it."},{"name":"think","description":"Thinks aloud for a moment, then answers."},{"name":"ask","description":"Asks you something with a form, or asks you to visit a page.","hint":"url"},{"name":"image","description":"Paints a small picture."},{"name":"stream","description":"Streams numbered words, as fast as it can or at a steady rate.","hint":"<n> words at <m>/s"},{"name":"sleep","description":"Waits, for ever without a number; Cancel wakes me.","hint":"[seconds]"},{"name":"all","description":"Sends one of every kind of update, and asks one of every kind of request."},{"name":"fail","description":"Answers with an error, to see what that looks like."},{"name":"crash","description":"Ends this agent''s process in the middle of a turn."}],"usage":null,"abilities":{"image":true,"audio":false,"embeddedContext":true,"steering":true}}}', 10, 'a draft', 33, 0, NULL, 0, 0, '5af6c1bd-7d7f-4fd8-a82f-040b120c55d2', 32, NULL, '2026-11-16T01:40:04.339Z');
INSERT INTO session (key, id, project_id, cli_type, title, created_at, last_active_at, archived, turn, unfinished, parent_id, agent_session_id, agent_session_at, cwd, agent_state, agent_state_at, last_seq, kept_from_seq, snapshot_seq, snapshot, next_position, draft, attention_seq, seen_seq, usage, adopted, armed_waits, process_id, heard, cancelling, agent_seen_at) VALUES (2, 'builtin:90a8918c-010e-40ad-beba-023284344af9', '14693ca7-403a-4703-988a-4483db772aeb', 'builtin', 'stream 100000 words at 200/s', '2026-11-16T01:40:04.361Z', '2026-11-16T01:40:04.390Z', 0, '{"state":"running","turnId":"ee58d812-c8ca-4c06-b2c7-e3da46b9e127","startedAt":"2026-11-16T01:40:04.366Z"}', 1, NULL, 'guide_71943d9f-c253-4130-b823-0ff18dabdc6d', '2026-11-16T01:40:04.361Z', '/sample/projects/06ae7219-7c33-427e-965f-0e26e88cacd1', 'active', '2026-11-16T01:40:04.367Z', 8, 1, 3, '{"seq":3,"title":"New Session","titleSource":"none","archived":false,"open":[],"turn":{"state":"idle"},"pending":[],"visits":[],"queue":[],"queuePaused":false,"config":{"options":[{"id":"mode","name":"Permissions","description":"When the guide asks before it changes something.","category":"mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask first","description":"Asks before each edit and each command."},{"value":"edits","name":"Allow edits","description":"Edits files without asking; asks before commands."},{"value":"all","name":"Allow everything","description":"Edits files and runs commands without asking."},{"value":"read","name":"Read only","description":"Refuses edits and commands."}]},{"id":"voice","name":"Voice","description":"How much the guide says.","category":"_voice","type":"select","currentValue":"brief","options":[{"value":"brief","name":"Brief","description":"Short answers."},{"value":"detailed","name":"Detailed","description":"Answers with examples and background."}]},{"id":"thoughts","name":"Think aloud","description":"Shows a thought before each answer.","type":"boolean","currentValue":false}],"commands":[{"name":"help","description":"Shows this page."},{"name":"list","description":"Lists the files of this directory (without .git and node_modules).","hint":"[directory]"},{"name":"read","description":"Reads a file of this directory.","hint":"<file>"},{"name":"search","description":"Looks for a text in the files of this directory.","hint":"<text>"},{"name":"edit","description":"Replaces a text in a file, after showing you the diff.","hint":"<file> \"<old>\" \"<new>\""},{"name":"run","description":"Runs a shell command here, after asking you.","hint":"<command>"},{"name":"plan","description":"Makes a plan of three steps and works through it."},{"name":"think","description":"Thinks aloud for a moment, then answers."},{"name":"ask","description":"Asks you something with a form, or asks you to visit a page.","hint":"url"},{"name":"image","description":"Paints a small picture."},{"name":"stream","description":"Streams numbered words, as fast as it can or at a steady rate.","hint":"<n> words at <m>/s"},{"name":"sleep","description":"Waits, for ever without a number; Cancel wakes me.","hint":"[seconds]"},{"name":"all","description":"Sends one of every kind of update, and asks one of every kind of request."},{"name":"fail","description":"Answers with an error, to see what that looks like."},{"name":"crash","description":"Ends this agent''s process in the middle of a turn."}],"usage":null,"abilities":{"image":true,"audio":false,"embeddedContext":true,"steering":true}}}', 1, '', 0, 0, NULL, 0, 0, '5af6c1bd-7d7f-4fd8-a82f-040b120c55d2', 40, NULL, '2026-11-16T01:40:04.361Z');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 1, 'session:config', '{"type":"session:config","config":{"options":[{"id":"mode","name":"Permissions","description":"When the guide asks before it changes something.","category":"mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask first","description":"Asks before each edit and each command."},{"value":"edits","name":"Allow edits","description":"Edits files without asking; asks before commands."},{"value":"all","name":"Allow everything","description":"Edits files and runs commands without asking."},{"value":"read","name":"Read only","description":"Refuses edits and commands."}]},{"id":"voice","name":"Voice","description":"How much the guide says.","category":"_voice","type":"select","currentValue":"brief","options":[{"value":"brief","name":"Brief","description":"Short answers."},{"value":"detailed","name":"Detailed","description":"Answers with examples and background."}]},{"id":"thoughts","name":"Think aloud","description":"Shows a thought before each answer.","type":"boolean","currentValue":false}],"commands":[],"usage":null},"sessionId":"builtin:0ddf3b23-92d7-4e85-9b38-e8a1fc937acb","seq":1}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 2, 'session:config', '{"type":"session:config","config":{"options":[{"id":"mode","name":"Permissions","description":"When the guide asks before it changes something.","category":"mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask first","description":"Asks before each edit and each command."},{"value":"edits","name":"Allow edits","description":"Edits files without asking; asks before commands."},{"value":"all","name":"Allow everything","description":"Edits files and runs commands without asking."},{"value":"read","name":"Read only","description":"Refuses edits and commands."}]},{"id":"voice","name":"Voice","description":"How much the guide says.","category":"_voice","type":"select","currentValue":"brief","options":[{"value":"brief","name":"Brief","description":"Short answers."},{"value":"detailed","name":"Detailed","description":"Answers with examples and background."}]},{"id":"thoughts","name":"Think aloud","description":"Shows a thought before each answer.","type":"boolean","currentValue":false}],"commands":[],"usage":null,"abilities":{"image":true,"audio":false,"embeddedContext":true,"steering":true}},"sessionId":"builtin:0ddf3b23-92d7-4e85-9b38-e8a1fc937acb","seq":2}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 3, 'session:config', '{"type":"session:config","config":{"options":[{"id":"mode","name":"Permissions","description":"When the guide asks before it changes something.","category":"mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask first","description":"Asks before each edit and each command."},{"value":"edits","name":"Allow edits","description":"Edits files without asking; asks before commands."},{"value":"all","name":"Allow everything","description":"Edits files and runs commands without asking."},{"value":"read","name":"Read only","description":"Refuses edits and commands."}]},{"id":"voice","name":"Voice","description":"How much the guide says.","category":"_voice","type":"select","currentValue":"brief","options":[{"value":"brief","name":"Brief","description":"Short answers."},{"value":"detailed","name":"Detailed","description":"Answers with examples and background."}]},{"id":"thoughts","name":"Think aloud","description":"Shows a thought before each answer.","type":"boolean","currentValue":false}],"commands":[{"name":"help","description":"Shows this page."},{"name":"list","description":"Lists the files of this directory (without .git and node_modules).","hint":"[directory]"},{"name":"read","description":"Reads a file of this directory.","hint":"<file>"},{"name":"search","description":"Looks for a text in the files of this directory.","hint":"<text>"},{"name":"edit","description":"Replaces a text in a file, after showing you the diff.","hint":"<file> \"<old>\" \"<new>\""},{"name":"run","description":"Runs a shell command here, after asking you.","hint":"<command>"},{"name":"plan","description":"Makes a plan of three steps and works through it."},{"name":"think","description":"Thinks aloud for a moment, then answers."},{"name":"ask","description":"Asks you something with a form, or asks you to visit a page.","hint":"url"},{"name":"image","description":"Paints a small picture."},{"name":"stream","description":"Streams numbered words, as fast as it can or at a steady rate.","hint":"<n> words at <m>/s"},{"name":"sleep","description":"Waits, for ever without a number; Cancel wakes me.","hint":"[seconds]"},{"name":"all","description":"Sends one of every kind of update, and asks one of every kind of request."},{"name":"fail","description":"Answers with an error, to see what that looks like."},{"name":"crash","description":"Ends this agent''s process in the middle of a turn."}],"usage":null,"abilities":{"image":true,"audio":false,"embeddedContext":true,"steering":true}},"sessionId":"builtin:0ddf3b23-92d7-4e85-9b38-e8a1fc937acb","seq":3}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 4, 'session:title-updated', '{"type":"session:title-updated","title":"stream 3 words","source":"derived","sessionId":"builtin:0ddf3b23-92d7-4e85-9b38-e8a1fc937acb","seq":4}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 5, 'session:update', '{"type":"session:update","entry":{"type":"user","entryId":"fcb3b1e9-76d4-43ee-87d9-9874ea286233","turnId":"8c7a629d-9f4d-439a-b2ca-8151a8b43e1a","content":"stream 3 words","timestamp":"2026-11-16T01:40:04.010Z","commandId":"0e66fcbb-b35d-4d93-b30d-ded6c4f4eb4c"},"sessionId":"builtin:0ddf3b23-92d7-4e85-9b38-e8a1fc937acb","seq":5}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 6, 'session:turn', '{"type":"session:turn","turn":{"state":"running","turnId":"8c7a629d-9f4d-439a-b2ca-8151a8b43e1a","startedAt":"2026-11-16T01:40:04.010Z"},"sessionId":"builtin:0ddf3b23-92d7-4e85-9b38-e8a1fc937acb","seq":6}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 7, 'session:update', '{"type":"session:update","entry":{"entryId":"45766675-9ab1-4d88-8e57-a22b11594387","turnId":"8c7a629d-9f4d-439a-b2ca-8151a8b43e1a","content":"w1 w2 w3","timestamp":"2026-11-16T01:40:04.026Z","messageId":"msg_e1afc6a7-ef54-4788-b60c-31540f22bae6","type":"assistant"},"sessionId":"builtin:0ddf3b23-92d7-4e85-9b38-e8a1fc937acb","seq":7}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 8, 'session:complete', '{"type":"session:complete","entryId":"45766675-9ab1-4d88-8e57-a22b11594387","sessionId":"builtin:0ddf3b23-92d7-4e85-9b38-e8a1fc937acb","seq":8}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 9, 'session:turn', '{"type":"session:turn","turn":{"state":"idle","turnId":"8c7a629d-9f4d-439a-b2ca-8151a8b43e1a","startedAt":"2026-11-16T01:40:04.010Z","stopReason":"end_turn"},"sessionId":"builtin:0ddf3b23-92d7-4e85-9b38-e8a1fc937acb","seq":9}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 10, 'session:update', '{"type":"session:update","entry":{"type":"user","entryId":"0df1d054-8e36-490d-80ee-f6bd36f108ff","turnId":"77131350-a895-49cf-ac44-e2554254f611","content":"run echo hi","timestamp":"2026-11-16T01:40:04.038Z","commandId":"826b78e7-48e9-45f3-9e17-21e13315f52e"},"sessionId":"builtin:0ddf3b23-92d7-4e85-9b38-e8a1fc937acb","seq":10}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 11, 'session:turn', '{"type":"session:turn","turn":{"state":"running","turnId":"77131350-a895-49cf-ac44-e2554254f611","startedAt":"2026-11-16T01:40:04.038Z"},"sessionId":"builtin:0ddf3b23-92d7-4e85-9b38-e8a1fc937acb","seq":11}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 12, 'session:update', '{"type":"session:update","entry":{"type":"tool-call","entryId":"d8b07957-ace5-4687-9d76-95859642b7cd","turnId":"77131350-a895-49cf-ac44-e2554254f611","toolCallId":"call_c695b221-3815-4b28-9adf-fcc2c49a43eb","name":"echo hi","status":"running","content":"","startedAt":"2026-11-16T01:40:04.044Z","kind":"execute","input":{"command":"echo hi","cwd":"/sample/projects/06ae7219-7c33-427e-965f-0e26e88cacd1"}},"sessionId":"builtin:0ddf3b23-92d7-4e85-9b38-e8a1fc937acb","seq":12}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 13, 'permission:request', '{"type":"permission:request","permissionId":"5af6c1bd-7d7f-4fd8-a82f-040b120c55d2-11","toolCall":{"toolCallId":"call_c695b221-3815-4b28-9adf-fcc2c49a43eb","name":"echo hi","kind":"execute","input":{"command":"echo hi","cwd":"/sample/projects/06ae7219-7c33-427e-965f-0e26e88cacd1"}},"options":[{"optionId":"allow-once","name":"Allow once","kind":"allow_once"},{"optionId":"allow-always","name":"Always allow commands in this session","kind":"allow_always"},{"optionId":"reject-once","name":"Reject","kind":"reject_once"}],"askedAt":"2026-11-16T01:40:04.049Z","offers":[{"effect":"allow","command":"echo"}],"sessionId":"builtin:0ddf3b23-92d7-4e85-9b38-e8a1fc937acb","seq":13}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 14, 'session:turn', '{"type":"session:turn","turn":{"state":"waiting","turnId":"77131350-a895-49cf-ac44-e2554254f611","startedAt":"2026-11-16T01:40:04.038Z"},"sessionId":"builtin:0ddf3b23-92d7-4e85-9b38-e8a1fc937acb","seq":14}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 15, 'permission:resolved', '{"type":"permission:resolved","permissionId":"5af6c1bd-7d7f-4fd8-a82f-040b120c55d2-11","outcome":{"outcome":"selected","optionId":"allow-once"},"sessionId":"builtin:0ddf3b23-92d7-4e85-9b38-e8a1fc937acb","seq":15}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 16, 'session:turn', '{"type":"session:turn","turn":{"state":"running","turnId":"77131350-a895-49cf-ac44-e2554254f611","startedAt":"2026-11-16T01:40:04.038Z"},"sessionId":"builtin:0ddf3b23-92d7-4e85-9b38-e8a1fc937acb","seq":16}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 17, 'session:update', '{"type":"session:update","entry":{"type":"tool-call","entryId":"d8b07957-ace5-4687-9d76-95859642b7cd","turnId":"77131350-a895-49cf-ac44-e2554254f611","toolCallId":"call_c695b221-3815-4b28-9adf-fcc2c49a43eb","name":"echo hi","status":"running","content":"","startedAt":"2026-11-16T01:40:04.044Z","kind":"execute","input":{"command":"echo hi","cwd":"/sample/projects/06ae7219-7c33-427e-965f-0e26e88cacd1"},"parts":[{"type":"terminal","terminalId":"00b22cc8-9d65-4994-b4db-1de111ea5c0b"}]},"sessionId":"builtin:0ddf3b23-92d7-4e85-9b38-e8a1fc937acb","seq":17}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 18, 'session:chunk', '{"type":"session:chunk","entryId":"d8b07957-ace5-4687-9d76-95859642b7cd","content":"hi\n","field":"result","sessionId":"builtin:0ddf3b23-92d7-4e85-9b38-e8a1fc937acb","seq":18}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 19, 'session:update', '{"type":"session:update","entry":{"type":"tool-call","entryId":"d8b07957-ace5-4687-9d76-95859642b7cd","turnId":"77131350-a895-49cf-ac44-e2554254f611","toolCallId":"call_c695b221-3815-4b28-9adf-fcc2c49a43eb","name":"echo hi","status":"complete","content":"","startedAt":"2026-11-16T01:40:04.044Z","kind":"execute","input":{"command":"echo hi","cwd":"/sample/projects/06ae7219-7c33-427e-965f-0e26e88cacd1"},"parts":[{"type":"terminal","terminalId":"00b22cc8-9d65-4994-b4db-1de111ea5c0b"}],"output":{"truncated":false,"exitCode":0},"result":"hi\n","endedAt":"2026-11-16T01:40:04.083Z"},"sessionId":"builtin:0ddf3b23-92d7-4e85-9b38-e8a1fc937acb","seq":19}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 20, 'session:update', '{"type":"session:update","entry":{"entryId":"7bdf1eab-1df9-4009-8d20-59c8613f1bf4","turnId":"77131350-a895-49cf-ac44-e2554254f611","content":"The command succeeded.","timestamp":"2026-11-16T01:40:04.085Z","messageId":"msg_81ecd865-ae03-439a-9faf-471b23664179","type":"assistant"},"sessionId":"builtin:0ddf3b23-92d7-4e85-9b38-e8a1fc937acb","seq":20}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 21, 'session:complete', '{"type":"session:complete","entryId":"7bdf1eab-1df9-4009-8d20-59c8613f1bf4","sessionId":"builtin:0ddf3b23-92d7-4e85-9b38-e8a1fc937acb","seq":21}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 22, 'session:turn', '{"type":"session:turn","turn":{"state":"idle","turnId":"77131350-a895-49cf-ac44-e2554254f611","startedAt":"2026-11-16T01:40:04.038Z","stopReason":"end_turn"},"sessionId":"builtin:0ddf3b23-92d7-4e85-9b38-e8a1fc937acb","seq":22}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 23, 'session:update', '{"type":"session:update","entry":{"type":"user","entryId":"f6f6ec8c-e941-4305-8fa4-f671842dfa44","turnId":"79dd47aa-c6bc-4ee8-bf85-f3d1b51157cf","content":"plan","timestamp":"2026-11-16T01:40:04.089Z","commandId":"e404479f-78c9-4af2-885f-9152cb5e29cc"},"sessionId":"builtin:0ddf3b23-92d7-4e85-9b38-e8a1fc937acb","seq":23}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 24, 'session:turn', '{"type":"session:turn","turn":{"state":"running","turnId":"79dd47aa-c6bc-4ee8-bf85-f3d1b51157cf","startedAt":"2026-11-16T01:40:04.089Z"},"sessionId":"builtin:0ddf3b23-92d7-4e85-9b38-e8a1fc937acb","seq":24}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 25, 'session:update', '{"type":"session:update","entry":{"entryId":"b25a7a5b-3f34-4b6f-b635-1a9346f1f9bf","turnId":"79dd47aa-c6bc-4ee8-bf85-f3d1b51157cf","content":"Here is my plan.","timestamp":"2026-11-16T01:40:04.094Z","messageId":"msg_324a41dd-6f4d-490d-ae3b-05060db981f6","type":"assistant"},"sessionId":"builtin:0ddf3b23-92d7-4e85-9b38-e8a1fc937acb","seq":25}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 26, 'session:complete', '{"type":"session:complete","entryId":"b25a7a5b-3f34-4b6f-b635-1a9346f1f9bf","sessionId":"builtin:0ddf3b23-92d7-4e85-9b38-e8a1fc937acb","seq":26}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 27, 'session:update', '{"type":"session:update","entry":{"type":"plan","entryId":"c9b8767b-3bb1-4840-a93b-7fe8d918f592","turnId":"79dd47aa-c6bc-4ee8-bf85-f3d1b51157cf","content":"- [ ] Write the steps down\n- [ ] Work through them one by one\n- [ ] Look back at what was done","items":[{"content":"Write the steps down","priority":"high","status":"in_progress"},{"content":"Work through them one by one","priority":"medium","status":"pending"},{"content":"Look back at what was done","priority":"low","status":"pending"}]},"sessionId":"builtin:0ddf3b23-92d7-4e85-9b38-e8a1fc937acb","seq":27}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 28, 'session:update', '{"type":"session:update","entry":{"type":"plan","entryId":"c9b8767b-3bb1-4840-a93b-7fe8d918f592","turnId":"79dd47aa-c6bc-4ee8-bf85-f3d1b51157cf","content":"- [x] Write the steps down\n- [ ] Work through them one by one\n- [ ] Look back at what was done","items":[{"content":"Write the steps down","priority":"high","status":"completed"},{"content":"Work through them one by one","priority":"medium","status":"in_progress"},{"content":"Look back at what was done","priority":"low","status":"pending"}]},"sessionId":"builtin:0ddf3b23-92d7-4e85-9b38-e8a1fc937acb","seq":28}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 29, 'session:update', '{"type":"session:update","entry":{"type":"plan","entryId":"c9b8767b-3bb1-4840-a93b-7fe8d918f592","turnId":"79dd47aa-c6bc-4ee8-bf85-f3d1b51157cf","content":"- [x] Write the steps down\n- [x] Work through them one by one\n- [ ] Look back at what was done","items":[{"content":"Write the steps down","priority":"high","status":"completed"},{"content":"Work through them one by one","priority":"medium","status":"completed"},{"content":"Look back at what was done","priority":"low","status":"in_progress"}]},"sessionId":"builtin:0ddf3b23-92d7-4e85-9b38-e8a1fc937acb","seq":29}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 30, 'session:update', '{"type":"session:update","entry":{"type":"plan","entryId":"c9b8767b-3bb1-4840-a93b-7fe8d918f592","turnId":"79dd47aa-c6bc-4ee8-bf85-f3d1b51157cf","content":"- [x] Write the steps down\n- [x] Work through them one by one\n- [x] Look back at what was done","items":[{"content":"Write the steps down","priority":"high","status":"completed"},{"content":"Work through them one by one","priority":"medium","status":"completed"},{"content":"Look back at what was done","priority":"low","status":"completed"}]},"sessionId":"builtin:0ddf3b23-92d7-4e85-9b38-e8a1fc937acb","seq":30}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 31, 'session:update', '{"type":"session:update","entry":{"entryId":"ccead68d-4cc7-4729-9dc8-e4290dc8d598","turnId":"79dd47aa-c6bc-4ee8-bf85-f3d1b51157cf","content":"Done.","timestamp":"2026-11-16T01:40:04.338Z","messageId":"msg_a6bc6c81-964d-4529-ad86-31403be81b12","type":"assistant"},"sessionId":"builtin:0ddf3b23-92d7-4e85-9b38-e8a1fc937acb","seq":31}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 32, 'session:complete', '{"type":"session:complete","entryId":"ccead68d-4cc7-4729-9dc8-e4290dc8d598","sessionId":"builtin:0ddf3b23-92d7-4e85-9b38-e8a1fc937acb","seq":32}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 33, 'session:turn', '{"type":"session:turn","turn":{"state":"idle","turnId":"79dd47aa-c6bc-4ee8-bf85-f3d1b51157cf","startedAt":"2026-11-16T01:40:04.089Z","stopReason":"end_turn"},"sessionId":"builtin:0ddf3b23-92d7-4e85-9b38-e8a1fc937acb","seq":33}');
INSERT INTO fact (session_key, seq, type, json) VALUES (2, 1, 'session:config', '{"type":"session:config","config":{"options":[],"commands":[{"name":"help","description":"Shows this page."},{"name":"list","description":"Lists the files of this directory (without .git and node_modules).","hint":"[directory]"},{"name":"read","description":"Reads a file of this directory.","hint":"<file>"},{"name":"search","description":"Looks for a text in the files of this directory.","hint":"<text>"},{"name":"edit","description":"Replaces a text in a file, after showing you the diff.","hint":"<file> \"<old>\" \"<new>\""},{"name":"run","description":"Runs a shell command here, after asking you.","hint":"<command>"},{"name":"plan","description":"Makes a plan of three steps and works through it."},{"name":"think","description":"Thinks aloud for a moment, then answers."},{"name":"ask","description":"Asks you something with a form, or asks you to visit a page.","hint":"url"},{"name":"image","description":"Paints a small picture."},{"name":"stream","description":"Streams numbered words, as fast as it can or at a steady rate.","hint":"<n> words at <m>/s"},{"name":"sleep","description":"Waits, for ever without a number; Cancel wakes me.","hint":"[seconds]"},{"name":"all","description":"Sends one of every kind of update, and asks one of every kind of request."},{"name":"fail","description":"Answers with an error, to see what that looks like."},{"name":"crash","description":"Ends this agent''s process in the middle of a turn."}],"usage":null},"sessionId":"builtin:90a8918c-010e-40ad-beba-023284344af9","seq":1}');
INSERT INTO fact (session_key, seq, type, json) VALUES (2, 2, 'session:config', '{"type":"session:config","config":{"options":[{"id":"mode","name":"Permissions","description":"When the guide asks before it changes something.","category":"mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask first","description":"Asks before each edit and each command."},{"value":"edits","name":"Allow edits","description":"Edits files without asking; asks before commands."},{"value":"all","name":"Allow everything","description":"Edits files and runs commands without asking."},{"value":"read","name":"Read only","description":"Refuses edits and commands."}]},{"id":"voice","name":"Voice","description":"How much the guide says.","category":"_voice","type":"select","currentValue":"brief","options":[{"value":"brief","name":"Brief","description":"Short answers."},{"value":"detailed","name":"Detailed","description":"Answers with examples and background."}]},{"id":"thoughts","name":"Think aloud","description":"Shows a thought before each answer.","type":"boolean","currentValue":false}],"commands":[{"name":"help","description":"Shows this page."},{"name":"list","description":"Lists the files of this directory (without .git and node_modules).","hint":"[directory]"},{"name":"read","description":"Reads a file of this directory.","hint":"<file>"},{"name":"search","description":"Looks for a text in the files of this directory.","hint":"<text>"},{"name":"edit","description":"Replaces a text in a file, after showing you the diff.","hint":"<file> \"<old>\" \"<new>\""},{"name":"run","description":"Runs a shell command here, after asking you.","hint":"<command>"},{"name":"plan","description":"Makes a plan of three steps and works through it."},{"name":"think","description":"Thinks aloud for a moment, then answers."},{"name":"ask","description":"Asks you something with a form, or asks you to visit a page.","hint":"url"},{"name":"image","description":"Paints a small picture."},{"name":"stream","description":"Streams numbered words, as fast as it can or at a steady rate.","hint":"<n> words at <m>/s"},{"name":"sleep","description":"Waits, for ever without a number; Cancel wakes me.","hint":"[seconds]"},{"name":"all","description":"Sends one of every kind of update, and asks one of every kind of request."},{"name":"fail","description":"Answers with an error, to see what that looks like."},{"name":"crash","description":"Ends this agent''s process in the middle of a turn."}],"usage":null},"sessionId":"builtin:90a8918c-010e-40ad-beba-023284344af9","seq":2}');
INSERT INTO fact (session_key, seq, type, json) VALUES (2, 3, 'session:config', '{"type":"session:config","config":{"options":[{"id":"mode","name":"Permissions","description":"When the guide asks before it changes something.","category":"mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask first","description":"Asks before each edit and each command."},{"value":"edits","name":"Allow edits","description":"Edits files without asking; asks before commands."},{"value":"all","name":"Allow everything","description":"Edits files and runs commands without asking."},{"value":"read","name":"Read only","description":"Refuses edits and commands."}]},{"id":"voice","name":"Voice","description":"How much the guide says.","category":"_voice","type":"select","currentValue":"brief","options":[{"value":"brief","name":"Brief","description":"Short answers."},{"value":"detailed","name":"Detailed","description":"Answers with examples and background."}]},{"id":"thoughts","name":"Think aloud","description":"Shows a thought before each answer.","type":"boolean","currentValue":false}],"commands":[{"name":"help","description":"Shows this page."},{"name":"list","description":"Lists the files of this directory (without .git and node_modules).","hint":"[directory]"},{"name":"read","description":"Reads a file of this directory.","hint":"<file>"},{"name":"search","description":"Looks for a text in the files of this directory.","hint":"<text>"},{"name":"edit","description":"Replaces a text in a file, after showing you the diff.","hint":"<file> \"<old>\" \"<new>\""},{"name":"run","description":"Runs a shell command here, after asking you.","hint":"<command>"},{"name":"plan","description":"Makes a plan of three steps and works through it."},{"name":"think","description":"Thinks aloud for a moment, then answers."},{"name":"ask","description":"Asks you something with a form, or asks you to visit a page.","hint":"url"},{"name":"image","description":"Paints a small picture."},{"name":"stream","description":"Streams numbered words, as fast as it can or at a steady rate.","hint":"<n> words at <m>/s"},{"name":"sleep","description":"Waits, for ever without a number; Cancel wakes me.","hint":"[seconds]"},{"name":"all","description":"Sends one of every kind of update, and asks one of every kind of request."},{"name":"fail","description":"Answers with an error, to see what that looks like."},{"name":"crash","description":"Ends this agent''s process in the middle of a turn."}],"usage":null,"abilities":{"image":true,"audio":false,"embeddedContext":true,"steering":true}},"sessionId":"builtin:90a8918c-010e-40ad-beba-023284344af9","seq":3}');
INSERT INTO fact (session_key, seq, type, json) VALUES (2, 4, 'session:title-updated', '{"type":"session:title-updated","title":"stream 100000 words at 200/s","source":"derived","sessionId":"builtin:90a8918c-010e-40ad-beba-023284344af9","seq":4}');
INSERT INTO fact (session_key, seq, type, json) VALUES (2, 5, 'session:update', '{"type":"session:update","entry":{"type":"user","entryId":"66c73d00-6f52-488c-a1dd-1ed5e93b6616","turnId":"ee58d812-c8ca-4c06-b2c7-e3da46b9e127","content":"stream 100000 words at 200/s","timestamp":"2026-11-16T01:40:04.366Z","commandId":"f403758e-484e-4d2e-87f0-1e7e0f57219d"},"sessionId":"builtin:90a8918c-010e-40ad-beba-023284344af9","seq":5}');
INSERT INTO fact (session_key, seq, type, json) VALUES (2, 6, 'session:turn', '{"type":"session:turn","turn":{"state":"running","turnId":"ee58d812-c8ca-4c06-b2c7-e3da46b9e127","startedAt":"2026-11-16T01:40:04.366Z"},"sessionId":"builtin:90a8918c-010e-40ad-beba-023284344af9","seq":6}');
INSERT INTO fact (session_key, seq, type, json) VALUES (2, 7, 'session:update', '{"type":"session:update","entry":{"entryId":"d64e8157-e733-40dc-9485-2d78dfab7917","turnId":"ee58d812-c8ca-4c06-b2c7-e3da46b9e127","content":"w1 ","timestamp":"2026-11-16T01:40:04.373Z","messageId":"msg_962cce33-1fd1-4cf7-a726-7bbde0048bc3","type":"assistant"},"sessionId":"builtin:90a8918c-010e-40ad-beba-023284344af9","seq":7}');
INSERT INTO fact (session_key, seq, type, json) VALUES (2, 8, 'session:chunk', '{"type":"session:chunk","entryId":"d64e8157-e733-40dc-9485-2d78dfab7917","content":"w2 w3 w4 ","sessionId":"builtin:90a8918c-010e-40ad-beba-023284344af9","seq":8}');
INSERT INTO entry (session_key, position, entry_id, agent_id, json) VALUES (1, 1, 'fcb3b1e9-76d4-43ee-87d9-9874ea286233', NULL, '{"type":"user","entryId":"fcb3b1e9-76d4-43ee-87d9-9874ea286233","turnId":"8c7a629d-9f4d-439a-b2ca-8151a8b43e1a","content":"stream 3 words","timestamp":"2026-11-16T01:40:04.010Z","commandId":"0e66fcbb-b35d-4d93-b30d-ded6c4f4eb4c"}');
INSERT INTO entry (session_key, position, entry_id, agent_id, json) VALUES (1, 2, '45766675-9ab1-4d88-8e57-a22b11594387', 'msg_e1afc6a7-ef54-4788-b60c-31540f22bae6', '{"entryId":"45766675-9ab1-4d88-8e57-a22b11594387","turnId":"8c7a629d-9f4d-439a-b2ca-8151a8b43e1a","content":"w1 w2 w3","timestamp":"2026-11-16T01:40:04.026Z","messageId":"msg_e1afc6a7-ef54-4788-b60c-31540f22bae6","type":"assistant"}');
INSERT INTO entry (session_key, position, entry_id, agent_id, json) VALUES (1, 3, '0df1d054-8e36-490d-80ee-f6bd36f108ff', NULL, '{"type":"user","entryId":"0df1d054-8e36-490d-80ee-f6bd36f108ff","turnId":"77131350-a895-49cf-ac44-e2554254f611","content":"run echo hi","timestamp":"2026-11-16T01:40:04.038Z","commandId":"826b78e7-48e9-45f3-9e17-21e13315f52e"}');
INSERT INTO entry (session_key, position, entry_id, agent_id, json) VALUES (1, 4, 'd8b07957-ace5-4687-9d76-95859642b7cd', 'call_c695b221-3815-4b28-9adf-fcc2c49a43eb', '{"type":"tool-call","entryId":"d8b07957-ace5-4687-9d76-95859642b7cd","turnId":"77131350-a895-49cf-ac44-e2554254f611","toolCallId":"call_c695b221-3815-4b28-9adf-fcc2c49a43eb","name":"echo hi","status":"complete","content":"","startedAt":"2026-11-16T01:40:04.044Z","kind":"execute","input":{"command":"echo hi","cwd":"/sample/projects/06ae7219-7c33-427e-965f-0e26e88cacd1"},"parts":[{"type":"terminal","terminalId":"00b22cc8-9d65-4994-b4db-1de111ea5c0b"}],"output":{"truncated":false,"exitCode":0},"result":"hi\n","endedAt":"2026-11-16T01:40:04.083Z"}');
INSERT INTO entry (session_key, position, entry_id, agent_id, json) VALUES (1, 5, '7bdf1eab-1df9-4009-8d20-59c8613f1bf4', 'msg_81ecd865-ae03-439a-9faf-471b23664179', '{"entryId":"7bdf1eab-1df9-4009-8d20-59c8613f1bf4","turnId":"77131350-a895-49cf-ac44-e2554254f611","content":"The command succeeded.","timestamp":"2026-11-16T01:40:04.085Z","messageId":"msg_81ecd865-ae03-439a-9faf-471b23664179","type":"assistant"}');
INSERT INTO entry (session_key, position, entry_id, agent_id, json) VALUES (1, 6, 'f6f6ec8c-e941-4305-8fa4-f671842dfa44', NULL, '{"type":"user","entryId":"f6f6ec8c-e941-4305-8fa4-f671842dfa44","turnId":"79dd47aa-c6bc-4ee8-bf85-f3d1b51157cf","content":"plan","timestamp":"2026-11-16T01:40:04.089Z","commandId":"e404479f-78c9-4af2-885f-9152cb5e29cc"}');
INSERT INTO entry (session_key, position, entry_id, agent_id, json) VALUES (1, 7, 'b25a7a5b-3f34-4b6f-b635-1a9346f1f9bf', 'msg_324a41dd-6f4d-490d-ae3b-05060db981f6', '{"entryId":"b25a7a5b-3f34-4b6f-b635-1a9346f1f9bf","turnId":"79dd47aa-c6bc-4ee8-bf85-f3d1b51157cf","content":"Here is my plan.","timestamp":"2026-11-16T01:40:04.094Z","messageId":"msg_324a41dd-6f4d-490d-ae3b-05060db981f6","type":"assistant"}');
INSERT INTO entry (session_key, position, entry_id, agent_id, json) VALUES (1, 8, 'c9b8767b-3bb1-4840-a93b-7fe8d918f592', NULL, '{"type":"plan","entryId":"c9b8767b-3bb1-4840-a93b-7fe8d918f592","turnId":"79dd47aa-c6bc-4ee8-bf85-f3d1b51157cf","content":"- [x] Write the steps down\n- [x] Work through them one by one\n- [x] Look back at what was done","items":[{"content":"Write the steps down","priority":"high","status":"completed"},{"content":"Work through them one by one","priority":"medium","status":"completed"},{"content":"Look back at what was done","priority":"low","status":"completed"}]}');
INSERT INTO entry (session_key, position, entry_id, agent_id, json) VALUES (1, 9, 'ccead68d-4cc7-4729-9dc8-e4290dc8d598', 'msg_a6bc6c81-964d-4529-ad86-31403be81b12', '{"entryId":"ccead68d-4cc7-4729-9dc8-e4290dc8d598","turnId":"79dd47aa-c6bc-4ee8-bf85-f3d1b51157cf","content":"Done.","timestamp":"2026-11-16T01:40:04.338Z","messageId":"msg_a6bc6c81-964d-4529-ad86-31403be81b12","type":"assistant"}');
INSERT INTO permission_record (key, session_key, permission_id, asked_at, tool_call, options, answered, answered_by, answered_at, why) VALUES (1, 1, '5af6c1bd-7d7f-4fd8-a82f-040b120c55d2-11', '2026-11-16T01:40:04.049Z', '{"toolCallId":"call_c695b221-3815-4b28-9adf-fcc2c49a43eb","name":"echo hi","kind":"execute","input":{"command":"echo hi","cwd":"/sample/projects/06ae7219-7c33-427e-965f-0e26e88cacd1"}}', '[{"optionId":"allow-once","name":"Allow once","kind":"allow_once"},{"optionId":"allow-always","name":"Always allow commands in this session","kind":"allow_always"},{"optionId":"reject-once","name":"Reject","kind":"reject_once"}]', 'allowed', 'user', NULL, NULL);
INSERT INTO search_text (key, session_key, entry_id, kind, at) VALUES (1000000000001, 1, '', 'title', NULL);
INSERT INTO search_text (key, session_key, entry_id, kind, at) VALUES (1000000000002, 1, 'fcb3b1e9-76d4-43ee-87d9-9874ea286233', 'user', '2026-11-16T01:40:04.010Z');
INSERT INTO search_text (key, session_key, entry_id, kind, at) VALUES (1000000000003, 1, '45766675-9ab1-4d88-8e57-a22b11594387', 'assistant', '2026-11-16T01:40:04.026Z');
INSERT INTO search_text (key, session_key, entry_id, kind, at) VALUES (1000000000004, 1, '0df1d054-8e36-490d-80ee-f6bd36f108ff', 'user', '2026-11-16T01:40:04.038Z');
INSERT INTO search_text (key, session_key, entry_id, kind, at) VALUES (1000000000005, 1, 'd8b07957-ace5-4687-9d76-95859642b7cd', 'tool-call', '2026-11-16T01:40:04.044Z');
INSERT INTO search_text (key, session_key, entry_id, kind, at) VALUES (1000000000006, 1, '7bdf1eab-1df9-4009-8d20-59c8613f1bf4', 'assistant', '2026-11-16T01:40:04.085Z');
INSERT INTO search_text (key, session_key, entry_id, kind, at) VALUES (1000000000007, 1, 'f6f6ec8c-e941-4305-8fa4-f671842dfa44', 'user', '2026-11-16T01:40:04.089Z');
INSERT INTO search_text (key, session_key, entry_id, kind, at) VALUES (1000000000008, 1, 'b25a7a5b-3f34-4b6f-b635-1a9346f1f9bf', 'assistant', '2026-11-16T01:40:04.094Z');
INSERT INTO search_text (key, session_key, entry_id, kind, at) VALUES (1000000000009, 1, 'c9b8767b-3bb1-4840-a93b-7fe8d918f592', 'plan', '2026-11-16T01:40:04.339Z');
INSERT INTO search_text (key, session_key, entry_id, kind, at) VALUES (1000000000010, 1, 'ccead68d-4cc7-4729-9dc8-e4290dc8d598', 'assistant', '2026-11-16T01:40:04.338Z');
INSERT INTO search_text (key, session_key, entry_id, kind, at) VALUES (1000000000011, 2, '', 'title', NULL);
INSERT INTO search_index (rowid, text) VALUES (1000000000001, 'stream 3 words');
INSERT INTO search_index (rowid, text) VALUES (1000000000002, 'stream 3 words');
INSERT INTO search_index (rowid, text) VALUES (1000000000003, 'w1 w2 w3');
INSERT INTO search_index (rowid, text) VALUES (1000000000004, 'run echo hi');
INSERT INTO search_index (rowid, text) VALUES (1000000000005, 'echo hi
/sample/projects/06ae7219-7c33-427e-965f-0e26e88cacd1
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
INSERT INTO agent_session (cli_type, agent_session_id, session_key) VALUES ('builtin', 'guide_71943d9f-c253-4130-b823-0ff18dabdc6d', 2);
INSERT INTO agent_session (cli_type, agent_session_id, session_key) VALUES ('builtin', 'guide_9e981ffe-85f6-481a-8d6b-4e164d340e26', 1);
CREATE TRIGGER agent_session_of_new AFTER INSERT ON session WHEN NEW.agent_session_id <> '' BEGIN
  INSERT OR IGNORE INTO agent_session VALUES (NEW.cli_type, NEW.agent_session_id, NEW.key);
END;
CREATE TRIGGER agent_session_of_bound AFTER UPDATE OF agent_session_id ON session WHEN NEW.agent_session_id <> '' BEGIN
  INSERT OR IGNORE INTO agent_session VALUES (NEW.cli_type, NEW.agent_session_id, NEW.key);
END;
PRAGMA user_version = 12;
