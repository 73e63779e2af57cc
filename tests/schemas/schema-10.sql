-- migration sha256 2e0c86c7654a9877
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
INSERT INTO project (id, path, name, added_at, position, removed) VALUES ('56b2c892-45c6-40e7-8f4a-4151c32d586f', '/sample/projects/ff2c580d-98c3-4f69-8989-80f4f7caca12', 'ff2c580d-98c3-4f69-8989-80f4f7caca12', '2026-11-15T16:50:38.065Z', 1, 0);
INSERT INTO session (key, id, project_id, cli_type, title, created_at, last_active_at, archived, turn, unfinished, parent_id, agent_session_id, agent_session_at, cwd, agent_state, agent_state_at, last_seq, kept_from_seq, snapshot_seq, snapshot, next_position, draft, attention_seq, seen_seq, usage, adopted, armed_waits, process_id, heard, cancelling) VALUES (1, 'builtin:2ba2814d-16bd-467a-92d5-1d7625b34bdf', '56b2c892-45c6-40e7-8f4a-4151c32d586f', 'builtin', 'stream 3 words', '2026-11-15T16:50:38.720Z', '2026-11-15T16:50:39.107Z', 0, '{"state":"idle","turnId":"973b5d64-7ae1-429a-a15b-97001ed89cb2","startedAt":"2026-11-15T16:50:38.857Z","stopReason":"end_turn"}', 0, NULL, 'guide_a1247c7f-a782-4cef-b4c9-6e6928cac6e7', '2026-11-15T16:50:38.720Z', '/sample/projects/ff2c580d-98c3-4f69-8989-80f4f7caca12', 'active', '2026-11-15T16:50:38.720Z', 33, 1, 33, '{"seq":33,"title":"stream 3 words","titleSource":"derived","archived":false,"open":[],"turn":{"state":"idle","turnId":"973b5d64-7ae1-429a-a15b-97001ed89cb2","startedAt":"2026-11-15T16:50:38.857Z","stopReason":"end_turn"},"pending":[],"visits":[],"queue":[],"queuePaused":false,"config":{"options":[{"id":"mode","name":"Permissions","description":"When the guide asks before it changes something.","category":"mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask first","description":"Asks before each edit and each command."},{"value":"edits","name":"Allow edits","description":"Edits files without asking; asks before commands."},{"value":"all","name":"Allow everything","description":"Edits files and runs commands without asking."},{"value":"read","name":"Read only","description":"Refuses edits and commands."}]},{"id":"voice","name":"Voice","description":"How much the guide says.","category":"_voice","type":"select","currentValue":"brief","options":[{"value":"brief","name":"Brief","description":"Short answers."},{"value":"detailed","name":"Detailed","description":"Answers with examples and background."}]},{"id":"thoughts","name":"Think aloud","description":"Shows a thought before each answer.","type":"boolean","currentValue":false}],"commands":[{"name":"help","description":"Shows this page."},{"name":"list","description":"Lists the files of this directory (without .git and node_modules).","hint":"[directory]"},{"name":"read","description":"Reads a file of this directory.","hint":"<file>"},{"name":"search","description":"Looks for a text in the files of this directory.","hint":"<text>"},{"name":"edit","description":"Replaces a text in a file, after showing you the diff.","hint":"<file> \"<old>\" \"<new>\""},{"name":"run","description":"Runs a shell command here, after asking you.","hint":"<command>"},{"name":"plan","description":"Makes a plan of three steps and works through it."},{"name":"think","description":"Thinks aloud for a moment, then answers."},{"name":"ask","description":"Asks you something with a form, or asks you to visit a page.","hint":"url"},{"name":"image","description":"Paints a small picture."},{"name":"stream","description":"Streams numbered words, as fast as it can or at a steady rate.","hint":"<n> words at <m>/s"},{"name":"sleep","description":"Waits, for ever without a number; Cancel wakes me.","hint":"[seconds]"},{"name":"all","description":"Sends one of every kind of update, and asks one of every kind of request."},{"name":"fail","description":"Answers with an error, to see what that looks like."},{"name":"crash","description":"Ends this agent''s process in the middle of a turn."}],"usage":null,"abilities":{"image":true,"audio":false,"embeddedContext":true,"steering":true}}}', 10, 'a draft', 33, 0, NULL, 0, 0, 'db0fb2f1-3cb6-4bf5-9ba8-a43d7ef62771', 32, NULL);
INSERT INTO session (key, id, project_id, cli_type, title, created_at, last_active_at, archived, turn, unfinished, parent_id, agent_session_id, agent_session_at, cwd, agent_state, agent_state_at, last_seq, kept_from_seq, snapshot_seq, snapshot, next_position, draft, attention_seq, seen_seq, usage, adopted, armed_waits, process_id, heard, cancelling) VALUES (2, 'builtin:5a8c654d-bc88-473a-a8c8-1c2cfac02a3d', '56b2c892-45c6-40e7-8f4a-4151c32d586f', 'builtin', 'stream 100000 words at 200/s', '2026-11-15T16:50:39.134Z', '2026-11-15T16:50:39.201Z', 0, '{"state":"running","turnId":"cd6a4513-4a0e-42dc-b485-f41748cf5915","startedAt":"2026-11-15T16:50:39.149Z"}', 1, NULL, 'guide_548aadbf-8f5b-4075-baf8-6f5d8220e5b5', '2026-11-15T16:50:39.134Z', '/sample/projects/ff2c580d-98c3-4f69-8989-80f4f7caca12', 'active', '2026-11-15T16:50:39.134Z', 8, 1, 3, '{"seq":3,"title":"New Session","titleSource":"none","archived":false,"open":[],"turn":{"state":"idle"},"pending":[],"visits":[],"queue":[],"queuePaused":false,"config":{"options":[{"id":"mode","name":"Permissions","description":"When the guide asks before it changes something.","category":"mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask first","description":"Asks before each edit and each command."},{"value":"edits","name":"Allow edits","description":"Edits files without asking; asks before commands."},{"value":"all","name":"Allow everything","description":"Edits files and runs commands without asking."},{"value":"read","name":"Read only","description":"Refuses edits and commands."}]},{"id":"voice","name":"Voice","description":"How much the guide says.","category":"_voice","type":"select","currentValue":"brief","options":[{"value":"brief","name":"Brief","description":"Short answers."},{"value":"detailed","name":"Detailed","description":"Answers with examples and background."}]},{"id":"thoughts","name":"Think aloud","description":"Shows a thought before each answer.","type":"boolean","currentValue":false}],"commands":[{"name":"help","description":"Shows this page."},{"name":"list","description":"Lists the files of this directory (without .git and node_modules).","hint":"[directory]"},{"name":"read","description":"Reads a file of this directory.","hint":"<file>"},{"name":"search","description":"Looks for a text in the files of this directory.","hint":"<text>"},{"name":"edit","description":"Replaces a text in a file, after showing you the diff.","hint":"<file> \"<old>\" \"<new>\""},{"name":"run","description":"Runs a shell command here, after asking you.","hint":"<command>"},{"name":"plan","description":"Makes a plan of three steps and works through it."},{"name":"think","description":"Thinks aloud for a moment, then answers."},{"name":"ask","description":"Asks you something with a form, or asks you to visit a page.","hint":"url"},{"name":"image","description":"Paints a small picture."},{"name":"stream","description":"Streams numbered words, as fast as it can or at a steady rate.","hint":"<n> words at <m>/s"},{"name":"sleep","description":"Waits, for ever without a number; Cancel wakes me.","hint":"[seconds]"},{"name":"all","description":"Sends one of every kind of update, and asks one of every kind of request."},{"name":"fail","description":"Answers with an error, to see what that looks like."},{"name":"crash","description":"Ends this agent''s process in the middle of a turn."}],"usage":null,"abilities":{"image":true,"audio":false,"embeddedContext":true,"steering":true}}}', 1, '', 0, 0, NULL, 0, 0, 'db0fb2f1-3cb6-4bf5-9ba8-a43d7ef62771', 46, NULL);
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 1, 'session:config', '{"type":"session:config","config":{"options":[{"id":"mode","name":"Permissions","description":"When the guide asks before it changes something.","category":"mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask first","description":"Asks before each edit and each command."},{"value":"edits","name":"Allow edits","description":"Edits files without asking; asks before commands."},{"value":"all","name":"Allow everything","description":"Edits files and runs commands without asking."},{"value":"read","name":"Read only","description":"Refuses edits and commands."}]},{"id":"voice","name":"Voice","description":"How much the guide says.","category":"_voice","type":"select","currentValue":"brief","options":[{"value":"brief","name":"Brief","description":"Short answers."},{"value":"detailed","name":"Detailed","description":"Answers with examples and background."}]},{"id":"thoughts","name":"Think aloud","description":"Shows a thought before each answer.","type":"boolean","currentValue":false}],"commands":[],"usage":null},"sessionId":"builtin:2ba2814d-16bd-467a-92d5-1d7625b34bdf","seq":1}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 2, 'session:config', '{"type":"session:config","config":{"options":[{"id":"mode","name":"Permissions","description":"When the guide asks before it changes something.","category":"mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask first","description":"Asks before each edit and each command."},{"value":"edits","name":"Allow edits","description":"Edits files without asking; asks before commands."},{"value":"all","name":"Allow everything","description":"Edits files and runs commands without asking."},{"value":"read","name":"Read only","description":"Refuses edits and commands."}]},{"id":"voice","name":"Voice","description":"How much the guide says.","category":"_voice","type":"select","currentValue":"brief","options":[{"value":"brief","name":"Brief","description":"Short answers."},{"value":"detailed","name":"Detailed","description":"Answers with examples and background."}]},{"id":"thoughts","name":"Think aloud","description":"Shows a thought before each answer.","type":"boolean","currentValue":false}],"commands":[],"usage":null,"abilities":{"image":true,"audio":false,"embeddedContext":true,"steering":true}},"sessionId":"builtin:2ba2814d-16bd-467a-92d5-1d7625b34bdf","seq":2}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 3, 'session:config', '{"type":"session:config","config":{"options":[{"id":"mode","name":"Permissions","description":"When the guide asks before it changes something.","category":"mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask first","description":"Asks before each edit and each command."},{"value":"edits","name":"Allow edits","description":"Edits files without asking; asks before commands."},{"value":"all","name":"Allow everything","description":"Edits files and runs commands without asking."},{"value":"read","name":"Read only","description":"Refuses edits and commands."}]},{"id":"voice","name":"Voice","description":"How much the guide says.","category":"_voice","type":"select","currentValue":"brief","options":[{"value":"brief","name":"Brief","description":"Short answers."},{"value":"detailed","name":"Detailed","description":"Answers with examples and background."}]},{"id":"thoughts","name":"Think aloud","description":"Shows a thought before each answer.","type":"boolean","currentValue":false}],"commands":[{"name":"help","description":"Shows this page."},{"name":"list","description":"Lists the files of this directory (without .git and node_modules).","hint":"[directory]"},{"name":"read","description":"Reads a file of this directory.","hint":"<file>"},{"name":"search","description":"Looks for a text in the files of this directory.","hint":"<text>"},{"name":"edit","description":"Replaces a text in a file, after showing you the diff.","hint":"<file> \"<old>\" \"<new>\""},{"name":"run","description":"Runs a shell command here, after asking you.","hint":"<command>"},{"name":"plan","description":"Makes a plan of three steps and works through it."},{"name":"think","description":"Thinks aloud for a moment, then answers."},{"name":"ask","description":"Asks you something with a form, or asks you to visit a page.","hint":"url"},{"name":"image","description":"Paints a small picture."},{"name":"stream","description":"Streams numbered words, as fast as it can or at a steady rate.","hint":"<n> words at <m>/s"},{"name":"sleep","description":"Waits, for ever without a number; Cancel wakes me.","hint":"[seconds]"},{"name":"all","description":"Sends one of every kind of update, and asks one of every kind of request."},{"name":"fail","description":"Answers with an error, to see what that looks like."},{"name":"crash","description":"Ends this agent''s process in the middle of a turn."}],"usage":null,"abilities":{"image":true,"audio":false,"embeddedContext":true,"steering":true}},"sessionId":"builtin:2ba2814d-16bd-467a-92d5-1d7625b34bdf","seq":3}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 4, 'session:title-updated', '{"type":"session:title-updated","title":"stream 3 words","source":"derived","sessionId":"builtin:2ba2814d-16bd-467a-92d5-1d7625b34bdf","seq":4}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 5, 'session:update', '{"type":"session:update","entry":{"type":"user","entryId":"b3f9fd30-8eaa-44e4-8e9f-3d476d8e84f9","turnId":"065749c8-9b61-4a8d-aec4-3128fb73307e","content":"stream 3 words","timestamp":"2026-11-15T16:50:38.763Z","commandId":"b9e119c9-1263-4320-b034-0a9b6ebebe56"},"sessionId":"builtin:2ba2814d-16bd-467a-92d5-1d7625b34bdf","seq":5}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 6, 'session:turn', '{"type":"session:turn","turn":{"state":"running","turnId":"065749c8-9b61-4a8d-aec4-3128fb73307e","startedAt":"2026-11-15T16:50:38.763Z"},"sessionId":"builtin:2ba2814d-16bd-467a-92d5-1d7625b34bdf","seq":6}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 7, 'session:update', '{"type":"session:update","entry":{"entryId":"9bfa18aa-b03b-4dc8-9f21-86b93db50c13","turnId":"065749c8-9b61-4a8d-aec4-3128fb73307e","content":"w1 w2 w3","timestamp":"2026-11-15T16:50:38.775Z","messageId":"msg_6513a126-50b8-4848-a1ec-3f8623e12488","type":"assistant"},"sessionId":"builtin:2ba2814d-16bd-467a-92d5-1d7625b34bdf","seq":7}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 8, 'session:complete', '{"type":"session:complete","entryId":"9bfa18aa-b03b-4dc8-9f21-86b93db50c13","sessionId":"builtin:2ba2814d-16bd-467a-92d5-1d7625b34bdf","seq":8}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 9, 'session:turn', '{"type":"session:turn","turn":{"state":"idle","turnId":"065749c8-9b61-4a8d-aec4-3128fb73307e","startedAt":"2026-11-15T16:50:38.763Z","stopReason":"end_turn"},"sessionId":"builtin:2ba2814d-16bd-467a-92d5-1d7625b34bdf","seq":9}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 10, 'session:update', '{"type":"session:update","entry":{"type":"user","entryId":"9073755a-9a06-433d-a5f2-2a07a23c080b","turnId":"bceace75-d16c-49c7-b0c4-14d9b80483b2","content":"run echo hi","timestamp":"2026-11-15T16:50:38.793Z","commandId":"96bf8cdb-73e0-40e8-8c18-9f76b170adff"},"sessionId":"builtin:2ba2814d-16bd-467a-92d5-1d7625b34bdf","seq":10}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 11, 'session:turn', '{"type":"session:turn","turn":{"state":"running","turnId":"bceace75-d16c-49c7-b0c4-14d9b80483b2","startedAt":"2026-11-15T16:50:38.793Z"},"sessionId":"builtin:2ba2814d-16bd-467a-92d5-1d7625b34bdf","seq":11}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 12, 'session:update', '{"type":"session:update","entry":{"type":"tool-call","entryId":"be9902a6-93c6-4378-8e33-ac319bda73b5","turnId":"bceace75-d16c-49c7-b0c4-14d9b80483b2","toolCallId":"call_2b286e24-f660-4258-a0d1-29fa17555b7a","name":"echo hi","status":"running","content":"","startedAt":"2026-11-15T16:50:38.810Z","kind":"execute","input":{"command":"echo hi","cwd":"/sample/projects/ff2c580d-98c3-4f69-8989-80f4f7caca12"}},"sessionId":"builtin:2ba2814d-16bd-467a-92d5-1d7625b34bdf","seq":12}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 13, 'permission:request', '{"type":"permission:request","permissionId":"db0fb2f1-3cb6-4bf5-9ba8-a43d7ef62771-11","toolCall":{"toolCallId":"call_2b286e24-f660-4258-a0d1-29fa17555b7a","name":"echo hi","kind":"execute","input":{"command":"echo hi","cwd":"/sample/projects/ff2c580d-98c3-4f69-8989-80f4f7caca12"}},"options":[{"optionId":"allow-once","name":"Allow once","kind":"allow_once"},{"optionId":"allow-always","name":"Always allow commands in this session","kind":"allow_always"},{"optionId":"reject-once","name":"Reject","kind":"reject_once"}],"askedAt":"2026-11-15T16:50:38.811Z","offers":[{"effect":"allow","command":"echo"}],"sessionId":"builtin:2ba2814d-16bd-467a-92d5-1d7625b34bdf","seq":13}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 14, 'session:turn', '{"type":"session:turn","turn":{"state":"waiting","turnId":"bceace75-d16c-49c7-b0c4-14d9b80483b2","startedAt":"2026-11-15T16:50:38.793Z"},"sessionId":"builtin:2ba2814d-16bd-467a-92d5-1d7625b34bdf","seq":14}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 15, 'permission:resolved', '{"type":"permission:resolved","permissionId":"db0fb2f1-3cb6-4bf5-9ba8-a43d7ef62771-11","outcome":{"outcome":"selected","optionId":"allow-once"},"sessionId":"builtin:2ba2814d-16bd-467a-92d5-1d7625b34bdf","seq":15}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 16, 'session:turn', '{"type":"session:turn","turn":{"state":"running","turnId":"bceace75-d16c-49c7-b0c4-14d9b80483b2","startedAt":"2026-11-15T16:50:38.793Z"},"sessionId":"builtin:2ba2814d-16bd-467a-92d5-1d7625b34bdf","seq":16}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 17, 'session:update', '{"type":"session:update","entry":{"type":"tool-call","entryId":"be9902a6-93c6-4378-8e33-ac319bda73b5","turnId":"bceace75-d16c-49c7-b0c4-14d9b80483b2","toolCallId":"call_2b286e24-f660-4258-a0d1-29fa17555b7a","name":"echo hi","status":"running","content":"","startedAt":"2026-11-15T16:50:38.810Z","kind":"execute","input":{"command":"echo hi","cwd":"/sample/projects/ff2c580d-98c3-4f69-8989-80f4f7caca12"},"parts":[{"type":"terminal","terminalId":"e89e9cc8-a0a5-4a62-bfc2-f199268ab728"}]},"sessionId":"builtin:2ba2814d-16bd-467a-92d5-1d7625b34bdf","seq":17}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 18, 'session:chunk', '{"type":"session:chunk","entryId":"be9902a6-93c6-4378-8e33-ac319bda73b5","content":"hi\n","field":"result","sessionId":"builtin:2ba2814d-16bd-467a-92d5-1d7625b34bdf","seq":18}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 19, 'session:update', '{"type":"session:update","entry":{"type":"tool-call","entryId":"be9902a6-93c6-4378-8e33-ac319bda73b5","turnId":"bceace75-d16c-49c7-b0c4-14d9b80483b2","toolCallId":"call_2b286e24-f660-4258-a0d1-29fa17555b7a","name":"echo hi","status":"complete","content":"","startedAt":"2026-11-15T16:50:38.810Z","kind":"execute","input":{"command":"echo hi","cwd":"/sample/projects/ff2c580d-98c3-4f69-8989-80f4f7caca12"},"parts":[{"type":"terminal","terminalId":"e89e9cc8-a0a5-4a62-bfc2-f199268ab728"}],"output":{"truncated":false,"exitCode":0},"result":"hi\n","endedAt":"2026-11-15T16:50:38.839Z"},"sessionId":"builtin:2ba2814d-16bd-467a-92d5-1d7625b34bdf","seq":19}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 20, 'session:update', '{"type":"session:update","entry":{"entryId":"04f5d42e-3c72-47e7-9c94-632890ad54cf","turnId":"bceace75-d16c-49c7-b0c4-14d9b80483b2","content":"The command succeeded.","timestamp":"2026-11-15T16:50:38.845Z","messageId":"msg_2e666311-cd60-4c2a-96fb-45cc40cc96fd","type":"assistant"},"sessionId":"builtin:2ba2814d-16bd-467a-92d5-1d7625b34bdf","seq":20}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 21, 'session:complete', '{"type":"session:complete","entryId":"04f5d42e-3c72-47e7-9c94-632890ad54cf","sessionId":"builtin:2ba2814d-16bd-467a-92d5-1d7625b34bdf","seq":21}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 22, 'session:turn', '{"type":"session:turn","turn":{"state":"idle","turnId":"bceace75-d16c-49c7-b0c4-14d9b80483b2","startedAt":"2026-11-15T16:50:38.793Z","stopReason":"end_turn"},"sessionId":"builtin:2ba2814d-16bd-467a-92d5-1d7625b34bdf","seq":22}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 23, 'session:update', '{"type":"session:update","entry":{"type":"user","entryId":"4cb6a106-33f4-4145-bf3f-af64981d02d5","turnId":"973b5d64-7ae1-429a-a15b-97001ed89cb2","content":"plan","timestamp":"2026-11-15T16:50:38.857Z","commandId":"0366e22d-cecb-4659-9209-dfa5147ec252"},"sessionId":"builtin:2ba2814d-16bd-467a-92d5-1d7625b34bdf","seq":23}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 24, 'session:turn', '{"type":"session:turn","turn":{"state":"running","turnId":"973b5d64-7ae1-429a-a15b-97001ed89cb2","startedAt":"2026-11-15T16:50:38.857Z"},"sessionId":"builtin:2ba2814d-16bd-467a-92d5-1d7625b34bdf","seq":24}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 25, 'session:update', '{"type":"session:update","entry":{"entryId":"d770b13f-5194-4041-bc35-e4030e68b1b7","turnId":"973b5d64-7ae1-429a-a15b-97001ed89cb2","content":"Here is my plan.","timestamp":"2026-11-15T16:50:38.859Z","messageId":"msg_d19848fe-fac7-4279-8532-b9de685d8232","type":"assistant"},"sessionId":"builtin:2ba2814d-16bd-467a-92d5-1d7625b34bdf","seq":25}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 26, 'session:complete', '{"type":"session:complete","entryId":"d770b13f-5194-4041-bc35-e4030e68b1b7","sessionId":"builtin:2ba2814d-16bd-467a-92d5-1d7625b34bdf","seq":26}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 27, 'session:update', '{"type":"session:update","entry":{"type":"plan","entryId":"ff447ce8-1f98-48f9-a862-17966389d58a","turnId":"973b5d64-7ae1-429a-a15b-97001ed89cb2","content":"- [ ] Write the steps down\n- [ ] Work through them one by one\n- [ ] Look back at what was done","items":[{"content":"Write the steps down","priority":"high","status":"in_progress"},{"content":"Work through them one by one","priority":"medium","status":"pending"},{"content":"Look back at what was done","priority":"low","status":"pending"}]},"sessionId":"builtin:2ba2814d-16bd-467a-92d5-1d7625b34bdf","seq":27}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 28, 'session:update', '{"type":"session:update","entry":{"type":"plan","entryId":"ff447ce8-1f98-48f9-a862-17966389d58a","turnId":"973b5d64-7ae1-429a-a15b-97001ed89cb2","content":"- [x] Write the steps down\n- [ ] Work through them one by one\n- [ ] Look back at what was done","items":[{"content":"Write the steps down","priority":"high","status":"completed"},{"content":"Work through them one by one","priority":"medium","status":"in_progress"},{"content":"Look back at what was done","priority":"low","status":"pending"}]},"sessionId":"builtin:2ba2814d-16bd-467a-92d5-1d7625b34bdf","seq":28}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 29, 'session:update', '{"type":"session:update","entry":{"type":"plan","entryId":"ff447ce8-1f98-48f9-a862-17966389d58a","turnId":"973b5d64-7ae1-429a-a15b-97001ed89cb2","content":"- [x] Write the steps down\n- [x] Work through them one by one\n- [ ] Look back at what was done","items":[{"content":"Write the steps down","priority":"high","status":"completed"},{"content":"Work through them one by one","priority":"medium","status":"completed"},{"content":"Look back at what was done","priority":"low","status":"in_progress"}]},"sessionId":"builtin:2ba2814d-16bd-467a-92d5-1d7625b34bdf","seq":29}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 30, 'session:update', '{"type":"session:update","entry":{"type":"plan","entryId":"ff447ce8-1f98-48f9-a862-17966389d58a","turnId":"973b5d64-7ae1-429a-a15b-97001ed89cb2","content":"- [x] Write the steps down\n- [x] Work through them one by one\n- [x] Look back at what was done","items":[{"content":"Write the steps down","priority":"high","status":"completed"},{"content":"Work through them one by one","priority":"medium","status":"completed"},{"content":"Look back at what was done","priority":"low","status":"completed"}]},"sessionId":"builtin:2ba2814d-16bd-467a-92d5-1d7625b34bdf","seq":30}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 31, 'session:update', '{"type":"session:update","entry":{"entryId":"41a91427-c38a-4ae6-ac19-f2c6f0b0f813","turnId":"973b5d64-7ae1-429a-a15b-97001ed89cb2","content":"Done.","timestamp":"2026-11-15T16:50:39.107Z","messageId":"msg_4cd28b2b-6e0d-42df-827a-92707a9bb500","type":"assistant"},"sessionId":"builtin:2ba2814d-16bd-467a-92d5-1d7625b34bdf","seq":31}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 32, 'session:complete', '{"type":"session:complete","entryId":"41a91427-c38a-4ae6-ac19-f2c6f0b0f813","sessionId":"builtin:2ba2814d-16bd-467a-92d5-1d7625b34bdf","seq":32}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 33, 'session:turn', '{"type":"session:turn","turn":{"state":"idle","turnId":"973b5d64-7ae1-429a-a15b-97001ed89cb2","startedAt":"2026-11-15T16:50:38.857Z","stopReason":"end_turn"},"sessionId":"builtin:2ba2814d-16bd-467a-92d5-1d7625b34bdf","seq":33}');
INSERT INTO fact (session_key, seq, type, json) VALUES (2, 1, 'session:config', '{"type":"session:config","config":{"options":[],"commands":[{"name":"help","description":"Shows this page."},{"name":"list","description":"Lists the files of this directory (without .git and node_modules).","hint":"[directory]"},{"name":"read","description":"Reads a file of this directory.","hint":"<file>"},{"name":"search","description":"Looks for a text in the files of this directory.","hint":"<text>"},{"name":"edit","description":"Replaces a text in a file, after showing you the diff.","hint":"<file> \"<old>\" \"<new>\""},{"name":"run","description":"Runs a shell command here, after asking you.","hint":"<command>"},{"name":"plan","description":"Makes a plan of three steps and works through it."},{"name":"think","description":"Thinks aloud for a moment, then answers."},{"name":"ask","description":"Asks you something with a form, or asks you to visit a page.","hint":"url"},{"name":"image","description":"Paints a small picture."},{"name":"stream","description":"Streams numbered words, as fast as it can or at a steady rate.","hint":"<n> words at <m>/s"},{"name":"sleep","description":"Waits, for ever without a number; Cancel wakes me.","hint":"[seconds]"},{"name":"all","description":"Sends one of every kind of update, and asks one of every kind of request."},{"name":"fail","description":"Answers with an error, to see what that looks like."},{"name":"crash","description":"Ends this agent''s process in the middle of a turn."}],"usage":null},"sessionId":"builtin:5a8c654d-bc88-473a-a8c8-1c2cfac02a3d","seq":1}');
INSERT INTO fact (session_key, seq, type, json) VALUES (2, 2, 'session:config', '{"type":"session:config","config":{"options":[{"id":"mode","name":"Permissions","description":"When the guide asks before it changes something.","category":"mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask first","description":"Asks before each edit and each command."},{"value":"edits","name":"Allow edits","description":"Edits files without asking; asks before commands."},{"value":"all","name":"Allow everything","description":"Edits files and runs commands without asking."},{"value":"read","name":"Read only","description":"Refuses edits and commands."}]},{"id":"voice","name":"Voice","description":"How much the guide says.","category":"_voice","type":"select","currentValue":"brief","options":[{"value":"brief","name":"Brief","description":"Short answers."},{"value":"detailed","name":"Detailed","description":"Answers with examples and background."}]},{"id":"thoughts","name":"Think aloud","description":"Shows a thought before each answer.","type":"boolean","currentValue":false}],"commands":[{"name":"help","description":"Shows this page."},{"name":"list","description":"Lists the files of this directory (without .git and node_modules).","hint":"[directory]"},{"name":"read","description":"Reads a file of this directory.","hint":"<file>"},{"name":"search","description":"Looks for a text in the files of this directory.","hint":"<text>"},{"name":"edit","description":"Replaces a text in a file, after showing you the diff.","hint":"<file> \"<old>\" \"<new>\""},{"name":"run","description":"Runs a shell command here, after asking you.","hint":"<command>"},{"name":"plan","description":"Makes a plan of three steps and works through it."},{"name":"think","description":"Thinks aloud for a moment, then answers."},{"name":"ask","description":"Asks you something with a form, or asks you to visit a page.","hint":"url"},{"name":"image","description":"Paints a small picture."},{"name":"stream","description":"Streams numbered words, as fast as it can or at a steady rate.","hint":"<n> words at <m>/s"},{"name":"sleep","description":"Waits, for ever without a number; Cancel wakes me.","hint":"[seconds]"},{"name":"all","description":"Sends one of every kind of update, and asks one of every kind of request."},{"name":"fail","description":"Answers with an error, to see what that looks like."},{"name":"crash","description":"Ends this agent''s process in the middle of a turn."}],"usage":null},"sessionId":"builtin:5a8c654d-bc88-473a-a8c8-1c2cfac02a3d","seq":2}');
INSERT INTO fact (session_key, seq, type, json) VALUES (2, 3, 'session:config', '{"type":"session:config","config":{"options":[{"id":"mode","name":"Permissions","description":"When the guide asks before it changes something.","category":"mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask first","description":"Asks before each edit and each command."},{"value":"edits","name":"Allow edits","description":"Edits files without asking; asks before commands."},{"value":"all","name":"Allow everything","description":"Edits files and runs commands without asking."},{"value":"read","name":"Read only","description":"Refuses edits and commands."}]},{"id":"voice","name":"Voice","description":"How much the guide says.","category":"_voice","type":"select","currentValue":"brief","options":[{"value":"brief","name":"Brief","description":"Short answers."},{"value":"detailed","name":"Detailed","description":"Answers with examples and background."}]},{"id":"thoughts","name":"Think aloud","description":"Shows a thought before each answer.","type":"boolean","currentValue":false}],"commands":[{"name":"help","description":"Shows this page."},{"name":"list","description":"Lists the files of this directory (without .git and node_modules).","hint":"[directory]"},{"name":"read","description":"Reads a file of this directory.","hint":"<file>"},{"name":"search","description":"Looks for a text in the files of this directory.","hint":"<text>"},{"name":"edit","description":"Replaces a text in a file, after showing you the diff.","hint":"<file> \"<old>\" \"<new>\""},{"name":"run","description":"Runs a shell command here, after asking you.","hint":"<command>"},{"name":"plan","description":"Makes a plan of three steps and works through it."},{"name":"think","description":"Thinks aloud for a moment, then answers."},{"name":"ask","description":"Asks you something with a form, or asks you to visit a page.","hint":"url"},{"name":"image","description":"Paints a small picture."},{"name":"stream","description":"Streams numbered words, as fast as it can or at a steady rate.","hint":"<n> words at <m>/s"},{"name":"sleep","description":"Waits, for ever without a number; Cancel wakes me.","hint":"[seconds]"},{"name":"all","description":"Sends one of every kind of update, and asks one of every kind of request."},{"name":"fail","description":"Answers with an error, to see what that looks like."},{"name":"crash","description":"Ends this agent''s process in the middle of a turn."}],"usage":null,"abilities":{"image":true,"audio":false,"embeddedContext":true,"steering":true}},"sessionId":"builtin:5a8c654d-bc88-473a-a8c8-1c2cfac02a3d","seq":3}');
INSERT INTO fact (session_key, seq, type, json) VALUES (2, 4, 'session:title-updated', '{"type":"session:title-updated","title":"stream 100000 words at 200/s","source":"derived","sessionId":"builtin:5a8c654d-bc88-473a-a8c8-1c2cfac02a3d","seq":4}');
INSERT INTO fact (session_key, seq, type, json) VALUES (2, 5, 'session:update', '{"type":"session:update","entry":{"type":"user","entryId":"4080dcbc-a3f7-49e9-98ff-607948b03ba0","turnId":"cd6a4513-4a0e-42dc-b485-f41748cf5915","content":"stream 100000 words at 200/s","timestamp":"2026-11-15T16:50:39.149Z","commandId":"80e14ff4-dfe9-4b7e-b667-b4f92e5cdecd"},"sessionId":"builtin:5a8c654d-bc88-473a-a8c8-1c2cfac02a3d","seq":5}');
INSERT INTO fact (session_key, seq, type, json) VALUES (2, 6, 'session:turn', '{"type":"session:turn","turn":{"state":"running","turnId":"cd6a4513-4a0e-42dc-b485-f41748cf5915","startedAt":"2026-11-15T16:50:39.149Z"},"sessionId":"builtin:5a8c654d-bc88-473a-a8c8-1c2cfac02a3d","seq":6}');
INSERT INTO fact (session_key, seq, type, json) VALUES (2, 7, 'session:update', '{"type":"session:update","entry":{"entryId":"f5598f6b-4cc8-4433-b7b6-803e4ce85733","turnId":"cd6a4513-4a0e-42dc-b485-f41748cf5915","content":"w1 ","timestamp":"2026-11-15T16:50:39.183Z","messageId":"msg_b4ecc1a2-37df-463c-a74f-a2967dfa3bf9","type":"assistant"},"sessionId":"builtin:5a8c654d-bc88-473a-a8c8-1c2cfac02a3d","seq":7}');
INSERT INTO fact (session_key, seq, type, json) VALUES (2, 8, 'session:chunk', '{"type":"session:chunk","entryId":"f5598f6b-4cc8-4433-b7b6-803e4ce85733","content":"w2 w3 w4 w5 w6 w7 w8 w9 w10 ","sessionId":"builtin:5a8c654d-bc88-473a-a8c8-1c2cfac02a3d","seq":8}');
INSERT INTO entry (session_key, position, entry_id, agent_id, json) VALUES (1, 1, 'b3f9fd30-8eaa-44e4-8e9f-3d476d8e84f9', NULL, '{"type":"user","entryId":"b3f9fd30-8eaa-44e4-8e9f-3d476d8e84f9","turnId":"065749c8-9b61-4a8d-aec4-3128fb73307e","content":"stream 3 words","timestamp":"2026-11-15T16:50:38.763Z","commandId":"b9e119c9-1263-4320-b034-0a9b6ebebe56"}');
INSERT INTO entry (session_key, position, entry_id, agent_id, json) VALUES (1, 2, '9bfa18aa-b03b-4dc8-9f21-86b93db50c13', 'msg_6513a126-50b8-4848-a1ec-3f8623e12488', '{"entryId":"9bfa18aa-b03b-4dc8-9f21-86b93db50c13","turnId":"065749c8-9b61-4a8d-aec4-3128fb73307e","content":"w1 w2 w3","timestamp":"2026-11-15T16:50:38.775Z","messageId":"msg_6513a126-50b8-4848-a1ec-3f8623e12488","type":"assistant"}');
INSERT INTO entry (session_key, position, entry_id, agent_id, json) VALUES (1, 3, '9073755a-9a06-433d-a5f2-2a07a23c080b', NULL, '{"type":"user","entryId":"9073755a-9a06-433d-a5f2-2a07a23c080b","turnId":"bceace75-d16c-49c7-b0c4-14d9b80483b2","content":"run echo hi","timestamp":"2026-11-15T16:50:38.793Z","commandId":"96bf8cdb-73e0-40e8-8c18-9f76b170adff"}');
INSERT INTO entry (session_key, position, entry_id, agent_id, json) VALUES (1, 4, 'be9902a6-93c6-4378-8e33-ac319bda73b5', 'call_2b286e24-f660-4258-a0d1-29fa17555b7a', '{"type":"tool-call","entryId":"be9902a6-93c6-4378-8e33-ac319bda73b5","turnId":"bceace75-d16c-49c7-b0c4-14d9b80483b2","toolCallId":"call_2b286e24-f660-4258-a0d1-29fa17555b7a","name":"echo hi","status":"complete","content":"","startedAt":"2026-11-15T16:50:38.810Z","kind":"execute","input":{"command":"echo hi","cwd":"/sample/projects/ff2c580d-98c3-4f69-8989-80f4f7caca12"},"parts":[{"type":"terminal","terminalId":"e89e9cc8-a0a5-4a62-bfc2-f199268ab728"}],"output":{"truncated":false,"exitCode":0},"result":"hi\n","endedAt":"2026-11-15T16:50:38.839Z"}');
INSERT INTO entry (session_key, position, entry_id, agent_id, json) VALUES (1, 5, '04f5d42e-3c72-47e7-9c94-632890ad54cf', 'msg_2e666311-cd60-4c2a-96fb-45cc40cc96fd', '{"entryId":"04f5d42e-3c72-47e7-9c94-632890ad54cf","turnId":"bceace75-d16c-49c7-b0c4-14d9b80483b2","content":"The command succeeded.","timestamp":"2026-11-15T16:50:38.845Z","messageId":"msg_2e666311-cd60-4c2a-96fb-45cc40cc96fd","type":"assistant"}');
INSERT INTO entry (session_key, position, entry_id, agent_id, json) VALUES (1, 6, '4cb6a106-33f4-4145-bf3f-af64981d02d5', NULL, '{"type":"user","entryId":"4cb6a106-33f4-4145-bf3f-af64981d02d5","turnId":"973b5d64-7ae1-429a-a15b-97001ed89cb2","content":"plan","timestamp":"2026-11-15T16:50:38.857Z","commandId":"0366e22d-cecb-4659-9209-dfa5147ec252"}');
INSERT INTO entry (session_key, position, entry_id, agent_id, json) VALUES (1, 7, 'd770b13f-5194-4041-bc35-e4030e68b1b7', 'msg_d19848fe-fac7-4279-8532-b9de685d8232', '{"entryId":"d770b13f-5194-4041-bc35-e4030e68b1b7","turnId":"973b5d64-7ae1-429a-a15b-97001ed89cb2","content":"Here is my plan.","timestamp":"2026-11-15T16:50:38.859Z","messageId":"msg_d19848fe-fac7-4279-8532-b9de685d8232","type":"assistant"}');
INSERT INTO entry (session_key, position, entry_id, agent_id, json) VALUES (1, 8, 'ff447ce8-1f98-48f9-a862-17966389d58a', NULL, '{"type":"plan","entryId":"ff447ce8-1f98-48f9-a862-17966389d58a","turnId":"973b5d64-7ae1-429a-a15b-97001ed89cb2","content":"- [x] Write the steps down\n- [x] Work through them one by one\n- [x] Look back at what was done","items":[{"content":"Write the steps down","priority":"high","status":"completed"},{"content":"Work through them one by one","priority":"medium","status":"completed"},{"content":"Look back at what was done","priority":"low","status":"completed"}]}');
INSERT INTO entry (session_key, position, entry_id, agent_id, json) VALUES (1, 9, '41a91427-c38a-4ae6-ac19-f2c6f0b0f813', 'msg_4cd28b2b-6e0d-42df-827a-92707a9bb500', '{"entryId":"41a91427-c38a-4ae6-ac19-f2c6f0b0f813","turnId":"973b5d64-7ae1-429a-a15b-97001ed89cb2","content":"Done.","timestamp":"2026-11-15T16:50:39.107Z","messageId":"msg_4cd28b2b-6e0d-42df-827a-92707a9bb500","type":"assistant"}');
INSERT INTO permission_record (key, session_key, permission_id, asked_at, tool_call, options, answered, answered_by, answered_at, why) VALUES (1, 1, 'db0fb2f1-3cb6-4bf5-9ba8-a43d7ef62771-11', '2026-11-15T16:50:38.811Z', '{"toolCallId":"call_2b286e24-f660-4258-a0d1-29fa17555b7a","name":"echo hi","kind":"execute","input":{"command":"echo hi","cwd":"/sample/projects/ff2c580d-98c3-4f69-8989-80f4f7caca12"}}', '[{"optionId":"allow-once","name":"Allow once","kind":"allow_once"},{"optionId":"allow-always","name":"Always allow commands in this session","kind":"allow_always"},{"optionId":"reject-once","name":"Reject","kind":"reject_once"}]', 'allowed', 'user', NULL, NULL);
INSERT INTO search_text (key, session_key, entry_id, kind, at) VALUES (1000000000001, 1, '', 'title', NULL);
INSERT INTO search_text (key, session_key, entry_id, kind, at) VALUES (1000000000002, 1, 'b3f9fd30-8eaa-44e4-8e9f-3d476d8e84f9', 'user', '2026-11-15T16:50:38.763Z');
INSERT INTO search_text (key, session_key, entry_id, kind, at) VALUES (1000000000003, 1, '9bfa18aa-b03b-4dc8-9f21-86b93db50c13', 'assistant', '2026-11-15T16:50:38.775Z');
INSERT INTO search_text (key, session_key, entry_id, kind, at) VALUES (1000000000004, 1, '9073755a-9a06-433d-a5f2-2a07a23c080b', 'user', '2026-11-15T16:50:38.793Z');
INSERT INTO search_text (key, session_key, entry_id, kind, at) VALUES (1000000000005, 1, 'be9902a6-93c6-4378-8e33-ac319bda73b5', 'tool-call', '2026-11-15T16:50:38.810Z');
INSERT INTO search_text (key, session_key, entry_id, kind, at) VALUES (1000000000006, 1, '04f5d42e-3c72-47e7-9c94-632890ad54cf', 'assistant', '2026-11-15T16:50:38.845Z');
INSERT INTO search_text (key, session_key, entry_id, kind, at) VALUES (1000000000007, 1, '4cb6a106-33f4-4145-bf3f-af64981d02d5', 'user', '2026-11-15T16:50:38.857Z');
INSERT INTO search_text (key, session_key, entry_id, kind, at) VALUES (1000000000008, 1, 'd770b13f-5194-4041-bc35-e4030e68b1b7', 'assistant', '2026-11-15T16:50:38.859Z');
INSERT INTO search_text (key, session_key, entry_id, kind, at) VALUES (1000000000009, 1, 'ff447ce8-1f98-48f9-a862-17966389d58a', 'plan', '2026-11-15T16:50:39.107Z');
INSERT INTO search_text (key, session_key, entry_id, kind, at) VALUES (1000000000010, 1, '41a91427-c38a-4ae6-ac19-f2c6f0b0f813', 'assistant', '2026-11-15T16:50:39.107Z');
INSERT INTO search_text (key, session_key, entry_id, kind, at) VALUES (1000000000011, 2, '', 'title', NULL);
INSERT INTO search_index (rowid, text) VALUES (1000000000001, 'stream 3 words');
INSERT INTO search_index (rowid, text) VALUES (1000000000002, 'stream 3 words');
INSERT INTO search_index (rowid, text) VALUES (1000000000003, 'w1 w2 w3');
INSERT INTO search_index (rowid, text) VALUES (1000000000004, 'run echo hi');
INSERT INTO search_index (rowid, text) VALUES (1000000000005, 'echo hi
/sample/projects/ff2c580d-98c3-4f69-8989-80f4f7caca12
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
INSERT INTO agent_session (cli_type, agent_session_id, session_key) VALUES ('builtin', 'guide_548aadbf-8f5b-4075-baf8-6f5d8220e5b5', 2);
INSERT INTO agent_session (cli_type, agent_session_id, session_key) VALUES ('builtin', 'guide_a1247c7f-a782-4cef-b4c9-6e6928cac6e7', 1);
CREATE TRIGGER agent_session_of_new AFTER INSERT ON session WHEN NEW.agent_session_id <> '' BEGIN
  INSERT OR IGNORE INTO agent_session VALUES (NEW.cli_type, NEW.agent_session_id, NEW.key);
END;
CREATE TRIGGER agent_session_of_bound AFTER UPDATE OF agent_session_id ON session WHEN NEW.agent_session_id <> '' BEGIN
  INSERT OR IGNORE INTO agent_session VALUES (NEW.cli_type, NEW.agent_session_id, NEW.key);
END;
PRAGMA user_version = 10;
