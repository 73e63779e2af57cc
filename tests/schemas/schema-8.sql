-- migration sha256 22b61bcc006ec7c3
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
INSERT INTO project (id, path, name, added_at, position, removed) VALUES ('4456f9d2-ed9e-4ff5-9a3c-88af057beeba', '/sample/projects/d394585e-be81-4332-ba42-df34f457c9f2', 'd394585e-be81-4332-ba42-df34f457c9f2', '2026-11-15T15:50:12.694Z', 1, 0);
INSERT INTO session (key, id, project_id, cli_type, title, created_at, last_active_at, archived, turn, unfinished, parent_id, agent_session_id, agent_session_at, cwd, agent_state, agent_state_at, last_seq, kept_from_seq, snapshot_seq, snapshot, next_position, draft, attention_seq, seen_seq, usage, adopted, armed_waits, process_id, heard, cancelling) VALUES (1, 'builtin:2175e8b0-5c2b-4b98-a191-4cbef48c2817', '4456f9d2-ed9e-4ff5-9a3c-88af057beeba', 'builtin', 'stream 3 words', '2026-11-15T15:50:13.056Z', '2026-11-15T15:50:13.389Z', 0, '{"state":"idle","turnId":"2b30539b-5ca7-4c3d-a9ba-05163becc282","startedAt":"2026-11-15T15:50:13.144Z","stopReason":"end_turn"}', 0, NULL, 'guide_d86baaf1-97c3-4646-9600-8b5db7471987', '2026-11-15T15:50:13.056Z', '/sample/projects/d394585e-be81-4332-ba42-df34f457c9f2', 'active', '2026-11-15T15:50:13.056Z', 33, 1, 33, '{"seq":33,"title":"stream 3 words","titleSource":"derived","archived":false,"open":[],"turn":{"state":"idle","turnId":"2b30539b-5ca7-4c3d-a9ba-05163becc282","startedAt":"2026-11-15T15:50:13.144Z","stopReason":"end_turn"},"pending":[],"visits":[],"queue":[],"queuePaused":false,"config":{"options":[{"id":"mode","name":"Permissions","description":"When the guide asks before it changes something.","category":"mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask first","description":"Asks before each edit and each command."},{"value":"edits","name":"Allow edits","description":"Edits files without asking; asks before commands."},{"value":"all","name":"Allow everything","description":"Edits files and runs commands without asking."},{"value":"read","name":"Read only","description":"Refuses edits and commands."}]},{"id":"voice","name":"Voice","description":"How much the guide says.","category":"_voice","type":"select","currentValue":"brief","options":[{"value":"brief","name":"Brief","description":"Short answers."},{"value":"detailed","name":"Detailed","description":"Answers with examples and background."}]},{"id":"thoughts","name":"Think aloud","description":"Shows a thought before each answer.","type":"boolean","currentValue":false}],"commands":[{"name":"help","description":"Shows this page."},{"name":"list","description":"Lists the files of this directory (without .git and node_modules).","hint":"[directory]"},{"name":"read","description":"Reads a file of this directory.","hint":"<file>"},{"name":"search","description":"Looks for a text in the files of this directory.","hint":"<text>"},{"name":"edit","description":"Replaces a text in a file, after showing you the diff.","hint":"<file> \"<old>\" \"<new>\""},{"name":"run","description":"Runs a shell command here, after asking you.","hint":"<command>"},{"name":"plan","description":"Makes a plan of three steps and works through it."},{"name":"think","description":"Thinks aloud for a moment, then answers."},{"name":"ask","description":"Asks you something with a form, or asks you to visit a page.","hint":"url"},{"name":"image","description":"Paints a small picture."},{"name":"stream","description":"Streams numbered words, as fast as it can or at a steady rate.","hint":"<n> words at <m>/s"},{"name":"sleep","description":"Waits, for ever without a number; Cancel wakes me.","hint":"[seconds]"},{"name":"all","description":"Sends one of every kind of update, and asks one of every kind of request."},{"name":"fail","description":"Answers with an error, to see what that looks like."},{"name":"crash","description":"Ends this agent''s process in the middle of a turn."}],"usage":null,"abilities":{"image":true,"audio":false,"embeddedContext":true,"steering":true}}}', 10, 'a draft', 33, 0, NULL, 0, 0, '0dabda81-a312-41ea-b6cb-7aa6cebfa3ea', 32, NULL);
INSERT INTO session (key, id, project_id, cli_type, title, created_at, last_active_at, archived, turn, unfinished, parent_id, agent_session_id, agent_session_at, cwd, agent_state, agent_state_at, last_seq, kept_from_seq, snapshot_seq, snapshot, next_position, draft, attention_seq, seen_seq, usage, adopted, armed_waits, process_id, heard, cancelling) VALUES (2, 'builtin:66f519e7-9f7b-459f-acb7-8efbc225a682', '4456f9d2-ed9e-4ff5-9a3c-88af057beeba', 'builtin', 'stream 100000 words at 200/s', '2026-11-15T15:50:13.398Z', '2026-11-15T15:50:13.501Z', 0, '{"state":"running","turnId":"3fdf2102-4673-437b-bc77-6080c4b3ba03","startedAt":"2026-11-15T15:50:13.401Z"}', 1, NULL, 'guide_c3a46f49-3cac-459c-bd9d-ed47fdcd7dd0', '2026-11-15T15:50:13.398Z', '/sample/projects/d394585e-be81-4332-ba42-df34f457c9f2', 'active', '2026-11-15T15:50:13.398Z', 13, 1, 3, '{"seq":3,"title":"New Session","titleSource":"none","archived":false,"open":[],"turn":{"state":"idle"},"pending":[],"visits":[],"queue":[],"queuePaused":false,"config":{"options":[{"id":"mode","name":"Permissions","description":"When the guide asks before it changes something.","category":"mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask first","description":"Asks before each edit and each command."},{"value":"edits","name":"Allow edits","description":"Edits files without asking; asks before commands."},{"value":"all","name":"Allow everything","description":"Edits files and runs commands without asking."},{"value":"read","name":"Read only","description":"Refuses edits and commands."}]},{"id":"voice","name":"Voice","description":"How much the guide says.","category":"_voice","type":"select","currentValue":"brief","options":[{"value":"brief","name":"Brief","description":"Short answers."},{"value":"detailed","name":"Detailed","description":"Answers with examples and background."}]},{"id":"thoughts","name":"Think aloud","description":"Shows a thought before each answer.","type":"boolean","currentValue":false}],"commands":[{"name":"help","description":"Shows this page."},{"name":"list","description":"Lists the files of this directory (without .git and node_modules).","hint":"[directory]"},{"name":"read","description":"Reads a file of this directory.","hint":"<file>"},{"name":"search","description":"Looks for a text in the files of this directory.","hint":"<text>"},{"name":"edit","description":"Replaces a text in a file, after showing you the diff.","hint":"<file> \"<old>\" \"<new>\""},{"name":"run","description":"Runs a shell command here, after asking you.","hint":"<command>"},{"name":"plan","description":"Makes a plan of three steps and works through it."},{"name":"think","description":"Thinks aloud for a moment, then answers."},{"name":"ask","description":"Asks you something with a form, or asks you to visit a page.","hint":"url"},{"name":"image","description":"Paints a small picture."},{"name":"stream","description":"Streams numbered words, as fast as it can or at a steady rate.","hint":"<n> words at <m>/s"},{"name":"sleep","description":"Waits, for ever without a number; Cancel wakes me.","hint":"[seconds]"},{"name":"all","description":"Sends one of every kind of update, and asks one of every kind of request."},{"name":"fail","description":"Answers with an error, to see what that looks like."},{"name":"crash","description":"Ends this agent''s process in the middle of a turn."}],"usage":null,"abilities":{"image":true,"audio":false,"embeddedContext":true,"steering":true}}}', 1, '', 0, 0, NULL, 0, 0, '0dabda81-a312-41ea-b6cb-7aa6cebfa3ea', 56, NULL);
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 1, 'session:config', '{"type":"session:config","config":{"options":[{"id":"mode","name":"Permissions","description":"When the guide asks before it changes something.","category":"mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask first","description":"Asks before each edit and each command."},{"value":"edits","name":"Allow edits","description":"Edits files without asking; asks before commands."},{"value":"all","name":"Allow everything","description":"Edits files and runs commands without asking."},{"value":"read","name":"Read only","description":"Refuses edits and commands."}]},{"id":"voice","name":"Voice","description":"How much the guide says.","category":"_voice","type":"select","currentValue":"brief","options":[{"value":"brief","name":"Brief","description":"Short answers."},{"value":"detailed","name":"Detailed","description":"Answers with examples and background."}]},{"id":"thoughts","name":"Think aloud","description":"Shows a thought before each answer.","type":"boolean","currentValue":false}],"commands":[],"usage":null},"sessionId":"builtin:2175e8b0-5c2b-4b98-a191-4cbef48c2817","seq":1}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 2, 'session:config', '{"type":"session:config","config":{"options":[{"id":"mode","name":"Permissions","description":"When the guide asks before it changes something.","category":"mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask first","description":"Asks before each edit and each command."},{"value":"edits","name":"Allow edits","description":"Edits files without asking; asks before commands."},{"value":"all","name":"Allow everything","description":"Edits files and runs commands without asking."},{"value":"read","name":"Read only","description":"Refuses edits and commands."}]},{"id":"voice","name":"Voice","description":"How much the guide says.","category":"_voice","type":"select","currentValue":"brief","options":[{"value":"brief","name":"Brief","description":"Short answers."},{"value":"detailed","name":"Detailed","description":"Answers with examples and background."}]},{"id":"thoughts","name":"Think aloud","description":"Shows a thought before each answer.","type":"boolean","currentValue":false}],"commands":[],"usage":null,"abilities":{"image":true,"audio":false,"embeddedContext":true,"steering":true}},"sessionId":"builtin:2175e8b0-5c2b-4b98-a191-4cbef48c2817","seq":2}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 3, 'session:config', '{"type":"session:config","config":{"options":[{"id":"mode","name":"Permissions","description":"When the guide asks before it changes something.","category":"mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask first","description":"Asks before each edit and each command."},{"value":"edits","name":"Allow edits","description":"Edits files without asking; asks before commands."},{"value":"all","name":"Allow everything","description":"Edits files and runs commands without asking."},{"value":"read","name":"Read only","description":"Refuses edits and commands."}]},{"id":"voice","name":"Voice","description":"How much the guide says.","category":"_voice","type":"select","currentValue":"brief","options":[{"value":"brief","name":"Brief","description":"Short answers."},{"value":"detailed","name":"Detailed","description":"Answers with examples and background."}]},{"id":"thoughts","name":"Think aloud","description":"Shows a thought before each answer.","type":"boolean","currentValue":false}],"commands":[{"name":"help","description":"Shows this page."},{"name":"list","description":"Lists the files of this directory (without .git and node_modules).","hint":"[directory]"},{"name":"read","description":"Reads a file of this directory.","hint":"<file>"},{"name":"search","description":"Looks for a text in the files of this directory.","hint":"<text>"},{"name":"edit","description":"Replaces a text in a file, after showing you the diff.","hint":"<file> \"<old>\" \"<new>\""},{"name":"run","description":"Runs a shell command here, after asking you.","hint":"<command>"},{"name":"plan","description":"Makes a plan of three steps and works through it."},{"name":"think","description":"Thinks aloud for a moment, then answers."},{"name":"ask","description":"Asks you something with a form, or asks you to visit a page.","hint":"url"},{"name":"image","description":"Paints a small picture."},{"name":"stream","description":"Streams numbered words, as fast as it can or at a steady rate.","hint":"<n> words at <m>/s"},{"name":"sleep","description":"Waits, for ever without a number; Cancel wakes me.","hint":"[seconds]"},{"name":"all","description":"Sends one of every kind of update, and asks one of every kind of request."},{"name":"fail","description":"Answers with an error, to see what that looks like."},{"name":"crash","description":"Ends this agent''s process in the middle of a turn."}],"usage":null,"abilities":{"image":true,"audio":false,"embeddedContext":true,"steering":true}},"sessionId":"builtin:2175e8b0-5c2b-4b98-a191-4cbef48c2817","seq":3}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 4, 'session:title-updated', '{"type":"session:title-updated","title":"stream 3 words","source":"derived","sessionId":"builtin:2175e8b0-5c2b-4b98-a191-4cbef48c2817","seq":4}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 5, 'session:update', '{"type":"session:update","entry":{"type":"user","entryId":"641f358e-9c1d-4d3d-a397-8cb5eea479ec","turnId":"8218e15e-9315-4bf0-8b50-89fff10d95a5","content":"stream 3 words","timestamp":"2026-11-15T15:50:13.084Z","commandId":"c51a0e30-c13a-4b7d-887a-c90edca20143"},"sessionId":"builtin:2175e8b0-5c2b-4b98-a191-4cbef48c2817","seq":5}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 6, 'session:turn', '{"type":"session:turn","turn":{"state":"running","turnId":"8218e15e-9315-4bf0-8b50-89fff10d95a5","startedAt":"2026-11-15T15:50:13.084Z"},"sessionId":"builtin:2175e8b0-5c2b-4b98-a191-4cbef48c2817","seq":6}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 7, 'session:update', '{"type":"session:update","entry":{"entryId":"d0df8630-b448-47bd-b3be-90d245f9e33d","turnId":"8218e15e-9315-4bf0-8b50-89fff10d95a5","content":"w1 w2 w3","timestamp":"2026-11-15T15:50:13.115Z","messageId":"msg_f881f88d-d8dd-4110-9018-b98994d2f068","type":"assistant"},"sessionId":"builtin:2175e8b0-5c2b-4b98-a191-4cbef48c2817","seq":7}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 8, 'session:complete', '{"type":"session:complete","entryId":"d0df8630-b448-47bd-b3be-90d245f9e33d","sessionId":"builtin:2175e8b0-5c2b-4b98-a191-4cbef48c2817","seq":8}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 9, 'session:turn', '{"type":"session:turn","turn":{"state":"idle","turnId":"8218e15e-9315-4bf0-8b50-89fff10d95a5","startedAt":"2026-11-15T15:50:13.084Z","stopReason":"end_turn"},"sessionId":"builtin:2175e8b0-5c2b-4b98-a191-4cbef48c2817","seq":9}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 10, 'session:update', '{"type":"session:update","entry":{"type":"user","entryId":"e9c4f21a-0627-476d-a96a-9662735a6906","turnId":"202a4343-5b96-4f08-9680-36b1a6844518","content":"run echo hi","timestamp":"2026-11-15T15:50:13.120Z","commandId":"dab071e0-d0ce-47a5-bba9-c67ec89ca618"},"sessionId":"builtin:2175e8b0-5c2b-4b98-a191-4cbef48c2817","seq":10}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 11, 'session:turn', '{"type":"session:turn","turn":{"state":"running","turnId":"202a4343-5b96-4f08-9680-36b1a6844518","startedAt":"2026-11-15T15:50:13.120Z"},"sessionId":"builtin:2175e8b0-5c2b-4b98-a191-4cbef48c2817","seq":11}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 12, 'session:update', '{"type":"session:update","entry":{"type":"tool-call","entryId":"314ac853-91f3-4e20-ac89-ba53fabdd3bd","turnId":"202a4343-5b96-4f08-9680-36b1a6844518","toolCallId":"call_a644d93b-cf81-4c7a-9c97-81c343ff2cd8","name":"echo hi","status":"running","content":"","startedAt":"2026-11-15T15:50:13.125Z","kind":"execute","input":{"command":"echo hi","cwd":"/sample/projects/d394585e-be81-4332-ba42-df34f457c9f2"}},"sessionId":"builtin:2175e8b0-5c2b-4b98-a191-4cbef48c2817","seq":12}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 13, 'permission:request', '{"type":"permission:request","permissionId":"0dabda81-a312-41ea-b6cb-7aa6cebfa3ea-11","toolCall":{"toolCallId":"call_a644d93b-cf81-4c7a-9c97-81c343ff2cd8","name":"echo hi","kind":"execute","input":{"command":"echo hi","cwd":"/sample/projects/d394585e-be81-4332-ba42-df34f457c9f2"}},"options":[{"optionId":"allow-once","name":"Allow once","kind":"allow_once"},{"optionId":"allow-always","name":"Always allow commands in this session","kind":"allow_always"},{"optionId":"reject-once","name":"Reject","kind":"reject_once"}],"askedAt":"2026-11-15T15:50:13.125Z","offers":[{"effect":"allow","command":"echo"}],"sessionId":"builtin:2175e8b0-5c2b-4b98-a191-4cbef48c2817","seq":13}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 14, 'session:turn', '{"type":"session:turn","turn":{"state":"waiting","turnId":"202a4343-5b96-4f08-9680-36b1a6844518","startedAt":"2026-11-15T15:50:13.120Z"},"sessionId":"builtin:2175e8b0-5c2b-4b98-a191-4cbef48c2817","seq":14}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 15, 'permission:resolved', '{"type":"permission:resolved","permissionId":"0dabda81-a312-41ea-b6cb-7aa6cebfa3ea-11","outcome":{"outcome":"selected","optionId":"allow-once"},"sessionId":"builtin:2175e8b0-5c2b-4b98-a191-4cbef48c2817","seq":15}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 16, 'session:turn', '{"type":"session:turn","turn":{"state":"running","turnId":"202a4343-5b96-4f08-9680-36b1a6844518","startedAt":"2026-11-15T15:50:13.120Z"},"sessionId":"builtin:2175e8b0-5c2b-4b98-a191-4cbef48c2817","seq":16}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 17, 'session:update', '{"type":"session:update","entry":{"type":"tool-call","entryId":"314ac853-91f3-4e20-ac89-ba53fabdd3bd","turnId":"202a4343-5b96-4f08-9680-36b1a6844518","toolCallId":"call_a644d93b-cf81-4c7a-9c97-81c343ff2cd8","name":"echo hi","status":"running","content":"","startedAt":"2026-11-15T15:50:13.125Z","kind":"execute","input":{"command":"echo hi","cwd":"/sample/projects/d394585e-be81-4332-ba42-df34f457c9f2"},"parts":[{"type":"terminal","terminalId":"aabef916-29e2-449c-a984-6cf4a4d5a353"}]},"sessionId":"builtin:2175e8b0-5c2b-4b98-a191-4cbef48c2817","seq":17}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 18, 'session:chunk', '{"type":"session:chunk","entryId":"314ac853-91f3-4e20-ac89-ba53fabdd3bd","content":"hi\n","field":"result","sessionId":"builtin:2175e8b0-5c2b-4b98-a191-4cbef48c2817","seq":18}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 19, 'session:update', '{"type":"session:update","entry":{"type":"tool-call","entryId":"314ac853-91f3-4e20-ac89-ba53fabdd3bd","turnId":"202a4343-5b96-4f08-9680-36b1a6844518","toolCallId":"call_a644d93b-cf81-4c7a-9c97-81c343ff2cd8","name":"echo hi","status":"complete","content":"","startedAt":"2026-11-15T15:50:13.125Z","kind":"execute","input":{"command":"echo hi","cwd":"/sample/projects/d394585e-be81-4332-ba42-df34f457c9f2"},"parts":[{"type":"terminal","terminalId":"aabef916-29e2-449c-a984-6cf4a4d5a353"}],"output":{"truncated":false,"exitCode":0},"result":"hi\n","endedAt":"2026-11-15T15:50:13.141Z"},"sessionId":"builtin:2175e8b0-5c2b-4b98-a191-4cbef48c2817","seq":19}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 20, 'session:update', '{"type":"session:update","entry":{"entryId":"63b7f2dd-11d6-4273-897c-46592b6f113f","turnId":"202a4343-5b96-4f08-9680-36b1a6844518","content":"The command succeeded.","timestamp":"2026-11-15T15:50:13.142Z","messageId":"msg_efaabdb0-e40a-4608-8e3b-2df076c04c81","type":"assistant"},"sessionId":"builtin:2175e8b0-5c2b-4b98-a191-4cbef48c2817","seq":20}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 21, 'session:complete', '{"type":"session:complete","entryId":"63b7f2dd-11d6-4273-897c-46592b6f113f","sessionId":"builtin:2175e8b0-5c2b-4b98-a191-4cbef48c2817","seq":21}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 22, 'session:turn', '{"type":"session:turn","turn":{"state":"idle","turnId":"202a4343-5b96-4f08-9680-36b1a6844518","startedAt":"2026-11-15T15:50:13.120Z","stopReason":"end_turn"},"sessionId":"builtin:2175e8b0-5c2b-4b98-a191-4cbef48c2817","seq":22}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 23, 'session:update', '{"type":"session:update","entry":{"type":"user","entryId":"563cab04-aee3-46e4-b518-3a80ed28f2c2","turnId":"2b30539b-5ca7-4c3d-a9ba-05163becc282","content":"plan","timestamp":"2026-11-15T15:50:13.144Z","commandId":"7825505e-bcbb-44a0-b231-68c4b9ddb09a"},"sessionId":"builtin:2175e8b0-5c2b-4b98-a191-4cbef48c2817","seq":23}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 24, 'session:turn', '{"type":"session:turn","turn":{"state":"running","turnId":"2b30539b-5ca7-4c3d-a9ba-05163becc282","startedAt":"2026-11-15T15:50:13.144Z"},"sessionId":"builtin:2175e8b0-5c2b-4b98-a191-4cbef48c2817","seq":24}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 25, 'session:update', '{"type":"session:update","entry":{"entryId":"f3057b75-b220-41d3-9954-078a08862b38","turnId":"2b30539b-5ca7-4c3d-a9ba-05163becc282","content":"Here is my plan.","timestamp":"2026-11-15T15:50:13.147Z","messageId":"msg_b7df1eeb-0a48-4404-9951-a2bb5a0bac9f","type":"assistant"},"sessionId":"builtin:2175e8b0-5c2b-4b98-a191-4cbef48c2817","seq":25}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 26, 'session:complete', '{"type":"session:complete","entryId":"f3057b75-b220-41d3-9954-078a08862b38","sessionId":"builtin:2175e8b0-5c2b-4b98-a191-4cbef48c2817","seq":26}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 27, 'session:update', '{"type":"session:update","entry":{"type":"plan","entryId":"42f1c38a-2e68-40fb-9ae5-6609c664a8c6","turnId":"2b30539b-5ca7-4c3d-a9ba-05163becc282","content":"- [ ] Write the steps down\n- [ ] Work through them one by one\n- [ ] Look back at what was done","items":[{"content":"Write the steps down","priority":"high","status":"in_progress"},{"content":"Work through them one by one","priority":"medium","status":"pending"},{"content":"Look back at what was done","priority":"low","status":"pending"}]},"sessionId":"builtin:2175e8b0-5c2b-4b98-a191-4cbef48c2817","seq":27}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 28, 'session:update', '{"type":"session:update","entry":{"type":"plan","entryId":"42f1c38a-2e68-40fb-9ae5-6609c664a8c6","turnId":"2b30539b-5ca7-4c3d-a9ba-05163becc282","content":"- [x] Write the steps down\n- [ ] Work through them one by one\n- [ ] Look back at what was done","items":[{"content":"Write the steps down","priority":"high","status":"completed"},{"content":"Work through them one by one","priority":"medium","status":"in_progress"},{"content":"Look back at what was done","priority":"low","status":"pending"}]},"sessionId":"builtin:2175e8b0-5c2b-4b98-a191-4cbef48c2817","seq":28}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 29, 'session:update', '{"type":"session:update","entry":{"type":"plan","entryId":"42f1c38a-2e68-40fb-9ae5-6609c664a8c6","turnId":"2b30539b-5ca7-4c3d-a9ba-05163becc282","content":"- [x] Write the steps down\n- [x] Work through them one by one\n- [ ] Look back at what was done","items":[{"content":"Write the steps down","priority":"high","status":"completed"},{"content":"Work through them one by one","priority":"medium","status":"completed"},{"content":"Look back at what was done","priority":"low","status":"in_progress"}]},"sessionId":"builtin:2175e8b0-5c2b-4b98-a191-4cbef48c2817","seq":29}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 30, 'session:update', '{"type":"session:update","entry":{"type":"plan","entryId":"42f1c38a-2e68-40fb-9ae5-6609c664a8c6","turnId":"2b30539b-5ca7-4c3d-a9ba-05163becc282","content":"- [x] Write the steps down\n- [x] Work through them one by one\n- [x] Look back at what was done","items":[{"content":"Write the steps down","priority":"high","status":"completed"},{"content":"Work through them one by one","priority":"medium","status":"completed"},{"content":"Look back at what was done","priority":"low","status":"completed"}]},"sessionId":"builtin:2175e8b0-5c2b-4b98-a191-4cbef48c2817","seq":30}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 31, 'session:update', '{"type":"session:update","entry":{"entryId":"e7106809-58a4-4951-9c28-db31c9e6d2b1","turnId":"2b30539b-5ca7-4c3d-a9ba-05163becc282","content":"Done.","timestamp":"2026-11-15T15:50:13.389Z","messageId":"msg_0eff0320-a6c4-4e7a-a2af-3403757145d8","type":"assistant"},"sessionId":"builtin:2175e8b0-5c2b-4b98-a191-4cbef48c2817","seq":31}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 32, 'session:complete', '{"type":"session:complete","entryId":"e7106809-58a4-4951-9c28-db31c9e6d2b1","sessionId":"builtin:2175e8b0-5c2b-4b98-a191-4cbef48c2817","seq":32}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 33, 'session:turn', '{"type":"session:turn","turn":{"state":"idle","turnId":"2b30539b-5ca7-4c3d-a9ba-05163becc282","startedAt":"2026-11-15T15:50:13.144Z","stopReason":"end_turn"},"sessionId":"builtin:2175e8b0-5c2b-4b98-a191-4cbef48c2817","seq":33}');
INSERT INTO fact (session_key, seq, type, json) VALUES (2, 1, 'session:config', '{"type":"session:config","config":{"options":[],"commands":[{"name":"help","description":"Shows this page."},{"name":"list","description":"Lists the files of this directory (without .git and node_modules).","hint":"[directory]"},{"name":"read","description":"Reads a file of this directory.","hint":"<file>"},{"name":"search","description":"Looks for a text in the files of this directory.","hint":"<text>"},{"name":"edit","description":"Replaces a text in a file, after showing you the diff.","hint":"<file> \"<old>\" \"<new>\""},{"name":"run","description":"Runs a shell command here, after asking you.","hint":"<command>"},{"name":"plan","description":"Makes a plan of three steps and works through it."},{"name":"think","description":"Thinks aloud for a moment, then answers."},{"name":"ask","description":"Asks you something with a form, or asks you to visit a page.","hint":"url"},{"name":"image","description":"Paints a small picture."},{"name":"stream","description":"Streams numbered words, as fast as it can or at a steady rate.","hint":"<n> words at <m>/s"},{"name":"sleep","description":"Waits, for ever without a number; Cancel wakes me.","hint":"[seconds]"},{"name":"all","description":"Sends one of every kind of update, and asks one of every kind of request."},{"name":"fail","description":"Answers with an error, to see what that looks like."},{"name":"crash","description":"Ends this agent''s process in the middle of a turn."}],"usage":null},"sessionId":"builtin:66f519e7-9f7b-459f-acb7-8efbc225a682","seq":1}');
INSERT INTO fact (session_key, seq, type, json) VALUES (2, 2, 'session:config', '{"type":"session:config","config":{"options":[{"id":"mode","name":"Permissions","description":"When the guide asks before it changes something.","category":"mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask first","description":"Asks before each edit and each command."},{"value":"edits","name":"Allow edits","description":"Edits files without asking; asks before commands."},{"value":"all","name":"Allow everything","description":"Edits files and runs commands without asking."},{"value":"read","name":"Read only","description":"Refuses edits and commands."}]},{"id":"voice","name":"Voice","description":"How much the guide says.","category":"_voice","type":"select","currentValue":"brief","options":[{"value":"brief","name":"Brief","description":"Short answers."},{"value":"detailed","name":"Detailed","description":"Answers with examples and background."}]},{"id":"thoughts","name":"Think aloud","description":"Shows a thought before each answer.","type":"boolean","currentValue":false}],"commands":[{"name":"help","description":"Shows this page."},{"name":"list","description":"Lists the files of this directory (without .git and node_modules).","hint":"[directory]"},{"name":"read","description":"Reads a file of this directory.","hint":"<file>"},{"name":"search","description":"Looks for a text in the files of this directory.","hint":"<text>"},{"name":"edit","description":"Replaces a text in a file, after showing you the diff.","hint":"<file> \"<old>\" \"<new>\""},{"name":"run","description":"Runs a shell command here, after asking you.","hint":"<command>"},{"name":"plan","description":"Makes a plan of three steps and works through it."},{"name":"think","description":"Thinks aloud for a moment, then answers."},{"name":"ask","description":"Asks you something with a form, or asks you to visit a page.","hint":"url"},{"name":"image","description":"Paints a small picture."},{"name":"stream","description":"Streams numbered words, as fast as it can or at a steady rate.","hint":"<n> words at <m>/s"},{"name":"sleep","description":"Waits, for ever without a number; Cancel wakes me.","hint":"[seconds]"},{"name":"all","description":"Sends one of every kind of update, and asks one of every kind of request."},{"name":"fail","description":"Answers with an error, to see what that looks like."},{"name":"crash","description":"Ends this agent''s process in the middle of a turn."}],"usage":null},"sessionId":"builtin:66f519e7-9f7b-459f-acb7-8efbc225a682","seq":2}');
INSERT INTO fact (session_key, seq, type, json) VALUES (2, 3, 'session:config', '{"type":"session:config","config":{"options":[{"id":"mode","name":"Permissions","description":"When the guide asks before it changes something.","category":"mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask first","description":"Asks before each edit and each command."},{"value":"edits","name":"Allow edits","description":"Edits files without asking; asks before commands."},{"value":"all","name":"Allow everything","description":"Edits files and runs commands without asking."},{"value":"read","name":"Read only","description":"Refuses edits and commands."}]},{"id":"voice","name":"Voice","description":"How much the guide says.","category":"_voice","type":"select","currentValue":"brief","options":[{"value":"brief","name":"Brief","description":"Short answers."},{"value":"detailed","name":"Detailed","description":"Answers with examples and background."}]},{"id":"thoughts","name":"Think aloud","description":"Shows a thought before each answer.","type":"boolean","currentValue":false}],"commands":[{"name":"help","description":"Shows this page."},{"name":"list","description":"Lists the files of this directory (without .git and node_modules).","hint":"[directory]"},{"name":"read","description":"Reads a file of this directory.","hint":"<file>"},{"name":"search","description":"Looks for a text in the files of this directory.","hint":"<text>"},{"name":"edit","description":"Replaces a text in a file, after showing you the diff.","hint":"<file> \"<old>\" \"<new>\""},{"name":"run","description":"Runs a shell command here, after asking you.","hint":"<command>"},{"name":"plan","description":"Makes a plan of three steps and works through it."},{"name":"think","description":"Thinks aloud for a moment, then answers."},{"name":"ask","description":"Asks you something with a form, or asks you to visit a page.","hint":"url"},{"name":"image","description":"Paints a small picture."},{"name":"stream","description":"Streams numbered words, as fast as it can or at a steady rate.","hint":"<n> words at <m>/s"},{"name":"sleep","description":"Waits, for ever without a number; Cancel wakes me.","hint":"[seconds]"},{"name":"all","description":"Sends one of every kind of update, and asks one of every kind of request."},{"name":"fail","description":"Answers with an error, to see what that looks like."},{"name":"crash","description":"Ends this agent''s process in the middle of a turn."}],"usage":null,"abilities":{"image":true,"audio":false,"embeddedContext":true,"steering":true}},"sessionId":"builtin:66f519e7-9f7b-459f-acb7-8efbc225a682","seq":3}');
INSERT INTO fact (session_key, seq, type, json) VALUES (2, 4, 'session:title-updated', '{"type":"session:title-updated","title":"stream 100000 words at 200/s","source":"derived","sessionId":"builtin:66f519e7-9f7b-459f-acb7-8efbc225a682","seq":4}');
INSERT INTO fact (session_key, seq, type, json) VALUES (2, 5, 'session:update', '{"type":"session:update","entry":{"type":"user","entryId":"6c1e69e2-60c3-4442-8f09-ee2df6b2a0cd","turnId":"3fdf2102-4673-437b-bc77-6080c4b3ba03","content":"stream 100000 words at 200/s","timestamp":"2026-11-15T15:50:13.401Z","commandId":"71817bc2-a92c-49f7-b466-709b4ccad602"},"sessionId":"builtin:66f519e7-9f7b-459f-acb7-8efbc225a682","seq":5}');
INSERT INTO fact (session_key, seq, type, json) VALUES (2, 6, 'session:turn', '{"type":"session:turn","turn":{"state":"running","turnId":"3fdf2102-4673-437b-bc77-6080c4b3ba03","startedAt":"2026-11-15T15:50:13.401Z"},"sessionId":"builtin:66f519e7-9f7b-459f-acb7-8efbc225a682","seq":6}');
INSERT INTO fact (session_key, seq, type, json) VALUES (2, 7, 'session:update', '{"type":"session:update","entry":{"entryId":"d57f901b-bc5f-47f8-8b04-d198995f469b","turnId":"3fdf2102-4673-437b-bc77-6080c4b3ba03","content":"w1 ","timestamp":"2026-11-15T15:50:13.403Z","messageId":"msg_0bf5a31c-fba1-4323-a4a6-6cb4e19292ba","type":"assistant"},"sessionId":"builtin:66f519e7-9f7b-459f-acb7-8efbc225a682","seq":7}');
INSERT INTO fact (session_key, seq, type, json) VALUES (2, 8, 'session:chunk', '{"type":"session:chunk","entryId":"d57f901b-bc5f-47f8-8b04-d198995f469b","content":"w2 w3 w4 ","sessionId":"builtin:66f519e7-9f7b-459f-acb7-8efbc225a682","seq":8}');
INSERT INTO fact (session_key, seq, type, json) VALUES (2, 9, 'session:chunk', '{"type":"session:chunk","entryId":"d57f901b-bc5f-47f8-8b04-d198995f469b","content":"w5 w6 w7 ","sessionId":"builtin:66f519e7-9f7b-459f-acb7-8efbc225a682","seq":9}');
INSERT INTO fact (session_key, seq, type, json) VALUES (2, 10, 'session:chunk', '{"type":"session:chunk","entryId":"d57f901b-bc5f-47f8-8b04-d198995f469b","content":"w8 w9 ","sessionId":"builtin:66f519e7-9f7b-459f-acb7-8efbc225a682","seq":10}');
INSERT INTO fact (session_key, seq, type, json) VALUES (2, 11, 'session:chunk', '{"type":"session:chunk","entryId":"d57f901b-bc5f-47f8-8b04-d198995f469b","content":"w10 w11 w12 w13 ","sessionId":"builtin:66f519e7-9f7b-459f-acb7-8efbc225a682","seq":11}');
INSERT INTO fact (session_key, seq, type, json) VALUES (2, 12, 'session:chunk', '{"type":"session:chunk","entryId":"d57f901b-bc5f-47f8-8b04-d198995f469b","content":"w14 w15 w16 ","sessionId":"builtin:66f519e7-9f7b-459f-acb7-8efbc225a682","seq":12}');
INSERT INTO fact (session_key, seq, type, json) VALUES (2, 13, 'session:chunk', '{"type":"session:chunk","entryId":"d57f901b-bc5f-47f8-8b04-d198995f469b","content":"w17 w18 w19 w20 ","sessionId":"builtin:66f519e7-9f7b-459f-acb7-8efbc225a682","seq":13}');
INSERT INTO entry (session_key, position, entry_id, agent_id, json) VALUES (1, 1, '641f358e-9c1d-4d3d-a397-8cb5eea479ec', NULL, '{"type":"user","entryId":"641f358e-9c1d-4d3d-a397-8cb5eea479ec","turnId":"8218e15e-9315-4bf0-8b50-89fff10d95a5","content":"stream 3 words","timestamp":"2026-11-15T15:50:13.084Z","commandId":"c51a0e30-c13a-4b7d-887a-c90edca20143"}');
INSERT INTO entry (session_key, position, entry_id, agent_id, json) VALUES (1, 2, 'd0df8630-b448-47bd-b3be-90d245f9e33d', 'msg_f881f88d-d8dd-4110-9018-b98994d2f068', '{"entryId":"d0df8630-b448-47bd-b3be-90d245f9e33d","turnId":"8218e15e-9315-4bf0-8b50-89fff10d95a5","content":"w1 w2 w3","timestamp":"2026-11-15T15:50:13.115Z","messageId":"msg_f881f88d-d8dd-4110-9018-b98994d2f068","type":"assistant"}');
INSERT INTO entry (session_key, position, entry_id, agent_id, json) VALUES (1, 3, 'e9c4f21a-0627-476d-a96a-9662735a6906', NULL, '{"type":"user","entryId":"e9c4f21a-0627-476d-a96a-9662735a6906","turnId":"202a4343-5b96-4f08-9680-36b1a6844518","content":"run echo hi","timestamp":"2026-11-15T15:50:13.120Z","commandId":"dab071e0-d0ce-47a5-bba9-c67ec89ca618"}');
INSERT INTO entry (session_key, position, entry_id, agent_id, json) VALUES (1, 4, '314ac853-91f3-4e20-ac89-ba53fabdd3bd', 'call_a644d93b-cf81-4c7a-9c97-81c343ff2cd8', '{"type":"tool-call","entryId":"314ac853-91f3-4e20-ac89-ba53fabdd3bd","turnId":"202a4343-5b96-4f08-9680-36b1a6844518","toolCallId":"call_a644d93b-cf81-4c7a-9c97-81c343ff2cd8","name":"echo hi","status":"complete","content":"","startedAt":"2026-11-15T15:50:13.125Z","kind":"execute","input":{"command":"echo hi","cwd":"/sample/projects/d394585e-be81-4332-ba42-df34f457c9f2"},"parts":[{"type":"terminal","terminalId":"aabef916-29e2-449c-a984-6cf4a4d5a353"}],"output":{"truncated":false,"exitCode":0},"result":"hi\n","endedAt":"2026-11-15T15:50:13.141Z"}');
INSERT INTO entry (session_key, position, entry_id, agent_id, json) VALUES (1, 5, '63b7f2dd-11d6-4273-897c-46592b6f113f', 'msg_efaabdb0-e40a-4608-8e3b-2df076c04c81', '{"entryId":"63b7f2dd-11d6-4273-897c-46592b6f113f","turnId":"202a4343-5b96-4f08-9680-36b1a6844518","content":"The command succeeded.","timestamp":"2026-11-15T15:50:13.142Z","messageId":"msg_efaabdb0-e40a-4608-8e3b-2df076c04c81","type":"assistant"}');
INSERT INTO entry (session_key, position, entry_id, agent_id, json) VALUES (1, 6, '563cab04-aee3-46e4-b518-3a80ed28f2c2', NULL, '{"type":"user","entryId":"563cab04-aee3-46e4-b518-3a80ed28f2c2","turnId":"2b30539b-5ca7-4c3d-a9ba-05163becc282","content":"plan","timestamp":"2026-11-15T15:50:13.144Z","commandId":"7825505e-bcbb-44a0-b231-68c4b9ddb09a"}');
INSERT INTO entry (session_key, position, entry_id, agent_id, json) VALUES (1, 7, 'f3057b75-b220-41d3-9954-078a08862b38', 'msg_b7df1eeb-0a48-4404-9951-a2bb5a0bac9f', '{"entryId":"f3057b75-b220-41d3-9954-078a08862b38","turnId":"2b30539b-5ca7-4c3d-a9ba-05163becc282","content":"Here is my plan.","timestamp":"2026-11-15T15:50:13.147Z","messageId":"msg_b7df1eeb-0a48-4404-9951-a2bb5a0bac9f","type":"assistant"}');
INSERT INTO entry (session_key, position, entry_id, agent_id, json) VALUES (1, 8, '42f1c38a-2e68-40fb-9ae5-6609c664a8c6', NULL, '{"type":"plan","entryId":"42f1c38a-2e68-40fb-9ae5-6609c664a8c6","turnId":"2b30539b-5ca7-4c3d-a9ba-05163becc282","content":"- [x] Write the steps down\n- [x] Work through them one by one\n- [x] Look back at what was done","items":[{"content":"Write the steps down","priority":"high","status":"completed"},{"content":"Work through them one by one","priority":"medium","status":"completed"},{"content":"Look back at what was done","priority":"low","status":"completed"}]}');
INSERT INTO entry (session_key, position, entry_id, agent_id, json) VALUES (1, 9, 'e7106809-58a4-4951-9c28-db31c9e6d2b1', 'msg_0eff0320-a6c4-4e7a-a2af-3403757145d8', '{"entryId":"e7106809-58a4-4951-9c28-db31c9e6d2b1","turnId":"2b30539b-5ca7-4c3d-a9ba-05163becc282","content":"Done.","timestamp":"2026-11-15T15:50:13.389Z","messageId":"msg_0eff0320-a6c4-4e7a-a2af-3403757145d8","type":"assistant"}');
INSERT INTO permission_record (key, session_key, permission_id, asked_at, tool_call, options, answered, answered_by, answered_at, why) VALUES (1, 1, '0dabda81-a312-41ea-b6cb-7aa6cebfa3ea-11', '2026-11-15T15:50:13.125Z', '{"toolCallId":"call_a644d93b-cf81-4c7a-9c97-81c343ff2cd8","name":"echo hi","kind":"execute","input":{"command":"echo hi","cwd":"/sample/projects/d394585e-be81-4332-ba42-df34f457c9f2"}}', '[{"optionId":"allow-once","name":"Allow once","kind":"allow_once"},{"optionId":"allow-always","name":"Always allow commands in this session","kind":"allow_always"},{"optionId":"reject-once","name":"Reject","kind":"reject_once"}]', 'allowed', 'user', NULL, NULL);
INSERT INTO search_text (key, session_key, entry_id, kind, at) VALUES (1000000000001, 1, '', 'title', NULL);
INSERT INTO search_text (key, session_key, entry_id, kind, at) VALUES (1000000000002, 1, '641f358e-9c1d-4d3d-a397-8cb5eea479ec', 'user', '2026-11-15T15:50:13.084Z');
INSERT INTO search_text (key, session_key, entry_id, kind, at) VALUES (1000000000003, 1, 'd0df8630-b448-47bd-b3be-90d245f9e33d', 'assistant', '2026-11-15T15:50:13.115Z');
INSERT INTO search_text (key, session_key, entry_id, kind, at) VALUES (1000000000004, 1, 'e9c4f21a-0627-476d-a96a-9662735a6906', 'user', '2026-11-15T15:50:13.120Z');
INSERT INTO search_text (key, session_key, entry_id, kind, at) VALUES (1000000000005, 1, '314ac853-91f3-4e20-ac89-ba53fabdd3bd', 'tool-call', '2026-11-15T15:50:13.125Z');
INSERT INTO search_text (key, session_key, entry_id, kind, at) VALUES (1000000000006, 1, '63b7f2dd-11d6-4273-897c-46592b6f113f', 'assistant', '2026-11-15T15:50:13.142Z');
INSERT INTO search_text (key, session_key, entry_id, kind, at) VALUES (1000000000007, 1, '563cab04-aee3-46e4-b518-3a80ed28f2c2', 'user', '2026-11-15T15:50:13.144Z');
INSERT INTO search_text (key, session_key, entry_id, kind, at) VALUES (1000000000008, 1, 'f3057b75-b220-41d3-9954-078a08862b38', 'assistant', '2026-11-15T15:50:13.147Z');
INSERT INTO search_text (key, session_key, entry_id, kind, at) VALUES (1000000000009, 1, '42f1c38a-2e68-40fb-9ae5-6609c664a8c6', 'plan', '2026-11-15T15:50:13.389Z');
INSERT INTO search_text (key, session_key, entry_id, kind, at) VALUES (1000000000010, 1, 'e7106809-58a4-4951-9c28-db31c9e6d2b1', 'assistant', '2026-11-15T15:50:13.389Z');
INSERT INTO search_text (key, session_key, entry_id, kind, at) VALUES (1000000000011, 2, '', 'title', NULL);
INSERT INTO search_index (rowid, text) VALUES (1000000000001, 'stream 3 words');
INSERT INTO search_index (rowid, text) VALUES (1000000000002, 'stream 3 words');
INSERT INTO search_index (rowid, text) VALUES (1000000000003, 'w1 w2 w3');
INSERT INTO search_index (rowid, text) VALUES (1000000000004, 'run echo hi');
INSERT INTO search_index (rowid, text) VALUES (1000000000005, 'echo hi
/sample/projects/d394585e-be81-4332-ba42-df34f457c9f2
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
INSERT INTO agent_session (cli_type, agent_session_id, session_key) VALUES ('builtin', 'guide_c3a46f49-3cac-459c-bd9d-ed47fdcd7dd0', 2);
INSERT INTO agent_session (cli_type, agent_session_id, session_key) VALUES ('builtin', 'guide_d86baaf1-97c3-4646-9600-8b5db7471987', 1);
CREATE TRIGGER agent_session_of_new AFTER INSERT ON session WHEN NEW.agent_session_id <> '' BEGIN
  INSERT OR IGNORE INTO agent_session VALUES (NEW.cli_type, NEW.agent_session_id, NEW.key);
END;
CREATE TRIGGER agent_session_of_bound AFTER UPDATE OF agent_session_id ON session WHEN NEW.agent_session_id <> '' BEGIN
  INSERT OR IGNORE INTO agent_session VALUES (NEW.cli_type, NEW.agent_session_id, NEW.key);
END;
PRAGMA user_version = 8;
