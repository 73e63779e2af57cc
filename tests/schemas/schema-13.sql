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
CREATE TABLE agent_process (
  cli_type TEXT NOT NULL PRIMARY KEY,
  process TEXT NOT NULL
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
INSERT INTO project (id, path, name, added_at, position, removed) VALUES ('042517b1-aae2-45a7-a552-aa8a886fa088', '/sample/projects/7a3e71d2-cfbd-4666-ad6f-5d8a3024bc59', '7a3e71d2-cfbd-4666-ad6f-5d8a3024bc59', '2026-11-16T02:07:34.765Z', 1, 0);
INSERT INTO session (key, id, project_id, cli_type, title, created_at, last_active_at, archived, turn, unfinished, parent_id, agent_session_id, agent_session_at, cwd, agent_state, agent_state_at, last_seq, kept_from_seq, snapshot_seq, snapshot, next_position, draft, attention_seq, seen_seq, usage, adopted, armed_waits, process_id, heard, cancelling, agent_seen_at) VALUES (1, 'builtin:e799a0ba-0448-4177-a112-da1734f03642', '042517b1-aae2-45a7-a552-aa8a886fa088', 'builtin', 'stream 3 words', '2026-11-16T02:07:34.969Z', '2026-11-16T02:07:35.304Z', 0, '{"state":"idle","turnId":"03fea226-57fb-4d27-83c4-39929ecc73a9","startedAt":"2026-11-16T02:07:35.060Z","stopReason":"end_turn"}', 0, NULL, 'guide_1f7461cd-333c-407f-af79-8441a60d77b5', '2026-11-16T02:07:34.969Z', '/sample/projects/7a3e71d2-cfbd-4666-ad6f-5d8a3024bc59', 'idle', '2026-11-16T02:07:35.304Z', 33, 1, 33, '{"seq":33,"title":"stream 3 words","titleSource":"derived","archived":false,"open":[],"turn":{"state":"idle","turnId":"03fea226-57fb-4d27-83c4-39929ecc73a9","startedAt":"2026-11-16T02:07:35.060Z","stopReason":"end_turn"},"pending":[],"visits":[],"queue":[],"queuePaused":false,"config":{"options":[{"id":"mode","name":"Permissions","description":"When the guide asks before it changes something.","category":"mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask first","description":"Asks before each edit and each command."},{"value":"edits","name":"Allow edits","description":"Edits files without asking; asks before commands."},{"value":"all","name":"Allow everything","description":"Edits files and runs commands without asking."},{"value":"read","name":"Read only","description":"Refuses edits and commands."}]},{"id":"voice","name":"Voice","description":"How much the guide says.","category":"_voice","type":"select","currentValue":"brief","options":[{"value":"brief","name":"Brief","description":"Short answers."},{"value":"detailed","name":"Detailed","description":"Answers with examples and background."}]},{"id":"thoughts","name":"Think aloud","description":"Shows a thought before each answer.","type":"boolean","currentValue":false}],"commands":[{"name":"help","description":"Shows this page."},{"name":"list","description":"Lists the files of this directory (without .git and node_modules).","hint":"[directory]"},{"name":"read","description":"Reads a file of this directory.","hint":"<file>"},{"name":"search","description":"Looks for a text in the files of this directory.","hint":"<text>"},{"name":"edit","description":"Replaces a text in a file, after showing you the diff.","hint":"<file> \"<old>\" \"<new>\""},{"name":"run","description":"Runs a shell command here, after asking you.","hint":"<command>"},{"name":"plan","description":"Makes a plan of three steps and works through it."},{"name":"think","description":"Thinks aloud for a moment, then answers."},{"name":"ask","description":"Asks you something with a form, or asks you to visit a page.","hint":"url"},{"name":"image","description":"Paints a small picture."},{"name":"stream","description":"Streams numbered words, as fast as it can or at a steady rate.","hint":"<n> words at <m>/s"},{"name":"sleep","description":"Waits, for ever without a number; Cancel wakes me.","hint":"[seconds]"},{"name":"all","description":"Sends one of every kind of update, and asks one of every kind of request."},{"name":"fail","description":"Answers with an error, to see what that looks like."},{"name":"crash","description":"Ends this agent''s process in the middle of a turn."}],"usage":null,"abilities":{"image":true,"audio":false,"embeddedContext":true,"steering":true}}}', 10, 'a draft', 33, 0, NULL, 0, 0, 'dbbe2e29-6be4-4bb8-a0ce-c2010d069361', 32, NULL, '2026-11-16T02:07:35.304Z');
INSERT INTO session (key, id, project_id, cli_type, title, created_at, last_active_at, archived, turn, unfinished, parent_id, agent_session_id, agent_session_at, cwd, agent_state, agent_state_at, last_seq, kept_from_seq, snapshot_seq, snapshot, next_position, draft, attention_seq, seen_seq, usage, adopted, armed_waits, process_id, heard, cancelling, agent_seen_at) VALUES (2, 'builtin:5046da19-cafa-4ab7-9941-4606c970a115', '042517b1-aae2-45a7-a552-aa8a886fa088', 'builtin', 'stream 100000 words at 200/s', '2026-11-16T02:07:35.322Z', '2026-11-16T02:07:35.346Z', 0, '{"state":"running","turnId":"0b52ef77-4888-4982-9d97-ce87634895d4","startedAt":"2026-11-16T02:07:35.326Z"}', 1, NULL, 'guide_4a255dfc-773c-459d-baad-411497243618', '2026-11-16T02:07:35.322Z', '/sample/projects/7a3e71d2-cfbd-4666-ad6f-5d8a3024bc59', 'active', '2026-11-16T02:07:35.326Z', 8, 1, 3, '{"seq":3,"title":"New Session","titleSource":"none","archived":false,"open":[],"turn":{"state":"idle"},"pending":[],"visits":[],"queue":[],"queuePaused":false,"config":{"options":[{"id":"mode","name":"Permissions","description":"When the guide asks before it changes something.","category":"mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask first","description":"Asks before each edit and each command."},{"value":"edits","name":"Allow edits","description":"Edits files without asking; asks before commands."},{"value":"all","name":"Allow everything","description":"Edits files and runs commands without asking."},{"value":"read","name":"Read only","description":"Refuses edits and commands."}]},{"id":"voice","name":"Voice","description":"How much the guide says.","category":"_voice","type":"select","currentValue":"brief","options":[{"value":"brief","name":"Brief","description":"Short answers."},{"value":"detailed","name":"Detailed","description":"Answers with examples and background."}]},{"id":"thoughts","name":"Think aloud","description":"Shows a thought before each answer.","type":"boolean","currentValue":false}],"commands":[{"name":"help","description":"Shows this page."},{"name":"list","description":"Lists the files of this directory (without .git and node_modules).","hint":"[directory]"},{"name":"read","description":"Reads a file of this directory.","hint":"<file>"},{"name":"search","description":"Looks for a text in the files of this directory.","hint":"<text>"},{"name":"edit","description":"Replaces a text in a file, after showing you the diff.","hint":"<file> \"<old>\" \"<new>\""},{"name":"run","description":"Runs a shell command here, after asking you.","hint":"<command>"},{"name":"plan","description":"Makes a plan of three steps and works through it."},{"name":"think","description":"Thinks aloud for a moment, then answers."},{"name":"ask","description":"Asks you something with a form, or asks you to visit a page.","hint":"url"},{"name":"image","description":"Paints a small picture."},{"name":"stream","description":"Streams numbered words, as fast as it can or at a steady rate.","hint":"<n> words at <m>/s"},{"name":"sleep","description":"Waits, for ever without a number; Cancel wakes me.","hint":"[seconds]"},{"name":"all","description":"Sends one of every kind of update, and asks one of every kind of request."},{"name":"fail","description":"Answers with an error, to see what that looks like."},{"name":"crash","description":"Ends this agent''s process in the middle of a turn."}],"usage":null,"abilities":{"image":true,"audio":false,"embeddedContext":true,"steering":true}}}', 1, '', 0, 0, NULL, 0, 0, 'dbbe2e29-6be4-4bb8-a0ce-c2010d069361', 40, NULL, '2026-11-16T02:07:35.322Z');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 1, 'session:config', '{"type":"session:config","config":{"options":[{"id":"mode","name":"Permissions","description":"When the guide asks before it changes something.","category":"mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask first","description":"Asks before each edit and each command."},{"value":"edits","name":"Allow edits","description":"Edits files without asking; asks before commands."},{"value":"all","name":"Allow everything","description":"Edits files and runs commands without asking."},{"value":"read","name":"Read only","description":"Refuses edits and commands."}]},{"id":"voice","name":"Voice","description":"How much the guide says.","category":"_voice","type":"select","currentValue":"brief","options":[{"value":"brief","name":"Brief","description":"Short answers."},{"value":"detailed","name":"Detailed","description":"Answers with examples and background."}]},{"id":"thoughts","name":"Think aloud","description":"Shows a thought before each answer.","type":"boolean","currentValue":false}],"commands":[],"usage":null},"sessionId":"builtin:e799a0ba-0448-4177-a112-da1734f03642","seq":1}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 2, 'session:config', '{"type":"session:config","config":{"options":[{"id":"mode","name":"Permissions","description":"When the guide asks before it changes something.","category":"mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask first","description":"Asks before each edit and each command."},{"value":"edits","name":"Allow edits","description":"Edits files without asking; asks before commands."},{"value":"all","name":"Allow everything","description":"Edits files and runs commands without asking."},{"value":"read","name":"Read only","description":"Refuses edits and commands."}]},{"id":"voice","name":"Voice","description":"How much the guide says.","category":"_voice","type":"select","currentValue":"brief","options":[{"value":"brief","name":"Brief","description":"Short answers."},{"value":"detailed","name":"Detailed","description":"Answers with examples and background."}]},{"id":"thoughts","name":"Think aloud","description":"Shows a thought before each answer.","type":"boolean","currentValue":false}],"commands":[],"usage":null,"abilities":{"image":true,"audio":false,"embeddedContext":true,"steering":true}},"sessionId":"builtin:e799a0ba-0448-4177-a112-da1734f03642","seq":2}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 3, 'session:config', '{"type":"session:config","config":{"options":[{"id":"mode","name":"Permissions","description":"When the guide asks before it changes something.","category":"mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask first","description":"Asks before each edit and each command."},{"value":"edits","name":"Allow edits","description":"Edits files without asking; asks before commands."},{"value":"all","name":"Allow everything","description":"Edits files and runs commands without asking."},{"value":"read","name":"Read only","description":"Refuses edits and commands."}]},{"id":"voice","name":"Voice","description":"How much the guide says.","category":"_voice","type":"select","currentValue":"brief","options":[{"value":"brief","name":"Brief","description":"Short answers."},{"value":"detailed","name":"Detailed","description":"Answers with examples and background."}]},{"id":"thoughts","name":"Think aloud","description":"Shows a thought before each answer.","type":"boolean","currentValue":false}],"commands":[{"name":"help","description":"Shows this page."},{"name":"list","description":"Lists the files of this directory (without .git and node_modules).","hint":"[directory]"},{"name":"read","description":"Reads a file of this directory.","hint":"<file>"},{"name":"search","description":"Looks for a text in the files of this directory.","hint":"<text>"},{"name":"edit","description":"Replaces a text in a file, after showing you the diff.","hint":"<file> \"<old>\" \"<new>\""},{"name":"run","description":"Runs a shell command here, after asking you.","hint":"<command>"},{"name":"plan","description":"Makes a plan of three steps and works through it."},{"name":"think","description":"Thinks aloud for a moment, then answers."},{"name":"ask","description":"Asks you something with a form, or asks you to visit a page.","hint":"url"},{"name":"image","description":"Paints a small picture."},{"name":"stream","description":"Streams numbered words, as fast as it can or at a steady rate.","hint":"<n> words at <m>/s"},{"name":"sleep","description":"Waits, for ever without a number; Cancel wakes me.","hint":"[seconds]"},{"name":"all","description":"Sends one of every kind of update, and asks one of every kind of request."},{"name":"fail","description":"Answers with an error, to see what that looks like."},{"name":"crash","description":"Ends this agent''s process in the middle of a turn."}],"usage":null,"abilities":{"image":true,"audio":false,"embeddedContext":true,"steering":true}},"sessionId":"builtin:e799a0ba-0448-4177-a112-da1734f03642","seq":3}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 4, 'session:title-updated', '{"type":"session:title-updated","title":"stream 3 words","source":"derived","sessionId":"builtin:e799a0ba-0448-4177-a112-da1734f03642","seq":4}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 5, 'session:update', '{"type":"session:update","entry":{"type":"user","entryId":"aed7a88b-6428-4ad8-a546-e3ad2a523667","turnId":"084d3d88-47eb-41d4-b1a1-fb8ca12243ae","content":"stream 3 words","timestamp":"2026-11-16T02:07:34.993Z","commandId":"a865fdb2-2acd-40f3-8ba8-a66b6a1c438e"},"sessionId":"builtin:e799a0ba-0448-4177-a112-da1734f03642","seq":5}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 6, 'session:turn', '{"type":"session:turn","turn":{"state":"running","turnId":"084d3d88-47eb-41d4-b1a1-fb8ca12243ae","startedAt":"2026-11-16T02:07:34.993Z"},"sessionId":"builtin:e799a0ba-0448-4177-a112-da1734f03642","seq":6}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 7, 'session:update', '{"type":"session:update","entry":{"entryId":"a3c46ae0-7c45-4e40-9cc6-5719934d714b","turnId":"084d3d88-47eb-41d4-b1a1-fb8ca12243ae","content":"w1 w2 w3","timestamp":"2026-11-16T02:07:35.003Z","messageId":"msg_e3507e1e-247b-46d4-9bcf-c6e64e92201b","type":"assistant"},"sessionId":"builtin:e799a0ba-0448-4177-a112-da1734f03642","seq":7}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 8, 'session:complete', '{"type":"session:complete","entryId":"a3c46ae0-7c45-4e40-9cc6-5719934d714b","sessionId":"builtin:e799a0ba-0448-4177-a112-da1734f03642","seq":8}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 9, 'session:turn', '{"type":"session:turn","turn":{"state":"idle","turnId":"084d3d88-47eb-41d4-b1a1-fb8ca12243ae","startedAt":"2026-11-16T02:07:34.993Z","stopReason":"end_turn"},"sessionId":"builtin:e799a0ba-0448-4177-a112-da1734f03642","seq":9}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 10, 'session:update', '{"type":"session:update","entry":{"type":"user","entryId":"364fbcf3-c393-4f68-9a8f-1ab11810fca2","turnId":"769e2a54-687d-4275-85a0-7beeaf3bc76d","content":"run echo hi","timestamp":"2026-11-16T02:07:35.009Z","commandId":"eb80340a-801d-42aa-b640-c4cc3868bbba"},"sessionId":"builtin:e799a0ba-0448-4177-a112-da1734f03642","seq":10}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 11, 'session:turn', '{"type":"session:turn","turn":{"state":"running","turnId":"769e2a54-687d-4275-85a0-7beeaf3bc76d","startedAt":"2026-11-16T02:07:35.009Z"},"sessionId":"builtin:e799a0ba-0448-4177-a112-da1734f03642","seq":11}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 12, 'session:update', '{"type":"session:update","entry":{"type":"tool-call","entryId":"08685f2d-747b-4eee-a6c0-5e8b95f8cf49","turnId":"769e2a54-687d-4275-85a0-7beeaf3bc76d","toolCallId":"call_6ce4ccd2-13d2-4b6c-8580-2eed91df849a","name":"echo hi","status":"running","content":"","startedAt":"2026-11-16T02:07:35.011Z","kind":"execute","input":{"command":"echo hi","cwd":"/sample/projects/7a3e71d2-cfbd-4666-ad6f-5d8a3024bc59"}},"sessionId":"builtin:e799a0ba-0448-4177-a112-da1734f03642","seq":12}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 13, 'permission:request', '{"type":"permission:request","permissionId":"dbbe2e29-6be4-4bb8-a0ce-c2010d069361-11","toolCall":{"toolCallId":"call_6ce4ccd2-13d2-4b6c-8580-2eed91df849a","name":"echo hi","kind":"execute","input":{"command":"echo hi","cwd":"/sample/projects/7a3e71d2-cfbd-4666-ad6f-5d8a3024bc59"}},"options":[{"optionId":"allow-once","name":"Allow once","kind":"allow_once"},{"optionId":"allow-always","name":"Always allow commands in this session","kind":"allow_always"},{"optionId":"reject-once","name":"Reject","kind":"reject_once"}],"askedAt":"2026-11-16T02:07:35.020Z","offers":[{"effect":"allow","command":"echo"}],"sessionId":"builtin:e799a0ba-0448-4177-a112-da1734f03642","seq":13}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 14, 'session:turn', '{"type":"session:turn","turn":{"state":"waiting","turnId":"769e2a54-687d-4275-85a0-7beeaf3bc76d","startedAt":"2026-11-16T02:07:35.009Z"},"sessionId":"builtin:e799a0ba-0448-4177-a112-da1734f03642","seq":14}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 15, 'permission:resolved', '{"type":"permission:resolved","permissionId":"dbbe2e29-6be4-4bb8-a0ce-c2010d069361-11","outcome":{"outcome":"selected","optionId":"allow-once"},"sessionId":"builtin:e799a0ba-0448-4177-a112-da1734f03642","seq":15}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 16, 'session:turn', '{"type":"session:turn","turn":{"state":"running","turnId":"769e2a54-687d-4275-85a0-7beeaf3bc76d","startedAt":"2026-11-16T02:07:35.009Z"},"sessionId":"builtin:e799a0ba-0448-4177-a112-da1734f03642","seq":16}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 17, 'session:update', '{"type":"session:update","entry":{"type":"tool-call","entryId":"08685f2d-747b-4eee-a6c0-5e8b95f8cf49","turnId":"769e2a54-687d-4275-85a0-7beeaf3bc76d","toolCallId":"call_6ce4ccd2-13d2-4b6c-8580-2eed91df849a","name":"echo hi","status":"running","content":"","startedAt":"2026-11-16T02:07:35.011Z","kind":"execute","input":{"command":"echo hi","cwd":"/sample/projects/7a3e71d2-cfbd-4666-ad6f-5d8a3024bc59"},"parts":[{"type":"terminal","terminalId":"23320852-b1d0-4818-8050-960d28001e1a"}]},"sessionId":"builtin:e799a0ba-0448-4177-a112-da1734f03642","seq":17}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 18, 'session:chunk', '{"type":"session:chunk","entryId":"08685f2d-747b-4eee-a6c0-5e8b95f8cf49","content":"hi\n","field":"result","sessionId":"builtin:e799a0ba-0448-4177-a112-da1734f03642","seq":18}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 19, 'session:update', '{"type":"session:update","entry":{"type":"tool-call","entryId":"08685f2d-747b-4eee-a6c0-5e8b95f8cf49","turnId":"769e2a54-687d-4275-85a0-7beeaf3bc76d","toolCallId":"call_6ce4ccd2-13d2-4b6c-8580-2eed91df849a","name":"echo hi","status":"complete","content":"","startedAt":"2026-11-16T02:07:35.011Z","kind":"execute","input":{"command":"echo hi","cwd":"/sample/projects/7a3e71d2-cfbd-4666-ad6f-5d8a3024bc59"},"parts":[{"type":"terminal","terminalId":"23320852-b1d0-4818-8050-960d28001e1a"}],"output":{"truncated":false,"exitCode":0},"result":"hi\n","endedAt":"2026-11-16T02:07:35.053Z"},"sessionId":"builtin:e799a0ba-0448-4177-a112-da1734f03642","seq":19}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 20, 'session:update', '{"type":"session:update","entry":{"entryId":"c5e18c0a-89a3-4778-ad32-b7a998d376ed","turnId":"769e2a54-687d-4275-85a0-7beeaf3bc76d","content":"The command succeeded.","timestamp":"2026-11-16T02:07:35.055Z","messageId":"msg_ed1189a9-7e6f-4c6a-9fe6-4ac58e7d34aa","type":"assistant"},"sessionId":"builtin:e799a0ba-0448-4177-a112-da1734f03642","seq":20}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 21, 'session:complete', '{"type":"session:complete","entryId":"c5e18c0a-89a3-4778-ad32-b7a998d376ed","sessionId":"builtin:e799a0ba-0448-4177-a112-da1734f03642","seq":21}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 22, 'session:turn', '{"type":"session:turn","turn":{"state":"idle","turnId":"769e2a54-687d-4275-85a0-7beeaf3bc76d","startedAt":"2026-11-16T02:07:35.009Z","stopReason":"end_turn"},"sessionId":"builtin:e799a0ba-0448-4177-a112-da1734f03642","seq":22}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 23, 'session:update', '{"type":"session:update","entry":{"type":"user","entryId":"ce2beba1-4433-4612-8f90-5223dfc0ac81","turnId":"03fea226-57fb-4d27-83c4-39929ecc73a9","content":"plan","timestamp":"2026-11-16T02:07:35.060Z","commandId":"61dde098-84bc-4e02-8912-0089c3b9e05b"},"sessionId":"builtin:e799a0ba-0448-4177-a112-da1734f03642","seq":23}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 24, 'session:turn', '{"type":"session:turn","turn":{"state":"running","turnId":"03fea226-57fb-4d27-83c4-39929ecc73a9","startedAt":"2026-11-16T02:07:35.060Z"},"sessionId":"builtin:e799a0ba-0448-4177-a112-da1734f03642","seq":24}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 25, 'session:update', '{"type":"session:update","entry":{"entryId":"9f0a5f52-ddee-4ae9-bd71-4aada7ff43f2","turnId":"03fea226-57fb-4d27-83c4-39929ecc73a9","content":"Here is my plan.","timestamp":"2026-11-16T02:07:35.062Z","messageId":"msg_733fcfb9-8dd1-465d-a9af-645654d1e933","type":"assistant"},"sessionId":"builtin:e799a0ba-0448-4177-a112-da1734f03642","seq":25}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 26, 'session:complete', '{"type":"session:complete","entryId":"9f0a5f52-ddee-4ae9-bd71-4aada7ff43f2","sessionId":"builtin:e799a0ba-0448-4177-a112-da1734f03642","seq":26}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 27, 'session:update', '{"type":"session:update","entry":{"type":"plan","entryId":"4cc56929-b2dc-4b35-81ce-912b458e6477","turnId":"03fea226-57fb-4d27-83c4-39929ecc73a9","content":"- [ ] Write the steps down\n- [ ] Work through them one by one\n- [ ] Look back at what was done","items":[{"content":"Write the steps down","priority":"high","status":"in_progress"},{"content":"Work through them one by one","priority":"medium","status":"pending"},{"content":"Look back at what was done","priority":"low","status":"pending"}]},"sessionId":"builtin:e799a0ba-0448-4177-a112-da1734f03642","seq":27}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 28, 'session:update', '{"type":"session:update","entry":{"type":"plan","entryId":"4cc56929-b2dc-4b35-81ce-912b458e6477","turnId":"03fea226-57fb-4d27-83c4-39929ecc73a9","content":"- [x] Write the steps down\n- [ ] Work through them one by one\n- [ ] Look back at what was done","items":[{"content":"Write the steps down","priority":"high","status":"completed"},{"content":"Work through them one by one","priority":"medium","status":"in_progress"},{"content":"Look back at what was done","priority":"low","status":"pending"}]},"sessionId":"builtin:e799a0ba-0448-4177-a112-da1734f03642","seq":28}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 29, 'session:update', '{"type":"session:update","entry":{"type":"plan","entryId":"4cc56929-b2dc-4b35-81ce-912b458e6477","turnId":"03fea226-57fb-4d27-83c4-39929ecc73a9","content":"- [x] Write the steps down\n- [x] Work through them one by one\n- [ ] Look back at what was done","items":[{"content":"Write the steps down","priority":"high","status":"completed"},{"content":"Work through them one by one","priority":"medium","status":"completed"},{"content":"Look back at what was done","priority":"low","status":"in_progress"}]},"sessionId":"builtin:e799a0ba-0448-4177-a112-da1734f03642","seq":29}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 30, 'session:update', '{"type":"session:update","entry":{"type":"plan","entryId":"4cc56929-b2dc-4b35-81ce-912b458e6477","turnId":"03fea226-57fb-4d27-83c4-39929ecc73a9","content":"- [x] Write the steps down\n- [x] Work through them one by one\n- [x] Look back at what was done","items":[{"content":"Write the steps down","priority":"high","status":"completed"},{"content":"Work through them one by one","priority":"medium","status":"completed"},{"content":"Look back at what was done","priority":"low","status":"completed"}]},"sessionId":"builtin:e799a0ba-0448-4177-a112-da1734f03642","seq":30}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 31, 'session:update', '{"type":"session:update","entry":{"entryId":"6cf18572-deea-4b35-975c-caaf874fe611","turnId":"03fea226-57fb-4d27-83c4-39929ecc73a9","content":"Done.","timestamp":"2026-11-16T02:07:35.304Z","messageId":"msg_df86b288-d045-4e72-a066-52a489aff653","type":"assistant"},"sessionId":"builtin:e799a0ba-0448-4177-a112-da1734f03642","seq":31}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 32, 'session:complete', '{"type":"session:complete","entryId":"6cf18572-deea-4b35-975c-caaf874fe611","sessionId":"builtin:e799a0ba-0448-4177-a112-da1734f03642","seq":32}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 33, 'session:turn', '{"type":"session:turn","turn":{"state":"idle","turnId":"03fea226-57fb-4d27-83c4-39929ecc73a9","startedAt":"2026-11-16T02:07:35.060Z","stopReason":"end_turn"},"sessionId":"builtin:e799a0ba-0448-4177-a112-da1734f03642","seq":33}');
INSERT INTO fact (session_key, seq, type, json) VALUES (2, 1, 'session:config', '{"type":"session:config","config":{"options":[],"commands":[{"name":"help","description":"Shows this page."},{"name":"list","description":"Lists the files of this directory (without .git and node_modules).","hint":"[directory]"},{"name":"read","description":"Reads a file of this directory.","hint":"<file>"},{"name":"search","description":"Looks for a text in the files of this directory.","hint":"<text>"},{"name":"edit","description":"Replaces a text in a file, after showing you the diff.","hint":"<file> \"<old>\" \"<new>\""},{"name":"run","description":"Runs a shell command here, after asking you.","hint":"<command>"},{"name":"plan","description":"Makes a plan of three steps and works through it."},{"name":"think","description":"Thinks aloud for a moment, then answers."},{"name":"ask","description":"Asks you something with a form, or asks you to visit a page.","hint":"url"},{"name":"image","description":"Paints a small picture."},{"name":"stream","description":"Streams numbered words, as fast as it can or at a steady rate.","hint":"<n> words at <m>/s"},{"name":"sleep","description":"Waits, for ever without a number; Cancel wakes me.","hint":"[seconds]"},{"name":"all","description":"Sends one of every kind of update, and asks one of every kind of request."},{"name":"fail","description":"Answers with an error, to see what that looks like."},{"name":"crash","description":"Ends this agent''s process in the middle of a turn."}],"usage":null},"sessionId":"builtin:5046da19-cafa-4ab7-9941-4606c970a115","seq":1}');
INSERT INTO fact (session_key, seq, type, json) VALUES (2, 2, 'session:config', '{"type":"session:config","config":{"options":[{"id":"mode","name":"Permissions","description":"When the guide asks before it changes something.","category":"mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask first","description":"Asks before each edit and each command."},{"value":"edits","name":"Allow edits","description":"Edits files without asking; asks before commands."},{"value":"all","name":"Allow everything","description":"Edits files and runs commands without asking."},{"value":"read","name":"Read only","description":"Refuses edits and commands."}]},{"id":"voice","name":"Voice","description":"How much the guide says.","category":"_voice","type":"select","currentValue":"brief","options":[{"value":"brief","name":"Brief","description":"Short answers."},{"value":"detailed","name":"Detailed","description":"Answers with examples and background."}]},{"id":"thoughts","name":"Think aloud","description":"Shows a thought before each answer.","type":"boolean","currentValue":false}],"commands":[{"name":"help","description":"Shows this page."},{"name":"list","description":"Lists the files of this directory (without .git and node_modules).","hint":"[directory]"},{"name":"read","description":"Reads a file of this directory.","hint":"<file>"},{"name":"search","description":"Looks for a text in the files of this directory.","hint":"<text>"},{"name":"edit","description":"Replaces a text in a file, after showing you the diff.","hint":"<file> \"<old>\" \"<new>\""},{"name":"run","description":"Runs a shell command here, after asking you.","hint":"<command>"},{"name":"plan","description":"Makes a plan of three steps and works through it."},{"name":"think","description":"Thinks aloud for a moment, then answers."},{"name":"ask","description":"Asks you something with a form, or asks you to visit a page.","hint":"url"},{"name":"image","description":"Paints a small picture."},{"name":"stream","description":"Streams numbered words, as fast as it can or at a steady rate.","hint":"<n> words at <m>/s"},{"name":"sleep","description":"Waits, for ever without a number; Cancel wakes me.","hint":"[seconds]"},{"name":"all","description":"Sends one of every kind of update, and asks one of every kind of request."},{"name":"fail","description":"Answers with an error, to see what that looks like."},{"name":"crash","description":"Ends this agent''s process in the middle of a turn."}],"usage":null},"sessionId":"builtin:5046da19-cafa-4ab7-9941-4606c970a115","seq":2}');
INSERT INTO fact (session_key, seq, type, json) VALUES (2, 3, 'session:config', '{"type":"session:config","config":{"options":[{"id":"mode","name":"Permissions","description":"When the guide asks before it changes something.","category":"mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask first","description":"Asks before each edit and each command."},{"value":"edits","name":"Allow edits","description":"Edits files without asking; asks before commands."},{"value":"all","name":"Allow everything","description":"Edits files and runs commands without asking."},{"value":"read","name":"Read only","description":"Refuses edits and commands."}]},{"id":"voice","name":"Voice","description":"How much the guide says.","category":"_voice","type":"select","currentValue":"brief","options":[{"value":"brief","name":"Brief","description":"Short answers."},{"value":"detailed","name":"Detailed","description":"Answers with examples and background."}]},{"id":"thoughts","name":"Think aloud","description":"Shows a thought before each answer.","type":"boolean","currentValue":false}],"commands":[{"name":"help","description":"Shows this page."},{"name":"list","description":"Lists the files of this directory (without .git and node_modules).","hint":"[directory]"},{"name":"read","description":"Reads a file of this directory.","hint":"<file>"},{"name":"search","description":"Looks for a text in the files of this directory.","hint":"<text>"},{"name":"edit","description":"Replaces a text in a file, after showing you the diff.","hint":"<file> \"<old>\" \"<new>\""},{"name":"run","description":"Runs a shell command here, after asking you.","hint":"<command>"},{"name":"plan","description":"Makes a plan of three steps and works through it."},{"name":"think","description":"Thinks aloud for a moment, then answers."},{"name":"ask","description":"Asks you something with a form, or asks you to visit a page.","hint":"url"},{"name":"image","description":"Paints a small picture."},{"name":"stream","description":"Streams numbered words, as fast as it can or at a steady rate.","hint":"<n> words at <m>/s"},{"name":"sleep","description":"Waits, for ever without a number; Cancel wakes me.","hint":"[seconds]"},{"name":"all","description":"Sends one of every kind of update, and asks one of every kind of request."},{"name":"fail","description":"Answers with an error, to see what that looks like."},{"name":"crash","description":"Ends this agent''s process in the middle of a turn."}],"usage":null,"abilities":{"image":true,"audio":false,"embeddedContext":true,"steering":true}},"sessionId":"builtin:5046da19-cafa-4ab7-9941-4606c970a115","seq":3}');
INSERT INTO fact (session_key, seq, type, json) VALUES (2, 4, 'session:title-updated', '{"type":"session:title-updated","title":"stream 100000 words at 200/s","source":"derived","sessionId":"builtin:5046da19-cafa-4ab7-9941-4606c970a115","seq":4}');
INSERT INTO fact (session_key, seq, type, json) VALUES (2, 5, 'session:update', '{"type":"session:update","entry":{"type":"user","entryId":"a24d1256-20d7-4676-b13d-9c0d81910b44","turnId":"0b52ef77-4888-4982-9d97-ce87634895d4","content":"stream 100000 words at 200/s","timestamp":"2026-11-16T02:07:35.326Z","commandId":"0a63db3a-54f3-4c46-855b-380d265b2f5d"},"sessionId":"builtin:5046da19-cafa-4ab7-9941-4606c970a115","seq":5}');
INSERT INTO fact (session_key, seq, type, json) VALUES (2, 6, 'session:turn', '{"type":"session:turn","turn":{"state":"running","turnId":"0b52ef77-4888-4982-9d97-ce87634895d4","startedAt":"2026-11-16T02:07:35.326Z"},"sessionId":"builtin:5046da19-cafa-4ab7-9941-4606c970a115","seq":6}');
INSERT INTO fact (session_key, seq, type, json) VALUES (2, 7, 'session:update', '{"type":"session:update","entry":{"entryId":"fe31431c-2126-4fe4-9456-14f3f81ae6c1","turnId":"0b52ef77-4888-4982-9d97-ce87634895d4","content":"w1 ","timestamp":"2026-11-16T02:07:35.330Z","messageId":"msg_83cd8141-56c8-4f36-afc5-5e6ff91ee7ff","type":"assistant"},"sessionId":"builtin:5046da19-cafa-4ab7-9941-4606c970a115","seq":7}');
INSERT INTO fact (session_key, seq, type, json) VALUES (2, 8, 'session:chunk', '{"type":"session:chunk","entryId":"fe31431c-2126-4fe4-9456-14f3f81ae6c1","content":"w2 w3 w4 ","sessionId":"builtin:5046da19-cafa-4ab7-9941-4606c970a115","seq":8}');
INSERT INTO entry (session_key, position, entry_id, agent_id, json) VALUES (1, 1, 'aed7a88b-6428-4ad8-a546-e3ad2a523667', NULL, '{"type":"user","entryId":"aed7a88b-6428-4ad8-a546-e3ad2a523667","turnId":"084d3d88-47eb-41d4-b1a1-fb8ca12243ae","content":"stream 3 words","timestamp":"2026-11-16T02:07:34.993Z","commandId":"a865fdb2-2acd-40f3-8ba8-a66b6a1c438e"}');
INSERT INTO entry (session_key, position, entry_id, agent_id, json) VALUES (1, 2, 'a3c46ae0-7c45-4e40-9cc6-5719934d714b', 'msg_e3507e1e-247b-46d4-9bcf-c6e64e92201b', '{"entryId":"a3c46ae0-7c45-4e40-9cc6-5719934d714b","turnId":"084d3d88-47eb-41d4-b1a1-fb8ca12243ae","content":"w1 w2 w3","timestamp":"2026-11-16T02:07:35.003Z","messageId":"msg_e3507e1e-247b-46d4-9bcf-c6e64e92201b","type":"assistant"}');
INSERT INTO entry (session_key, position, entry_id, agent_id, json) VALUES (1, 3, '364fbcf3-c393-4f68-9a8f-1ab11810fca2', NULL, '{"type":"user","entryId":"364fbcf3-c393-4f68-9a8f-1ab11810fca2","turnId":"769e2a54-687d-4275-85a0-7beeaf3bc76d","content":"run echo hi","timestamp":"2026-11-16T02:07:35.009Z","commandId":"eb80340a-801d-42aa-b640-c4cc3868bbba"}');
INSERT INTO entry (session_key, position, entry_id, agent_id, json) VALUES (1, 4, '08685f2d-747b-4eee-a6c0-5e8b95f8cf49', 'call_6ce4ccd2-13d2-4b6c-8580-2eed91df849a', '{"type":"tool-call","entryId":"08685f2d-747b-4eee-a6c0-5e8b95f8cf49","turnId":"769e2a54-687d-4275-85a0-7beeaf3bc76d","toolCallId":"call_6ce4ccd2-13d2-4b6c-8580-2eed91df849a","name":"echo hi","status":"complete","content":"","startedAt":"2026-11-16T02:07:35.011Z","kind":"execute","input":{"command":"echo hi","cwd":"/sample/projects/7a3e71d2-cfbd-4666-ad6f-5d8a3024bc59"},"parts":[{"type":"terminal","terminalId":"23320852-b1d0-4818-8050-960d28001e1a"}],"output":{"truncated":false,"exitCode":0},"result":"hi\n","endedAt":"2026-11-16T02:07:35.053Z"}');
INSERT INTO entry (session_key, position, entry_id, agent_id, json) VALUES (1, 5, 'c5e18c0a-89a3-4778-ad32-b7a998d376ed', 'msg_ed1189a9-7e6f-4c6a-9fe6-4ac58e7d34aa', '{"entryId":"c5e18c0a-89a3-4778-ad32-b7a998d376ed","turnId":"769e2a54-687d-4275-85a0-7beeaf3bc76d","content":"The command succeeded.","timestamp":"2026-11-16T02:07:35.055Z","messageId":"msg_ed1189a9-7e6f-4c6a-9fe6-4ac58e7d34aa","type":"assistant"}');
INSERT INTO entry (session_key, position, entry_id, agent_id, json) VALUES (1, 6, 'ce2beba1-4433-4612-8f90-5223dfc0ac81', NULL, '{"type":"user","entryId":"ce2beba1-4433-4612-8f90-5223dfc0ac81","turnId":"03fea226-57fb-4d27-83c4-39929ecc73a9","content":"plan","timestamp":"2026-11-16T02:07:35.060Z","commandId":"61dde098-84bc-4e02-8912-0089c3b9e05b"}');
INSERT INTO entry (session_key, position, entry_id, agent_id, json) VALUES (1, 7, '9f0a5f52-ddee-4ae9-bd71-4aada7ff43f2', 'msg_733fcfb9-8dd1-465d-a9af-645654d1e933', '{"entryId":"9f0a5f52-ddee-4ae9-bd71-4aada7ff43f2","turnId":"03fea226-57fb-4d27-83c4-39929ecc73a9","content":"Here is my plan.","timestamp":"2026-11-16T02:07:35.062Z","messageId":"msg_733fcfb9-8dd1-465d-a9af-645654d1e933","type":"assistant"}');
INSERT INTO entry (session_key, position, entry_id, agent_id, json) VALUES (1, 8, '4cc56929-b2dc-4b35-81ce-912b458e6477', NULL, '{"type":"plan","entryId":"4cc56929-b2dc-4b35-81ce-912b458e6477","turnId":"03fea226-57fb-4d27-83c4-39929ecc73a9","content":"- [x] Write the steps down\n- [x] Work through them one by one\n- [x] Look back at what was done","items":[{"content":"Write the steps down","priority":"high","status":"completed"},{"content":"Work through them one by one","priority":"medium","status":"completed"},{"content":"Look back at what was done","priority":"low","status":"completed"}]}');
INSERT INTO entry (session_key, position, entry_id, agent_id, json) VALUES (1, 9, '6cf18572-deea-4b35-975c-caaf874fe611', 'msg_df86b288-d045-4e72-a066-52a489aff653', '{"entryId":"6cf18572-deea-4b35-975c-caaf874fe611","turnId":"03fea226-57fb-4d27-83c4-39929ecc73a9","content":"Done.","timestamp":"2026-11-16T02:07:35.304Z","messageId":"msg_df86b288-d045-4e72-a066-52a489aff653","type":"assistant"}');
INSERT INTO permission_record (key, session_key, permission_id, asked_at, tool_call, options, answered, answered_by, answered_at, why) VALUES (1, 1, 'dbbe2e29-6be4-4bb8-a0ce-c2010d069361-11', '2026-11-16T02:07:35.020Z', '{"toolCallId":"call_6ce4ccd2-13d2-4b6c-8580-2eed91df849a","name":"echo hi","kind":"execute","input":{"command":"echo hi","cwd":"/sample/projects/7a3e71d2-cfbd-4666-ad6f-5d8a3024bc59"}}', '[{"optionId":"allow-once","name":"Allow once","kind":"allow_once"},{"optionId":"allow-always","name":"Always allow commands in this session","kind":"allow_always"},{"optionId":"reject-once","name":"Reject","kind":"reject_once"}]', 'allowed', 'user', NULL, NULL);
INSERT INTO search_text (key, session_key, entry_id, kind, at) VALUES (1000000000001, 1, '', 'title', NULL);
INSERT INTO search_text (key, session_key, entry_id, kind, at) VALUES (1000000000002, 1, 'aed7a88b-6428-4ad8-a546-e3ad2a523667', 'user', '2026-11-16T02:07:34.993Z');
INSERT INTO search_text (key, session_key, entry_id, kind, at) VALUES (1000000000003, 1, 'a3c46ae0-7c45-4e40-9cc6-5719934d714b', 'assistant', '2026-11-16T02:07:35.003Z');
INSERT INTO search_text (key, session_key, entry_id, kind, at) VALUES (1000000000004, 1, '364fbcf3-c393-4f68-9a8f-1ab11810fca2', 'user', '2026-11-16T02:07:35.009Z');
INSERT INTO search_text (key, session_key, entry_id, kind, at) VALUES (1000000000005, 1, '08685f2d-747b-4eee-a6c0-5e8b95f8cf49', 'tool-call', '2026-11-16T02:07:35.011Z');
INSERT INTO search_text (key, session_key, entry_id, kind, at) VALUES (1000000000006, 1, 'c5e18c0a-89a3-4778-ad32-b7a998d376ed', 'assistant', '2026-11-16T02:07:35.055Z');
INSERT INTO search_text (key, session_key, entry_id, kind, at) VALUES (1000000000007, 1, 'ce2beba1-4433-4612-8f90-5223dfc0ac81', 'user', '2026-11-16T02:07:35.060Z');
INSERT INTO search_text (key, session_key, entry_id, kind, at) VALUES (1000000000008, 1, '9f0a5f52-ddee-4ae9-bd71-4aada7ff43f2', 'assistant', '2026-11-16T02:07:35.062Z');
INSERT INTO search_text (key, session_key, entry_id, kind, at) VALUES (1000000000009, 1, '4cc56929-b2dc-4b35-81ce-912b458e6477', 'plan', '2026-11-16T02:07:35.304Z');
INSERT INTO search_text (key, session_key, entry_id, kind, at) VALUES (1000000000010, 1, '6cf18572-deea-4b35-975c-caaf874fe611', 'assistant', '2026-11-16T02:07:35.304Z');
INSERT INTO search_text (key, session_key, entry_id, kind, at) VALUES (1000000000011, 2, '', 'title', NULL);
INSERT INTO search_index (rowid, text) VALUES (1000000000001, 'stream 3 words');
INSERT INTO search_index (rowid, text) VALUES (1000000000002, 'stream 3 words');
INSERT INTO search_index (rowid, text) VALUES (1000000000003, 'w1 w2 w3');
INSERT INTO search_index (rowid, text) VALUES (1000000000004, 'run echo hi');
INSERT INTO search_index (rowid, text) VALUES (1000000000005, 'echo hi
/sample/projects/7a3e71d2-cfbd-4666-ad6f-5d8a3024bc59
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
INSERT INTO agent_session (cli_type, agent_session_id, session_key) VALUES ('builtin', 'guide_1f7461cd-333c-407f-af79-8441a60d77b5', 1);
INSERT INTO agent_session (cli_type, agent_session_id, session_key) VALUES ('builtin', 'guide_4a255dfc-773c-459d-baad-411497243618', 2);
CREATE TRIGGER agent_session_of_new AFTER INSERT ON session WHEN NEW.agent_session_id <> '' BEGIN
  INSERT OR IGNORE INTO agent_session VALUES (NEW.cli_type, NEW.agent_session_id, NEW.key);
END;
CREATE TRIGGER agent_session_of_bound AFTER UPDATE OF agent_session_id ON session WHEN NEW.agent_session_id <> '' BEGIN
  INSERT OR IGNORE INTO agent_session VALUES (NEW.cli_type, NEW.agent_session_id, NEW.key);
END;
PRAGMA user_version = 13;
