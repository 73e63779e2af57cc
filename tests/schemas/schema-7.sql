-- migration sha256 3933a9f6660b1631
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
, attention_seq INTEGER NOT NULL DEFAULT 0, seen_seq INTEGER NOT NULL DEFAULT 0, usage TEXT, adopted INTEGER NOT NULL DEFAULT 0, armed_waits INTEGER NOT NULL DEFAULT 0) STRICT;
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
INSERT INTO project (id, path, name, added_at, position, removed) VALUES ('e0b30706-d266-477a-9699-acf91216569d', '/sample/projects/d3591cf9-e190-497e-95d9-ca3a503a2408', 'd3591cf9-e190-497e-95d9-ca3a503a2408', '2026-11-15T15:50:09.699Z', 1, 0);
INSERT INTO session (key, id, project_id, cli_type, title, created_at, last_active_at, archived, turn, unfinished, parent_id, agent_session_id, agent_session_at, cwd, agent_state, agent_state_at, last_seq, kept_from_seq, snapshot_seq, snapshot, next_position, draft, attention_seq, seen_seq, usage, adopted, armed_waits) VALUES (1, 'builtin:1d7fe6b1-4ecb-4f70-8b52-bf2c940a944a', 'e0b30706-d266-477a-9699-acf91216569d', 'builtin', 'stream 3 words', '2026-11-15T15:50:09.939Z', '2026-11-15T15:50:10.264Z', 0, '{"state":"idle","turnId":"340b0010-a3db-4b31-a022-b04488be6d35","startedAt":"2026-11-15T15:50:10.014Z","stopReason":"end_turn"}', 0, NULL, 'guide_b371cbd8-439f-443c-8d68-135a4a2338b2', '2026-11-15T15:50:09.939Z', '/sample/projects/d3591cf9-e190-497e-95d9-ca3a503a2408', 'active', '2026-11-15T15:50:09.939Z', 33, 1, 33, '{"seq":33,"title":"stream 3 words","titleSource":"derived","archived":false,"open":[],"turn":{"state":"idle","turnId":"340b0010-a3db-4b31-a022-b04488be6d35","startedAt":"2026-11-15T15:50:10.014Z","stopReason":"end_turn"},"pending":[],"visits":[],"queue":[],"queuePaused":false,"config":{"options":[{"id":"mode","name":"Permissions","description":"When the guide asks before it changes something.","category":"mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask first","description":"Asks before each edit and each command."},{"value":"edits","name":"Allow edits","description":"Edits files without asking; asks before commands."},{"value":"all","name":"Allow everything","description":"Edits files and runs commands without asking."},{"value":"read","name":"Read only","description":"Refuses edits and commands."}]},{"id":"voice","name":"Voice","description":"How much the guide says.","category":"_voice","type":"select","currentValue":"brief","options":[{"value":"brief","name":"Brief","description":"Short answers."},{"value":"detailed","name":"Detailed","description":"Answers with examples and background."}]},{"id":"thoughts","name":"Think aloud","description":"Shows a thought before each answer.","type":"boolean","currentValue":false}],"commands":[{"name":"help","description":"Shows this page."},{"name":"list","description":"Lists the files of this directory (without .git and node_modules).","hint":"[directory]"},{"name":"read","description":"Reads a file of this directory.","hint":"<file>"},{"name":"search","description":"Looks for a text in the files of this directory.","hint":"<text>"},{"name":"edit","description":"Replaces a text in a file, after showing you the diff.","hint":"<file> \"<old>\" \"<new>\""},{"name":"run","description":"Runs a shell command here, after asking you.","hint":"<command>"},{"name":"plan","description":"Makes a plan of three steps and works through it."},{"name":"think","description":"Thinks aloud for a moment, then answers."},{"name":"ask","description":"Asks you something with a form, or asks you to visit a page.","hint":"url"},{"name":"image","description":"Paints a small picture."},{"name":"stream","description":"Streams numbered words, as fast as it can or at a steady rate.","hint":"<n> words at <m>/s"},{"name":"sleep","description":"Waits, for ever without a number; Cancel wakes me.","hint":"[seconds]"},{"name":"all","description":"Sends one of every kind of update, and asks one of every kind of request."},{"name":"fail","description":"Answers with an error, to see what that looks like."},{"name":"crash","description":"Ends this agent''s process in the middle of a turn."}],"usage":null,"abilities":{"image":true,"audio":false,"embeddedContext":true,"steering":true}}}', 10, 'a draft', 33, 0, NULL, 0, 0);
INSERT INTO session (key, id, project_id, cli_type, title, created_at, last_active_at, archived, turn, unfinished, parent_id, agent_session_id, agent_session_at, cwd, agent_state, agent_state_at, last_seq, kept_from_seq, snapshot_seq, snapshot, next_position, draft, attention_seq, seen_seq, usage, adopted, armed_waits) VALUES (2, 'builtin:efb825ca-2d3b-4cb2-9313-797a1af1ba6d', 'e0b30706-d266-477a-9699-acf91216569d', 'builtin', 'stream 100000 words at 200/s', '2026-11-15T15:50:10.316Z', '2026-11-15T15:50:10.445Z', 0, '{"state":"running","turnId":"6d05d25c-8e1e-410b-bc0a-d9ab30d924bf","startedAt":"2026-11-15T15:50:10.340Z"}', 1, NULL, 'guide_a4899fe1-6527-43c6-8f94-78b32f9d0022', '2026-11-15T15:50:10.316Z', '/sample/projects/d3591cf9-e190-497e-95d9-ca3a503a2408', 'active', '2026-11-15T15:50:10.316Z', 13, 1, 3, '{"seq":3,"title":"New Session","titleSource":"none","archived":false,"open":[],"turn":{"state":"idle"},"pending":[],"visits":[],"queue":[],"queuePaused":false,"config":{"options":[{"id":"mode","name":"Permissions","description":"When the guide asks before it changes something.","category":"mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask first","description":"Asks before each edit and each command."},{"value":"edits","name":"Allow edits","description":"Edits files without asking; asks before commands."},{"value":"all","name":"Allow everything","description":"Edits files and runs commands without asking."},{"value":"read","name":"Read only","description":"Refuses edits and commands."}]},{"id":"voice","name":"Voice","description":"How much the guide says.","category":"_voice","type":"select","currentValue":"brief","options":[{"value":"brief","name":"Brief","description":"Short answers."},{"value":"detailed","name":"Detailed","description":"Answers with examples and background."}]},{"id":"thoughts","name":"Think aloud","description":"Shows a thought before each answer.","type":"boolean","currentValue":false}],"commands":[{"name":"help","description":"Shows this page."},{"name":"list","description":"Lists the files of this directory (without .git and node_modules).","hint":"[directory]"},{"name":"read","description":"Reads a file of this directory.","hint":"<file>"},{"name":"search","description":"Looks for a text in the files of this directory.","hint":"<text>"},{"name":"edit","description":"Replaces a text in a file, after showing you the diff.","hint":"<file> \"<old>\" \"<new>\""},{"name":"run","description":"Runs a shell command here, after asking you.","hint":"<command>"},{"name":"plan","description":"Makes a plan of three steps and works through it."},{"name":"think","description":"Thinks aloud for a moment, then answers."},{"name":"ask","description":"Asks you something with a form, or asks you to visit a page.","hint":"url"},{"name":"image","description":"Paints a small picture."},{"name":"stream","description":"Streams numbered words, as fast as it can or at a steady rate.","hint":"<n> words at <m>/s"},{"name":"sleep","description":"Waits, for ever without a number; Cancel wakes me.","hint":"[seconds]"},{"name":"all","description":"Sends one of every kind of update, and asks one of every kind of request."},{"name":"fail","description":"Answers with an error, to see what that looks like."},{"name":"crash","description":"Ends this agent''s process in the middle of a turn."}],"usage":null,"abilities":{"image":true,"audio":false,"embeddedContext":true,"steering":true}}}', 1, '', 0, 0, NULL, 0, 0);
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 1, 'session:config', '{"type":"session:config","config":{"options":[{"id":"mode","name":"Permissions","description":"When the guide asks before it changes something.","category":"mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask first","description":"Asks before each edit and each command."},{"value":"edits","name":"Allow edits","description":"Edits files without asking; asks before commands."},{"value":"all","name":"Allow everything","description":"Edits files and runs commands without asking."},{"value":"read","name":"Read only","description":"Refuses edits and commands."}]},{"id":"voice","name":"Voice","description":"How much the guide says.","category":"_voice","type":"select","currentValue":"brief","options":[{"value":"brief","name":"Brief","description":"Short answers."},{"value":"detailed","name":"Detailed","description":"Answers with examples and background."}]},{"id":"thoughts","name":"Think aloud","description":"Shows a thought before each answer.","type":"boolean","currentValue":false}],"commands":[],"usage":null},"sessionId":"builtin:1d7fe6b1-4ecb-4f70-8b52-bf2c940a944a","seq":1}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 2, 'session:config', '{"type":"session:config","config":{"options":[{"id":"mode","name":"Permissions","description":"When the guide asks before it changes something.","category":"mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask first","description":"Asks before each edit and each command."},{"value":"edits","name":"Allow edits","description":"Edits files without asking; asks before commands."},{"value":"all","name":"Allow everything","description":"Edits files and runs commands without asking."},{"value":"read","name":"Read only","description":"Refuses edits and commands."}]},{"id":"voice","name":"Voice","description":"How much the guide says.","category":"_voice","type":"select","currentValue":"brief","options":[{"value":"brief","name":"Brief","description":"Short answers."},{"value":"detailed","name":"Detailed","description":"Answers with examples and background."}]},{"id":"thoughts","name":"Think aloud","description":"Shows a thought before each answer.","type":"boolean","currentValue":false}],"commands":[],"usage":null,"abilities":{"image":true,"audio":false,"embeddedContext":true,"steering":true}},"sessionId":"builtin:1d7fe6b1-4ecb-4f70-8b52-bf2c940a944a","seq":2}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 3, 'session:title-updated', '{"type":"session:title-updated","title":"stream 3 words","source":"derived","sessionId":"builtin:1d7fe6b1-4ecb-4f70-8b52-bf2c940a944a","seq":3}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 4, 'session:update', '{"type":"session:update","entry":{"type":"user","entryId":"af9d98ec-38a9-4cf4-8eb1-9de8460a5670","turnId":"43b04c62-2c44-4a40-841f-a349d6bfb16e","content":"stream 3 words","timestamp":"2026-11-15T15:50:09.951Z","commandId":"aefb679d-a222-496e-9b4a-9644a14e436b"},"sessionId":"builtin:1d7fe6b1-4ecb-4f70-8b52-bf2c940a944a","seq":4}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 5, 'session:turn', '{"type":"session:turn","turn":{"state":"running","turnId":"43b04c62-2c44-4a40-841f-a349d6bfb16e","startedAt":"2026-11-15T15:50:09.951Z"},"sessionId":"builtin:1d7fe6b1-4ecb-4f70-8b52-bf2c940a944a","seq":5}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 6, 'session:config', '{"type":"session:config","config":{"options":[{"id":"mode","name":"Permissions","description":"When the guide asks before it changes something.","category":"mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask first","description":"Asks before each edit and each command."},{"value":"edits","name":"Allow edits","description":"Edits files without asking; asks before commands."},{"value":"all","name":"Allow everything","description":"Edits files and runs commands without asking."},{"value":"read","name":"Read only","description":"Refuses edits and commands."}]},{"id":"voice","name":"Voice","description":"How much the guide says.","category":"_voice","type":"select","currentValue":"brief","options":[{"value":"brief","name":"Brief","description":"Short answers."},{"value":"detailed","name":"Detailed","description":"Answers with examples and background."}]},{"id":"thoughts","name":"Think aloud","description":"Shows a thought before each answer.","type":"boolean","currentValue":false}],"commands":[{"name":"help","description":"Shows this page."},{"name":"list","description":"Lists the files of this directory (without .git and node_modules).","hint":"[directory]"},{"name":"read","description":"Reads a file of this directory.","hint":"<file>"},{"name":"search","description":"Looks for a text in the files of this directory.","hint":"<text>"},{"name":"edit","description":"Replaces a text in a file, after showing you the diff.","hint":"<file> \"<old>\" \"<new>\""},{"name":"run","description":"Runs a shell command here, after asking you.","hint":"<command>"},{"name":"plan","description":"Makes a plan of three steps and works through it."},{"name":"think","description":"Thinks aloud for a moment, then answers."},{"name":"ask","description":"Asks you something with a form, or asks you to visit a page.","hint":"url"},{"name":"image","description":"Paints a small picture."},{"name":"stream","description":"Streams numbered words, as fast as it can or at a steady rate.","hint":"<n> words at <m>/s"},{"name":"sleep","description":"Waits, for ever without a number; Cancel wakes me.","hint":"[seconds]"},{"name":"all","description":"Sends one of every kind of update, and asks one of every kind of request."},{"name":"fail","description":"Answers with an error, to see what that looks like."},{"name":"crash","description":"Ends this agent''s process in the middle of a turn."}],"usage":null,"abilities":{"image":true,"audio":false,"embeddedContext":true,"steering":true}},"sessionId":"builtin:1d7fe6b1-4ecb-4f70-8b52-bf2c940a944a","seq":6}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 7, 'session:update', '{"type":"session:update","entry":{"entryId":"af387f7e-280d-4c2c-8c92-b8ca1f4c67d8","turnId":"43b04c62-2c44-4a40-841f-a349d6bfb16e","content":"w1 w2 w3","timestamp":"2026-11-15T15:50:09.965Z","messageId":"msg_8c1109c3-369b-491f-acfa-d569c61da3ef","type":"assistant"},"sessionId":"builtin:1d7fe6b1-4ecb-4f70-8b52-bf2c940a944a","seq":7}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 8, 'session:complete', '{"type":"session:complete","entryId":"af387f7e-280d-4c2c-8c92-b8ca1f4c67d8","sessionId":"builtin:1d7fe6b1-4ecb-4f70-8b52-bf2c940a944a","seq":8}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 9, 'session:turn', '{"type":"session:turn","turn":{"state":"idle","turnId":"43b04c62-2c44-4a40-841f-a349d6bfb16e","startedAt":"2026-11-15T15:50:09.951Z","stopReason":"end_turn"},"sessionId":"builtin:1d7fe6b1-4ecb-4f70-8b52-bf2c940a944a","seq":9}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 10, 'session:update', '{"type":"session:update","entry":{"type":"user","entryId":"81c62321-d59f-4f7c-813a-748ac6f8b21b","turnId":"7fbad77d-c824-46c2-a5ef-b8c067959ee7","content":"run echo hi","timestamp":"2026-11-15T15:50:09.974Z","commandId":"e8e27883-0d30-41af-9d89-d9f921e33a1e"},"sessionId":"builtin:1d7fe6b1-4ecb-4f70-8b52-bf2c940a944a","seq":10}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 11, 'session:turn', '{"type":"session:turn","turn":{"state":"running","turnId":"7fbad77d-c824-46c2-a5ef-b8c067959ee7","startedAt":"2026-11-15T15:50:09.974Z"},"sessionId":"builtin:1d7fe6b1-4ecb-4f70-8b52-bf2c940a944a","seq":11}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 12, 'session:update', '{"type":"session:update","entry":{"type":"tool-call","entryId":"10917d54-58d1-407d-8571-a889d5688baf","turnId":"7fbad77d-c824-46c2-a5ef-b8c067959ee7","toolCallId":"call_c236d4b3-091f-47bc-ab05-c6c256ae7433","name":"echo hi","status":"running","content":"","startedAt":"2026-11-15T15:50:09.977Z","kind":"execute","input":{"command":"echo hi","cwd":"/sample/projects/d3591cf9-e190-497e-95d9-ca3a503a2408"}},"sessionId":"builtin:1d7fe6b1-4ecb-4f70-8b52-bf2c940a944a","seq":12}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 13, 'permission:request', '{"type":"permission:request","permissionId":"db2205b4-7616-4f25-95a1-20bc588fa4cc","toolCall":{"toolCallId":"call_c236d4b3-091f-47bc-ab05-c6c256ae7433","name":"echo hi","kind":"execute","input":{"command":"echo hi","cwd":"/sample/projects/d3591cf9-e190-497e-95d9-ca3a503a2408"}},"options":[{"optionId":"allow-once","name":"Allow once","kind":"allow_once"},{"optionId":"allow-always","name":"Always allow commands in this session","kind":"allow_always"},{"optionId":"reject-once","name":"Reject","kind":"reject_once"}],"askedAt":"2026-11-15T15:50:09.981Z","offers":[{"effect":"allow","command":"echo"}],"sessionId":"builtin:1d7fe6b1-4ecb-4f70-8b52-bf2c940a944a","seq":13}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 14, 'session:turn', '{"type":"session:turn","turn":{"state":"waiting","turnId":"7fbad77d-c824-46c2-a5ef-b8c067959ee7","startedAt":"2026-11-15T15:50:09.974Z"},"sessionId":"builtin:1d7fe6b1-4ecb-4f70-8b52-bf2c940a944a","seq":14}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 15, 'permission:resolved', '{"type":"permission:resolved","permissionId":"db2205b4-7616-4f25-95a1-20bc588fa4cc","outcome":{"outcome":"selected","optionId":"allow-once"},"sessionId":"builtin:1d7fe6b1-4ecb-4f70-8b52-bf2c940a944a","seq":15}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 16, 'session:turn', '{"type":"session:turn","turn":{"state":"running","turnId":"7fbad77d-c824-46c2-a5ef-b8c067959ee7","startedAt":"2026-11-15T15:50:09.974Z"},"sessionId":"builtin:1d7fe6b1-4ecb-4f70-8b52-bf2c940a944a","seq":16}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 17, 'session:update', '{"type":"session:update","entry":{"type":"tool-call","entryId":"10917d54-58d1-407d-8571-a889d5688baf","turnId":"7fbad77d-c824-46c2-a5ef-b8c067959ee7","toolCallId":"call_c236d4b3-091f-47bc-ab05-c6c256ae7433","name":"echo hi","status":"running","content":"","startedAt":"2026-11-15T15:50:09.977Z","kind":"execute","input":{"command":"echo hi","cwd":"/sample/projects/d3591cf9-e190-497e-95d9-ca3a503a2408"},"parts":[{"type":"terminal","terminalId":"094dd1c2-5273-4287-97da-f0f49d28bf7d"}]},"sessionId":"builtin:1d7fe6b1-4ecb-4f70-8b52-bf2c940a944a","seq":17}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 18, 'session:chunk', '{"type":"session:chunk","entryId":"10917d54-58d1-407d-8571-a889d5688baf","content":"hi\n","field":"result","sessionId":"builtin:1d7fe6b1-4ecb-4f70-8b52-bf2c940a944a","seq":18}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 19, 'session:update', '{"type":"session:update","entry":{"type":"tool-call","entryId":"10917d54-58d1-407d-8571-a889d5688baf","turnId":"7fbad77d-c824-46c2-a5ef-b8c067959ee7","toolCallId":"call_c236d4b3-091f-47bc-ab05-c6c256ae7433","name":"echo hi","status":"complete","content":"","startedAt":"2026-11-15T15:50:09.977Z","kind":"execute","input":{"command":"echo hi","cwd":"/sample/projects/d3591cf9-e190-497e-95d9-ca3a503a2408"},"parts":[{"type":"terminal","terminalId":"094dd1c2-5273-4287-97da-f0f49d28bf7d"}],"output":{"truncated":false,"exitCode":0},"result":"hi\n","endedAt":"2026-11-15T15:50:10.006Z"},"sessionId":"builtin:1d7fe6b1-4ecb-4f70-8b52-bf2c940a944a","seq":19}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 20, 'session:update', '{"type":"session:update","entry":{"entryId":"831f6ca9-0687-449d-97c3-63cff7c3b58e","turnId":"7fbad77d-c824-46c2-a5ef-b8c067959ee7","content":"The command succeeded.","timestamp":"2026-11-15T15:50:10.011Z","messageId":"msg_e5e57a2e-402f-484e-bcf7-d7627131a5a3","type":"assistant"},"sessionId":"builtin:1d7fe6b1-4ecb-4f70-8b52-bf2c940a944a","seq":20}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 21, 'session:complete', '{"type":"session:complete","entryId":"831f6ca9-0687-449d-97c3-63cff7c3b58e","sessionId":"builtin:1d7fe6b1-4ecb-4f70-8b52-bf2c940a944a","seq":21}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 22, 'session:turn', '{"type":"session:turn","turn":{"state":"idle","turnId":"7fbad77d-c824-46c2-a5ef-b8c067959ee7","startedAt":"2026-11-15T15:50:09.974Z","stopReason":"end_turn"},"sessionId":"builtin:1d7fe6b1-4ecb-4f70-8b52-bf2c940a944a","seq":22}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 23, 'session:update', '{"type":"session:update","entry":{"type":"user","entryId":"3ed5e904-32a0-417a-b159-366643b959db","turnId":"340b0010-a3db-4b31-a022-b04488be6d35","content":"plan","timestamp":"2026-11-15T15:50:10.014Z","commandId":"c9f86634-87cc-41e7-90b1-6716e33a22cc"},"sessionId":"builtin:1d7fe6b1-4ecb-4f70-8b52-bf2c940a944a","seq":23}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 24, 'session:turn', '{"type":"session:turn","turn":{"state":"running","turnId":"340b0010-a3db-4b31-a022-b04488be6d35","startedAt":"2026-11-15T15:50:10.014Z"},"sessionId":"builtin:1d7fe6b1-4ecb-4f70-8b52-bf2c940a944a","seq":24}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 25, 'session:update', '{"type":"session:update","entry":{"entryId":"1832ab6d-f153-4f17-80f1-c592e60e51fe","turnId":"340b0010-a3db-4b31-a022-b04488be6d35","content":"Here is my plan.","timestamp":"2026-11-15T15:50:10.018Z","messageId":"msg_403eb416-7360-4c1b-9042-2ed765cdb8ed","type":"assistant"},"sessionId":"builtin:1d7fe6b1-4ecb-4f70-8b52-bf2c940a944a","seq":25}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 26, 'session:complete', '{"type":"session:complete","entryId":"1832ab6d-f153-4f17-80f1-c592e60e51fe","sessionId":"builtin:1d7fe6b1-4ecb-4f70-8b52-bf2c940a944a","seq":26}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 27, 'session:update', '{"type":"session:update","entry":{"type":"plan","entryId":"f06778e5-330b-441b-b3be-eac363827d87","turnId":"340b0010-a3db-4b31-a022-b04488be6d35","content":"- [ ] Write the steps down\n- [ ] Work through them one by one\n- [ ] Look back at what was done","items":[{"content":"Write the steps down","priority":"high","status":"in_progress"},{"content":"Work through them one by one","priority":"medium","status":"pending"},{"content":"Look back at what was done","priority":"low","status":"pending"}]},"sessionId":"builtin:1d7fe6b1-4ecb-4f70-8b52-bf2c940a944a","seq":27}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 28, 'session:update', '{"type":"session:update","entry":{"type":"plan","entryId":"f06778e5-330b-441b-b3be-eac363827d87","turnId":"340b0010-a3db-4b31-a022-b04488be6d35","content":"- [x] Write the steps down\n- [ ] Work through them one by one\n- [ ] Look back at what was done","items":[{"content":"Write the steps down","priority":"high","status":"completed"},{"content":"Work through them one by one","priority":"medium","status":"in_progress"},{"content":"Look back at what was done","priority":"low","status":"pending"}]},"sessionId":"builtin:1d7fe6b1-4ecb-4f70-8b52-bf2c940a944a","seq":28}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 29, 'session:update', '{"type":"session:update","entry":{"type":"plan","entryId":"f06778e5-330b-441b-b3be-eac363827d87","turnId":"340b0010-a3db-4b31-a022-b04488be6d35","content":"- [x] Write the steps down\n- [x] Work through them one by one\n- [ ] Look back at what was done","items":[{"content":"Write the steps down","priority":"high","status":"completed"},{"content":"Work through them one by one","priority":"medium","status":"completed"},{"content":"Look back at what was done","priority":"low","status":"in_progress"}]},"sessionId":"builtin:1d7fe6b1-4ecb-4f70-8b52-bf2c940a944a","seq":29}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 30, 'session:update', '{"type":"session:update","entry":{"type":"plan","entryId":"f06778e5-330b-441b-b3be-eac363827d87","turnId":"340b0010-a3db-4b31-a022-b04488be6d35","content":"- [x] Write the steps down\n- [x] Work through them one by one\n- [x] Look back at what was done","items":[{"content":"Write the steps down","priority":"high","status":"completed"},{"content":"Work through them one by one","priority":"medium","status":"completed"},{"content":"Look back at what was done","priority":"low","status":"completed"}]},"sessionId":"builtin:1d7fe6b1-4ecb-4f70-8b52-bf2c940a944a","seq":30}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 31, 'session:update', '{"type":"session:update","entry":{"entryId":"042cefaa-afed-4464-a59b-bc71145fb84e","turnId":"340b0010-a3db-4b31-a022-b04488be6d35","content":"Done.","timestamp":"2026-11-15T15:50:10.264Z","messageId":"msg_c3c8e7d2-8337-4feb-b24c-d010b2204855","type":"assistant"},"sessionId":"builtin:1d7fe6b1-4ecb-4f70-8b52-bf2c940a944a","seq":31}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 32, 'session:complete', '{"type":"session:complete","entryId":"042cefaa-afed-4464-a59b-bc71145fb84e","sessionId":"builtin:1d7fe6b1-4ecb-4f70-8b52-bf2c940a944a","seq":32}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 33, 'session:turn', '{"type":"session:turn","turn":{"state":"idle","turnId":"340b0010-a3db-4b31-a022-b04488be6d35","startedAt":"2026-11-15T15:50:10.014Z","stopReason":"end_turn"},"sessionId":"builtin:1d7fe6b1-4ecb-4f70-8b52-bf2c940a944a","seq":33}');
INSERT INTO fact (session_key, seq, type, json) VALUES (2, 1, 'session:config', '{"type":"session:config","config":{"options":[],"commands":[{"name":"help","description":"Shows this page."},{"name":"list","description":"Lists the files of this directory (without .git and node_modules).","hint":"[directory]"},{"name":"read","description":"Reads a file of this directory.","hint":"<file>"},{"name":"search","description":"Looks for a text in the files of this directory.","hint":"<text>"},{"name":"edit","description":"Replaces a text in a file, after showing you the diff.","hint":"<file> \"<old>\" \"<new>\""},{"name":"run","description":"Runs a shell command here, after asking you.","hint":"<command>"},{"name":"plan","description":"Makes a plan of three steps and works through it."},{"name":"think","description":"Thinks aloud for a moment, then answers."},{"name":"ask","description":"Asks you something with a form, or asks you to visit a page.","hint":"url"},{"name":"image","description":"Paints a small picture."},{"name":"stream","description":"Streams numbered words, as fast as it can or at a steady rate.","hint":"<n> words at <m>/s"},{"name":"sleep","description":"Waits, for ever without a number; Cancel wakes me.","hint":"[seconds]"},{"name":"all","description":"Sends one of every kind of update, and asks one of every kind of request."},{"name":"fail","description":"Answers with an error, to see what that looks like."},{"name":"crash","description":"Ends this agent''s process in the middle of a turn."}],"usage":null},"sessionId":"builtin:efb825ca-2d3b-4cb2-9313-797a1af1ba6d","seq":1}');
INSERT INTO fact (session_key, seq, type, json) VALUES (2, 2, 'session:config', '{"type":"session:config","config":{"options":[{"id":"mode","name":"Permissions","description":"When the guide asks before it changes something.","category":"mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask first","description":"Asks before each edit and each command."},{"value":"edits","name":"Allow edits","description":"Edits files without asking; asks before commands."},{"value":"all","name":"Allow everything","description":"Edits files and runs commands without asking."},{"value":"read","name":"Read only","description":"Refuses edits and commands."}]},{"id":"voice","name":"Voice","description":"How much the guide says.","category":"_voice","type":"select","currentValue":"brief","options":[{"value":"brief","name":"Brief","description":"Short answers."},{"value":"detailed","name":"Detailed","description":"Answers with examples and background."}]},{"id":"thoughts","name":"Think aloud","description":"Shows a thought before each answer.","type":"boolean","currentValue":false}],"commands":[{"name":"help","description":"Shows this page."},{"name":"list","description":"Lists the files of this directory (without .git and node_modules).","hint":"[directory]"},{"name":"read","description":"Reads a file of this directory.","hint":"<file>"},{"name":"search","description":"Looks for a text in the files of this directory.","hint":"<text>"},{"name":"edit","description":"Replaces a text in a file, after showing you the diff.","hint":"<file> \"<old>\" \"<new>\""},{"name":"run","description":"Runs a shell command here, after asking you.","hint":"<command>"},{"name":"plan","description":"Makes a plan of three steps and works through it."},{"name":"think","description":"Thinks aloud for a moment, then answers."},{"name":"ask","description":"Asks you something with a form, or asks you to visit a page.","hint":"url"},{"name":"image","description":"Paints a small picture."},{"name":"stream","description":"Streams numbered words, as fast as it can or at a steady rate.","hint":"<n> words at <m>/s"},{"name":"sleep","description":"Waits, for ever without a number; Cancel wakes me.","hint":"[seconds]"},{"name":"all","description":"Sends one of every kind of update, and asks one of every kind of request."},{"name":"fail","description":"Answers with an error, to see what that looks like."},{"name":"crash","description":"Ends this agent''s process in the middle of a turn."}],"usage":null},"sessionId":"builtin:efb825ca-2d3b-4cb2-9313-797a1af1ba6d","seq":2}');
INSERT INTO fact (session_key, seq, type, json) VALUES (2, 3, 'session:config', '{"type":"session:config","config":{"options":[{"id":"mode","name":"Permissions","description":"When the guide asks before it changes something.","category":"mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask first","description":"Asks before each edit and each command."},{"value":"edits","name":"Allow edits","description":"Edits files without asking; asks before commands."},{"value":"all","name":"Allow everything","description":"Edits files and runs commands without asking."},{"value":"read","name":"Read only","description":"Refuses edits and commands."}]},{"id":"voice","name":"Voice","description":"How much the guide says.","category":"_voice","type":"select","currentValue":"brief","options":[{"value":"brief","name":"Brief","description":"Short answers."},{"value":"detailed","name":"Detailed","description":"Answers with examples and background."}]},{"id":"thoughts","name":"Think aloud","description":"Shows a thought before each answer.","type":"boolean","currentValue":false}],"commands":[{"name":"help","description":"Shows this page."},{"name":"list","description":"Lists the files of this directory (without .git and node_modules).","hint":"[directory]"},{"name":"read","description":"Reads a file of this directory.","hint":"<file>"},{"name":"search","description":"Looks for a text in the files of this directory.","hint":"<text>"},{"name":"edit","description":"Replaces a text in a file, after showing you the diff.","hint":"<file> \"<old>\" \"<new>\""},{"name":"run","description":"Runs a shell command here, after asking you.","hint":"<command>"},{"name":"plan","description":"Makes a plan of three steps and works through it."},{"name":"think","description":"Thinks aloud for a moment, then answers."},{"name":"ask","description":"Asks you something with a form, or asks you to visit a page.","hint":"url"},{"name":"image","description":"Paints a small picture."},{"name":"stream","description":"Streams numbered words, as fast as it can or at a steady rate.","hint":"<n> words at <m>/s"},{"name":"sleep","description":"Waits, for ever without a number; Cancel wakes me.","hint":"[seconds]"},{"name":"all","description":"Sends one of every kind of update, and asks one of every kind of request."},{"name":"fail","description":"Answers with an error, to see what that looks like."},{"name":"crash","description":"Ends this agent''s process in the middle of a turn."}],"usage":null,"abilities":{"image":true,"audio":false,"embeddedContext":true,"steering":true}},"sessionId":"builtin:efb825ca-2d3b-4cb2-9313-797a1af1ba6d","seq":3}');
INSERT INTO fact (session_key, seq, type, json) VALUES (2, 4, 'session:title-updated', '{"type":"session:title-updated","title":"stream 100000 words at 200/s","source":"derived","sessionId":"builtin:efb825ca-2d3b-4cb2-9313-797a1af1ba6d","seq":4}');
INSERT INTO fact (session_key, seq, type, json) VALUES (2, 5, 'session:update', '{"type":"session:update","entry":{"type":"user","entryId":"db0e6d3d-4aed-476b-9579-7579ad58b664","turnId":"6d05d25c-8e1e-410b-bc0a-d9ab30d924bf","content":"stream 100000 words at 200/s","timestamp":"2026-11-15T15:50:10.340Z","commandId":"8435f429-945a-40c4-a9ca-edd6a4bacb7c"},"sessionId":"builtin:efb825ca-2d3b-4cb2-9313-797a1af1ba6d","seq":5}');
INSERT INTO fact (session_key, seq, type, json) VALUES (2, 6, 'session:turn', '{"type":"session:turn","turn":{"state":"running","turnId":"6d05d25c-8e1e-410b-bc0a-d9ab30d924bf","startedAt":"2026-11-15T15:50:10.340Z"},"sessionId":"builtin:efb825ca-2d3b-4cb2-9313-797a1af1ba6d","seq":6}');
INSERT INTO fact (session_key, seq, type, json) VALUES (2, 7, 'session:update', '{"type":"session:update","entry":{"entryId":"3ce4c067-58b6-46b4-8d60-807bd211c0c6","turnId":"6d05d25c-8e1e-410b-bc0a-d9ab30d924bf","content":"w1 ","timestamp":"2026-11-15T15:50:10.348Z","messageId":"msg_f76bee46-d4f4-4405-a47c-800ef3125aff","type":"assistant"},"sessionId":"builtin:efb825ca-2d3b-4cb2-9313-797a1af1ba6d","seq":7}');
INSERT INTO fact (session_key, seq, type, json) VALUES (2, 8, 'session:chunk', '{"type":"session:chunk","entryId":"3ce4c067-58b6-46b4-8d60-807bd211c0c6","content":"w2 w3 w4 w5 ","sessionId":"builtin:efb825ca-2d3b-4cb2-9313-797a1af1ba6d","seq":8}');
INSERT INTO fact (session_key, seq, type, json) VALUES (2, 9, 'session:chunk', '{"type":"session:chunk","entryId":"3ce4c067-58b6-46b4-8d60-807bd211c0c6","content":"w6 w7 ","sessionId":"builtin:efb825ca-2d3b-4cb2-9313-797a1af1ba6d","seq":9}');
INSERT INTO fact (session_key, seq, type, json) VALUES (2, 10, 'session:chunk', '{"type":"session:chunk","entryId":"3ce4c067-58b6-46b4-8d60-807bd211c0c6","content":"w8 w9 w10 w11 ","sessionId":"builtin:efb825ca-2d3b-4cb2-9313-797a1af1ba6d","seq":10}');
INSERT INTO fact (session_key, seq, type, json) VALUES (2, 11, 'session:chunk', '{"type":"session:chunk","entryId":"3ce4c067-58b6-46b4-8d60-807bd211c0c6","content":"w12 w13 w14 ","sessionId":"builtin:efb825ca-2d3b-4cb2-9313-797a1af1ba6d","seq":11}');
INSERT INTO fact (session_key, seq, type, json) VALUES (2, 12, 'session:chunk', '{"type":"session:chunk","entryId":"3ce4c067-58b6-46b4-8d60-807bd211c0c6","content":"w15 w16 w17 w18 ","sessionId":"builtin:efb825ca-2d3b-4cb2-9313-797a1af1ba6d","seq":12}');
INSERT INTO fact (session_key, seq, type, json) VALUES (2, 13, 'session:chunk', '{"type":"session:chunk","entryId":"3ce4c067-58b6-46b4-8d60-807bd211c0c6","content":"w19 w20 w21 ","sessionId":"builtin:efb825ca-2d3b-4cb2-9313-797a1af1ba6d","seq":13}');
INSERT INTO entry (session_key, position, entry_id, agent_id, json) VALUES (1, 1, 'af9d98ec-38a9-4cf4-8eb1-9de8460a5670', NULL, '{"type":"user","entryId":"af9d98ec-38a9-4cf4-8eb1-9de8460a5670","turnId":"43b04c62-2c44-4a40-841f-a349d6bfb16e","content":"stream 3 words","timestamp":"2026-11-15T15:50:09.951Z","commandId":"aefb679d-a222-496e-9b4a-9644a14e436b"}');
INSERT INTO entry (session_key, position, entry_id, agent_id, json) VALUES (1, 2, 'af387f7e-280d-4c2c-8c92-b8ca1f4c67d8', 'msg_8c1109c3-369b-491f-acfa-d569c61da3ef', '{"entryId":"af387f7e-280d-4c2c-8c92-b8ca1f4c67d8","turnId":"43b04c62-2c44-4a40-841f-a349d6bfb16e","content":"w1 w2 w3","timestamp":"2026-11-15T15:50:09.965Z","messageId":"msg_8c1109c3-369b-491f-acfa-d569c61da3ef","type":"assistant"}');
INSERT INTO entry (session_key, position, entry_id, agent_id, json) VALUES (1, 3, '81c62321-d59f-4f7c-813a-748ac6f8b21b', NULL, '{"type":"user","entryId":"81c62321-d59f-4f7c-813a-748ac6f8b21b","turnId":"7fbad77d-c824-46c2-a5ef-b8c067959ee7","content":"run echo hi","timestamp":"2026-11-15T15:50:09.974Z","commandId":"e8e27883-0d30-41af-9d89-d9f921e33a1e"}');
INSERT INTO entry (session_key, position, entry_id, agent_id, json) VALUES (1, 4, '10917d54-58d1-407d-8571-a889d5688baf', 'call_c236d4b3-091f-47bc-ab05-c6c256ae7433', '{"type":"tool-call","entryId":"10917d54-58d1-407d-8571-a889d5688baf","turnId":"7fbad77d-c824-46c2-a5ef-b8c067959ee7","toolCallId":"call_c236d4b3-091f-47bc-ab05-c6c256ae7433","name":"echo hi","status":"complete","content":"","startedAt":"2026-11-15T15:50:09.977Z","kind":"execute","input":{"command":"echo hi","cwd":"/sample/projects/d3591cf9-e190-497e-95d9-ca3a503a2408"},"parts":[{"type":"terminal","terminalId":"094dd1c2-5273-4287-97da-f0f49d28bf7d"}],"output":{"truncated":false,"exitCode":0},"result":"hi\n","endedAt":"2026-11-15T15:50:10.006Z"}');
INSERT INTO entry (session_key, position, entry_id, agent_id, json) VALUES (1, 5, '831f6ca9-0687-449d-97c3-63cff7c3b58e', 'msg_e5e57a2e-402f-484e-bcf7-d7627131a5a3', '{"entryId":"831f6ca9-0687-449d-97c3-63cff7c3b58e","turnId":"7fbad77d-c824-46c2-a5ef-b8c067959ee7","content":"The command succeeded.","timestamp":"2026-11-15T15:50:10.011Z","messageId":"msg_e5e57a2e-402f-484e-bcf7-d7627131a5a3","type":"assistant"}');
INSERT INTO entry (session_key, position, entry_id, agent_id, json) VALUES (1, 6, '3ed5e904-32a0-417a-b159-366643b959db', NULL, '{"type":"user","entryId":"3ed5e904-32a0-417a-b159-366643b959db","turnId":"340b0010-a3db-4b31-a022-b04488be6d35","content":"plan","timestamp":"2026-11-15T15:50:10.014Z","commandId":"c9f86634-87cc-41e7-90b1-6716e33a22cc"}');
INSERT INTO entry (session_key, position, entry_id, agent_id, json) VALUES (1, 7, '1832ab6d-f153-4f17-80f1-c592e60e51fe', 'msg_403eb416-7360-4c1b-9042-2ed765cdb8ed', '{"entryId":"1832ab6d-f153-4f17-80f1-c592e60e51fe","turnId":"340b0010-a3db-4b31-a022-b04488be6d35","content":"Here is my plan.","timestamp":"2026-11-15T15:50:10.018Z","messageId":"msg_403eb416-7360-4c1b-9042-2ed765cdb8ed","type":"assistant"}');
INSERT INTO entry (session_key, position, entry_id, agent_id, json) VALUES (1, 8, 'f06778e5-330b-441b-b3be-eac363827d87', NULL, '{"type":"plan","entryId":"f06778e5-330b-441b-b3be-eac363827d87","turnId":"340b0010-a3db-4b31-a022-b04488be6d35","content":"- [x] Write the steps down\n- [x] Work through them one by one\n- [x] Look back at what was done","items":[{"content":"Write the steps down","priority":"high","status":"completed"},{"content":"Work through them one by one","priority":"medium","status":"completed"},{"content":"Look back at what was done","priority":"low","status":"completed"}]}');
INSERT INTO entry (session_key, position, entry_id, agent_id, json) VALUES (1, 9, '042cefaa-afed-4464-a59b-bc71145fb84e', 'msg_c3c8e7d2-8337-4feb-b24c-d010b2204855', '{"entryId":"042cefaa-afed-4464-a59b-bc71145fb84e","turnId":"340b0010-a3db-4b31-a022-b04488be6d35","content":"Done.","timestamp":"2026-11-15T15:50:10.264Z","messageId":"msg_c3c8e7d2-8337-4feb-b24c-d010b2204855","type":"assistant"}');
INSERT INTO permission_record (key, session_key, permission_id, asked_at, tool_call, options, answered, answered_by, answered_at, why) VALUES (1, 1, 'db2205b4-7616-4f25-95a1-20bc588fa4cc', '2026-11-15T15:50:09.981Z', '{"toolCallId":"call_c236d4b3-091f-47bc-ab05-c6c256ae7433","name":"echo hi","kind":"execute","input":{"command":"echo hi","cwd":"/sample/projects/d3591cf9-e190-497e-95d9-ca3a503a2408"}}', '[{"optionId":"allow-once","name":"Allow once","kind":"allow_once"},{"optionId":"allow-always","name":"Always allow commands in this session","kind":"allow_always"},{"optionId":"reject-once","name":"Reject","kind":"reject_once"}]', 'allowed', 'user', NULL, NULL);
INSERT INTO search_text (key, session_key, entry_id, kind, at) VALUES (1000000000001, 1, '', 'title', NULL);
INSERT INTO search_text (key, session_key, entry_id, kind, at) VALUES (1000000000002, 1, 'af9d98ec-38a9-4cf4-8eb1-9de8460a5670', 'user', '2026-11-15T15:50:09.951Z');
INSERT INTO search_text (key, session_key, entry_id, kind, at) VALUES (1000000000003, 1, 'af387f7e-280d-4c2c-8c92-b8ca1f4c67d8', 'assistant', '2026-11-15T15:50:09.965Z');
INSERT INTO search_text (key, session_key, entry_id, kind, at) VALUES (1000000000004, 1, '81c62321-d59f-4f7c-813a-748ac6f8b21b', 'user', '2026-11-15T15:50:09.974Z');
INSERT INTO search_text (key, session_key, entry_id, kind, at) VALUES (1000000000005, 1, '10917d54-58d1-407d-8571-a889d5688baf', 'tool-call', '2026-11-15T15:50:09.977Z');
INSERT INTO search_text (key, session_key, entry_id, kind, at) VALUES (1000000000006, 1, '831f6ca9-0687-449d-97c3-63cff7c3b58e', 'assistant', '2026-11-15T15:50:10.011Z');
INSERT INTO search_text (key, session_key, entry_id, kind, at) VALUES (1000000000007, 1, '3ed5e904-32a0-417a-b159-366643b959db', 'user', '2026-11-15T15:50:10.014Z');
INSERT INTO search_text (key, session_key, entry_id, kind, at) VALUES (1000000000008, 1, '1832ab6d-f153-4f17-80f1-c592e60e51fe', 'assistant', '2026-11-15T15:50:10.018Z');
INSERT INTO search_text (key, session_key, entry_id, kind, at) VALUES (1000000000009, 1, 'f06778e5-330b-441b-b3be-eac363827d87', 'plan', '2026-11-15T15:50:10.264Z');
INSERT INTO search_text (key, session_key, entry_id, kind, at) VALUES (1000000000010, 1, '042cefaa-afed-4464-a59b-bc71145fb84e', 'assistant', '2026-11-15T15:50:10.264Z');
INSERT INTO search_text (key, session_key, entry_id, kind, at) VALUES (1000000000011, 2, '', 'title', NULL);
INSERT INTO search_index (rowid, text) VALUES (1000000000001, 'stream 3 words');
INSERT INTO search_index (rowid, text) VALUES (1000000000002, 'stream 3 words');
INSERT INTO search_index (rowid, text) VALUES (1000000000003, 'w1 w2 w3');
INSERT INTO search_index (rowid, text) VALUES (1000000000004, 'run echo hi');
INSERT INTO search_index (rowid, text) VALUES (1000000000005, 'echo hi
/sample/projects/d3591cf9-e190-497e-95d9-ca3a503a2408
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
INSERT INTO agent_session (cli_type, agent_session_id, session_key) VALUES ('builtin', 'guide_a4899fe1-6527-43c6-8f94-78b32f9d0022', 2);
INSERT INTO agent_session (cli_type, agent_session_id, session_key) VALUES ('builtin', 'guide_b371cbd8-439f-443c-8d68-135a4a2338b2', 1);
CREATE TRIGGER agent_session_of_new AFTER INSERT ON session WHEN NEW.agent_session_id <> '' BEGIN
  INSERT OR IGNORE INTO agent_session VALUES (NEW.cli_type, NEW.agent_session_id, NEW.key);
END;
CREATE TRIGGER agent_session_of_bound AFTER UPDATE OF agent_session_id ON session WHEN NEW.agent_session_id <> '' BEGIN
  INSERT OR IGNORE INTO agent_session VALUES (NEW.cli_type, NEW.agent_session_id, NEW.key);
END;
PRAGMA user_version = 7;
