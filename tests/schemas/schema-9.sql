-- migration sha256 901b9de7bf01ed60
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
INSERT INTO project (id, path, name, added_at, position, removed) VALUES ('5d7420b5-1768-4ce2-b5db-7090484a22c2', '/sample/projects/27ecf69b-40cd-4f3b-bd36-f9bb5cd8681c', '27ecf69b-40cd-4f3b-bd36-f9bb5cd8681c', '2026-11-15T16:51:15.267Z', 1, 0);
INSERT INTO session (key, id, project_id, cli_type, title, created_at, last_active_at, archived, turn, unfinished, parent_id, agent_session_id, agent_session_at, cwd, agent_state, agent_state_at, last_seq, kept_from_seq, snapshot_seq, snapshot, next_position, draft, attention_seq, seen_seq, usage, adopted, armed_waits, process_id, heard, cancelling) VALUES (1, 'builtin:efc32d94-e2c7-43d9-b1f0-5bb210914fec', '5d7420b5-1768-4ce2-b5db-7090484a22c2', 'builtin', 'stream 3 words', '2026-11-15T16:51:15.717Z', '2026-11-15T16:51:16.629Z', 0, '{"state":"idle","turnId":"b38afd97-c0c5-41e0-a5c6-ee91ed26d741","startedAt":"2026-11-15T16:51:16.380Z","stopReason":"end_turn"}', 0, NULL, 'guide_c0de2016-e775-43d8-96eb-ca8eabb4b0c9', '2026-11-15T16:51:15.717Z', '/sample/projects/27ecf69b-40cd-4f3b-bd36-f9bb5cd8681c', 'active', '2026-11-15T16:51:15.717Z', 33, 1, 33, '{"seq":33,"title":"stream 3 words","titleSource":"derived","archived":false,"open":[],"turn":{"state":"idle","turnId":"b38afd97-c0c5-41e0-a5c6-ee91ed26d741","startedAt":"2026-11-15T16:51:16.380Z","stopReason":"end_turn"},"pending":[],"visits":[],"queue":[],"queuePaused":false,"config":{"options":[{"id":"mode","name":"Permissions","description":"When the guide asks before it changes something.","category":"mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask first","description":"Asks before each edit and each command."},{"value":"edits","name":"Allow edits","description":"Edits files without asking; asks before commands."},{"value":"all","name":"Allow everything","description":"Edits files and runs commands without asking."},{"value":"read","name":"Read only","description":"Refuses edits and commands."}]},{"id":"voice","name":"Voice","description":"How much the guide says.","category":"_voice","type":"select","currentValue":"brief","options":[{"value":"brief","name":"Brief","description":"Short answers."},{"value":"detailed","name":"Detailed","description":"Answers with examples and background."}]},{"id":"thoughts","name":"Think aloud","description":"Shows a thought before each answer.","type":"boolean","currentValue":false}],"commands":[{"name":"help","description":"Shows this page."},{"name":"list","description":"Lists the files of this directory (without .git and node_modules).","hint":"[directory]"},{"name":"read","description":"Reads a file of this directory.","hint":"<file>"},{"name":"search","description":"Looks for a text in the files of this directory.","hint":"<text>"},{"name":"edit","description":"Replaces a text in a file, after showing you the diff.","hint":"<file> \"<old>\" \"<new>\""},{"name":"run","description":"Runs a shell command here, after asking you.","hint":"<command>"},{"name":"plan","description":"Makes a plan of three steps and works through it."},{"name":"think","description":"Thinks aloud for a moment, then answers."},{"name":"ask","description":"Asks you something with a form, or asks you to visit a page.","hint":"url"},{"name":"image","description":"Paints a small picture."},{"name":"stream","description":"Streams numbered words, as fast as it can or at a steady rate.","hint":"<n> words at <m>/s"},{"name":"sleep","description":"Waits, for ever without a number; Cancel wakes me.","hint":"[seconds]"},{"name":"all","description":"Sends one of every kind of update, and asks one of every kind of request."},{"name":"fail","description":"Answers with an error, to see what that looks like."},{"name":"crash","description":"Ends this agent''s process in the middle of a turn."}],"usage":null,"abilities":{"image":true,"audio":false,"embeddedContext":true,"steering":true}}}', 10, 'a draft', 33, 0, NULL, 0, 0, '6df3bc6c-d64f-4ee1-844e-c049c1188fe0', 32, NULL);
INSERT INTO session (key, id, project_id, cli_type, title, created_at, last_active_at, archived, turn, unfinished, parent_id, agent_session_id, agent_session_at, cwd, agent_state, agent_state_at, last_seq, kept_from_seq, snapshot_seq, snapshot, next_position, draft, attention_seq, seen_seq, usage, adopted, armed_waits, process_id, heard, cancelling) VALUES (2, 'builtin:8807f88f-386f-422b-8a61-9e86e2ce07ab', '5d7420b5-1768-4ce2-b5db-7090484a22c2', 'builtin', 'stream 100000 words at 200/s', '2026-11-15T16:51:16.642Z', '2026-11-15T16:51:16.670Z', 0, '{"state":"running","turnId":"6c872c3a-4d72-4f49-8d04-e8ae9a464455","startedAt":"2026-11-15T16:51:16.647Z"}', 1, NULL, 'guide_016f03b0-385d-4576-8be4-99b756c75eb9', '2026-11-15T16:51:16.642Z', '/sample/projects/27ecf69b-40cd-4f3b-bd36-f9bb5cd8681c', 'active', '2026-11-15T16:51:16.642Z', 8, 1, 2, '{"seq":2,"title":"New Session","titleSource":"none","archived":false,"open":[],"turn":{"state":"idle"},"pending":[],"visits":[],"queue":[],"queuePaused":false,"config":{"options":[{"id":"mode","name":"Permissions","description":"When the guide asks before it changes something.","category":"mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask first","description":"Asks before each edit and each command."},{"value":"edits","name":"Allow edits","description":"Edits files without asking; asks before commands."},{"value":"all","name":"Allow everything","description":"Edits files and runs commands without asking."},{"value":"read","name":"Read only","description":"Refuses edits and commands."}]},{"id":"voice","name":"Voice","description":"How much the guide says.","category":"_voice","type":"select","currentValue":"brief","options":[{"value":"brief","name":"Brief","description":"Short answers."},{"value":"detailed","name":"Detailed","description":"Answers with examples and background."}]},{"id":"thoughts","name":"Think aloud","description":"Shows a thought before each answer.","type":"boolean","currentValue":false}],"commands":[],"usage":null,"abilities":{"image":true,"audio":false,"embeddedContext":true,"steering":true}}}', 1, '', 0, 0, NULL, 0, 0, '6df3bc6c-d64f-4ee1-844e-c049c1188fe0', 39, NULL);
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 1, 'session:config', '{"type":"session:config","config":{"options":[{"id":"mode","name":"Permissions","description":"When the guide asks before it changes something.","category":"mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask first","description":"Asks before each edit and each command."},{"value":"edits","name":"Allow edits","description":"Edits files without asking; asks before commands."},{"value":"all","name":"Allow everything","description":"Edits files and runs commands without asking."},{"value":"read","name":"Read only","description":"Refuses edits and commands."}]},{"id":"voice","name":"Voice","description":"How much the guide says.","category":"_voice","type":"select","currentValue":"brief","options":[{"value":"brief","name":"Brief","description":"Short answers."},{"value":"detailed","name":"Detailed","description":"Answers with examples and background."}]},{"id":"thoughts","name":"Think aloud","description":"Shows a thought before each answer.","type":"boolean","currentValue":false}],"commands":[],"usage":null},"sessionId":"builtin:efc32d94-e2c7-43d9-b1f0-5bb210914fec","seq":1}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 2, 'session:config', '{"type":"session:config","config":{"options":[{"id":"mode","name":"Permissions","description":"When the guide asks before it changes something.","category":"mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask first","description":"Asks before each edit and each command."},{"value":"edits","name":"Allow edits","description":"Edits files without asking; asks before commands."},{"value":"all","name":"Allow everything","description":"Edits files and runs commands without asking."},{"value":"read","name":"Read only","description":"Refuses edits and commands."}]},{"id":"voice","name":"Voice","description":"How much the guide says.","category":"_voice","type":"select","currentValue":"brief","options":[{"value":"brief","name":"Brief","description":"Short answers."},{"value":"detailed","name":"Detailed","description":"Answers with examples and background."}]},{"id":"thoughts","name":"Think aloud","description":"Shows a thought before each answer.","type":"boolean","currentValue":false}],"commands":[],"usage":null,"abilities":{"image":true,"audio":false,"embeddedContext":true,"steering":true}},"sessionId":"builtin:efc32d94-e2c7-43d9-b1f0-5bb210914fec","seq":2}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 3, 'session:config', '{"type":"session:config","config":{"options":[{"id":"mode","name":"Permissions","description":"When the guide asks before it changes something.","category":"mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask first","description":"Asks before each edit and each command."},{"value":"edits","name":"Allow edits","description":"Edits files without asking; asks before commands."},{"value":"all","name":"Allow everything","description":"Edits files and runs commands without asking."},{"value":"read","name":"Read only","description":"Refuses edits and commands."}]},{"id":"voice","name":"Voice","description":"How much the guide says.","category":"_voice","type":"select","currentValue":"brief","options":[{"value":"brief","name":"Brief","description":"Short answers."},{"value":"detailed","name":"Detailed","description":"Answers with examples and background."}]},{"id":"thoughts","name":"Think aloud","description":"Shows a thought before each answer.","type":"boolean","currentValue":false}],"commands":[{"name":"help","description":"Shows this page."},{"name":"list","description":"Lists the files of this directory (without .git and node_modules).","hint":"[directory]"},{"name":"read","description":"Reads a file of this directory.","hint":"<file>"},{"name":"search","description":"Looks for a text in the files of this directory.","hint":"<text>"},{"name":"edit","description":"Replaces a text in a file, after showing you the diff.","hint":"<file> \"<old>\" \"<new>\""},{"name":"run","description":"Runs a shell command here, after asking you.","hint":"<command>"},{"name":"plan","description":"Makes a plan of three steps and works through it."},{"name":"think","description":"Thinks aloud for a moment, then answers."},{"name":"ask","description":"Asks you something with a form, or asks you to visit a page.","hint":"url"},{"name":"image","description":"Paints a small picture."},{"name":"stream","description":"Streams numbered words, as fast as it can or at a steady rate.","hint":"<n> words at <m>/s"},{"name":"sleep","description":"Waits, for ever without a number; Cancel wakes me.","hint":"[seconds]"},{"name":"all","description":"Sends one of every kind of update, and asks one of every kind of request."},{"name":"fail","description":"Answers with an error, to see what that looks like."},{"name":"crash","description":"Ends this agent''s process in the middle of a turn."}],"usage":null,"abilities":{"image":true,"audio":false,"embeddedContext":true,"steering":true}},"sessionId":"builtin:efc32d94-e2c7-43d9-b1f0-5bb210914fec","seq":3}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 4, 'session:title-updated', '{"type":"session:title-updated","title":"stream 3 words","source":"derived","sessionId":"builtin:efc32d94-e2c7-43d9-b1f0-5bb210914fec","seq":4}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 5, 'session:update', '{"type":"session:update","entry":{"type":"user","entryId":"adab4516-3f8f-4038-91cf-43c58c5241f9","turnId":"23048c23-3f62-4f32-a0ee-10c8534bb082","content":"stream 3 words","timestamp":"2026-11-15T16:51:15.931Z","commandId":"6e2021b7-99aa-41e7-9d3c-7af005edb856"},"sessionId":"builtin:efc32d94-e2c7-43d9-b1f0-5bb210914fec","seq":5}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 6, 'session:turn', '{"type":"session:turn","turn":{"state":"running","turnId":"23048c23-3f62-4f32-a0ee-10c8534bb082","startedAt":"2026-11-15T16:51:15.931Z"},"sessionId":"builtin:efc32d94-e2c7-43d9-b1f0-5bb210914fec","seq":6}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 7, 'session:update', '{"type":"session:update","entry":{"entryId":"002b2254-0281-4739-bc56-e4013147b6d5","turnId":"23048c23-3f62-4f32-a0ee-10c8534bb082","content":"w1 w2 w3","timestamp":"2026-11-15T16:51:15.970Z","messageId":"msg_47925df6-3077-43b8-a477-df0b2677d352","type":"assistant"},"sessionId":"builtin:efc32d94-e2c7-43d9-b1f0-5bb210914fec","seq":7}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 8, 'session:complete', '{"type":"session:complete","entryId":"002b2254-0281-4739-bc56-e4013147b6d5","sessionId":"builtin:efc32d94-e2c7-43d9-b1f0-5bb210914fec","seq":8}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 9, 'session:turn', '{"type":"session:turn","turn":{"state":"idle","turnId":"23048c23-3f62-4f32-a0ee-10c8534bb082","startedAt":"2026-11-15T16:51:15.931Z","stopReason":"end_turn"},"sessionId":"builtin:efc32d94-e2c7-43d9-b1f0-5bb210914fec","seq":9}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 10, 'session:update', '{"type":"session:update","entry":{"type":"user","entryId":"9a3f5963-61c5-4f64-9a32-a678129ac3ef","turnId":"b43355ec-e7b2-4df7-8147-904f7565bff4","content":"run echo hi","timestamp":"2026-11-15T16:51:16.012Z","commandId":"7942730e-9e80-47fa-a923-ce2b0ee7eb0f"},"sessionId":"builtin:efc32d94-e2c7-43d9-b1f0-5bb210914fec","seq":10}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 11, 'session:turn', '{"type":"session:turn","turn":{"state":"running","turnId":"b43355ec-e7b2-4df7-8147-904f7565bff4","startedAt":"2026-11-15T16:51:16.012Z"},"sessionId":"builtin:efc32d94-e2c7-43d9-b1f0-5bb210914fec","seq":11}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 12, 'session:update', '{"type":"session:update","entry":{"type":"tool-call","entryId":"4517b8db-ffcb-4548-88f8-670f05114239","turnId":"b43355ec-e7b2-4df7-8147-904f7565bff4","toolCallId":"call_cc965fc8-a938-4044-a819-bf77078c5434","name":"echo hi","status":"running","content":"","startedAt":"2026-11-15T16:51:16.034Z","kind":"execute","input":{"command":"echo hi","cwd":"/sample/projects/27ecf69b-40cd-4f3b-bd36-f9bb5cd8681c"}},"sessionId":"builtin:efc32d94-e2c7-43d9-b1f0-5bb210914fec","seq":12}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 13, 'permission:request', '{"type":"permission:request","permissionId":"6df3bc6c-d64f-4ee1-844e-c049c1188fe0-11","toolCall":{"toolCallId":"call_cc965fc8-a938-4044-a819-bf77078c5434","name":"echo hi","kind":"execute","input":{"command":"echo hi","cwd":"/sample/projects/27ecf69b-40cd-4f3b-bd36-f9bb5cd8681c"}},"options":[{"optionId":"allow-once","name":"Allow once","kind":"allow_once"},{"optionId":"allow-always","name":"Always allow commands in this session","kind":"allow_always"},{"optionId":"reject-once","name":"Reject","kind":"reject_once"}],"askedAt":"2026-11-15T16:51:16.047Z","offers":[{"effect":"allow","command":"echo"}],"sessionId":"builtin:efc32d94-e2c7-43d9-b1f0-5bb210914fec","seq":13}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 14, 'session:turn', '{"type":"session:turn","turn":{"state":"waiting","turnId":"b43355ec-e7b2-4df7-8147-904f7565bff4","startedAt":"2026-11-15T16:51:16.012Z"},"sessionId":"builtin:efc32d94-e2c7-43d9-b1f0-5bb210914fec","seq":14}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 15, 'permission:resolved', '{"type":"permission:resolved","permissionId":"6df3bc6c-d64f-4ee1-844e-c049c1188fe0-11","outcome":{"outcome":"selected","optionId":"allow-once"},"sessionId":"builtin:efc32d94-e2c7-43d9-b1f0-5bb210914fec","seq":15}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 16, 'session:turn', '{"type":"session:turn","turn":{"state":"running","turnId":"b43355ec-e7b2-4df7-8147-904f7565bff4","startedAt":"2026-11-15T16:51:16.012Z"},"sessionId":"builtin:efc32d94-e2c7-43d9-b1f0-5bb210914fec","seq":16}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 17, 'session:update', '{"type":"session:update","entry":{"type":"tool-call","entryId":"4517b8db-ffcb-4548-88f8-670f05114239","turnId":"b43355ec-e7b2-4df7-8147-904f7565bff4","toolCallId":"call_cc965fc8-a938-4044-a819-bf77078c5434","name":"echo hi","status":"running","content":"","startedAt":"2026-11-15T16:51:16.034Z","kind":"execute","input":{"command":"echo hi","cwd":"/sample/projects/27ecf69b-40cd-4f3b-bd36-f9bb5cd8681c"},"parts":[{"type":"terminal","terminalId":"d733d079-2bc0-4b83-8dfd-0e0d7e20533e"}]},"sessionId":"builtin:efc32d94-e2c7-43d9-b1f0-5bb210914fec","seq":17}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 18, 'session:chunk', '{"type":"session:chunk","entryId":"4517b8db-ffcb-4548-88f8-670f05114239","content":"hi\n","field":"result","sessionId":"builtin:efc32d94-e2c7-43d9-b1f0-5bb210914fec","seq":18}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 19, 'session:update', '{"type":"session:update","entry":{"type":"tool-call","entryId":"4517b8db-ffcb-4548-88f8-670f05114239","turnId":"b43355ec-e7b2-4df7-8147-904f7565bff4","toolCallId":"call_cc965fc8-a938-4044-a819-bf77078c5434","name":"echo hi","status":"complete","content":"","startedAt":"2026-11-15T16:51:16.034Z","kind":"execute","input":{"command":"echo hi","cwd":"/sample/projects/27ecf69b-40cd-4f3b-bd36-f9bb5cd8681c"},"parts":[{"type":"terminal","terminalId":"d733d079-2bc0-4b83-8dfd-0e0d7e20533e"}],"output":{"truncated":false,"exitCode":0},"result":"hi\n","endedAt":"2026-11-15T16:51:16.257Z"},"sessionId":"builtin:efc32d94-e2c7-43d9-b1f0-5bb210914fec","seq":19}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 20, 'session:update', '{"type":"session:update","entry":{"entryId":"6c949cda-0a2d-42b3-ad22-1d7159022a8a","turnId":"b43355ec-e7b2-4df7-8147-904f7565bff4","content":"The command succeeded.","timestamp":"2026-11-15T16:51:16.324Z","messageId":"msg_c282f828-2f08-4ed9-b761-9458131ce9ff","type":"assistant"},"sessionId":"builtin:efc32d94-e2c7-43d9-b1f0-5bb210914fec","seq":20}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 21, 'session:complete', '{"type":"session:complete","entryId":"6c949cda-0a2d-42b3-ad22-1d7159022a8a","sessionId":"builtin:efc32d94-e2c7-43d9-b1f0-5bb210914fec","seq":21}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 22, 'session:turn', '{"type":"session:turn","turn":{"state":"idle","turnId":"b43355ec-e7b2-4df7-8147-904f7565bff4","startedAt":"2026-11-15T16:51:16.012Z","stopReason":"end_turn"},"sessionId":"builtin:efc32d94-e2c7-43d9-b1f0-5bb210914fec","seq":22}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 23, 'session:update', '{"type":"session:update","entry":{"type":"user","entryId":"eb3e7b8c-ac61-42dc-8d79-47d10fd2321c","turnId":"b38afd97-c0c5-41e0-a5c6-ee91ed26d741","content":"plan","timestamp":"2026-11-15T16:51:16.380Z","commandId":"4eea0946-2ec5-4869-9730-a0f509e7d295"},"sessionId":"builtin:efc32d94-e2c7-43d9-b1f0-5bb210914fec","seq":23}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 24, 'session:turn', '{"type":"session:turn","turn":{"state":"running","turnId":"b38afd97-c0c5-41e0-a5c6-ee91ed26d741","startedAt":"2026-11-15T16:51:16.380Z"},"sessionId":"builtin:efc32d94-e2c7-43d9-b1f0-5bb210914fec","seq":24}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 25, 'session:update', '{"type":"session:update","entry":{"entryId":"84cf2df7-b391-4b98-a75d-90ad17500c91","turnId":"b38afd97-c0c5-41e0-a5c6-ee91ed26d741","content":"Here is my plan.","timestamp":"2026-11-15T16:51:16.388Z","messageId":"msg_b3f22473-399e-4920-80ad-e04a505de3c1","type":"assistant"},"sessionId":"builtin:efc32d94-e2c7-43d9-b1f0-5bb210914fec","seq":25}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 26, 'session:complete', '{"type":"session:complete","entryId":"84cf2df7-b391-4b98-a75d-90ad17500c91","sessionId":"builtin:efc32d94-e2c7-43d9-b1f0-5bb210914fec","seq":26}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 27, 'session:update', '{"type":"session:update","entry":{"type":"plan","entryId":"fe1d1ef0-e5b4-479e-89ac-a3f914f88a36","turnId":"b38afd97-c0c5-41e0-a5c6-ee91ed26d741","content":"- [ ] Write the steps down\n- [ ] Work through them one by one\n- [ ] Look back at what was done","items":[{"content":"Write the steps down","priority":"high","status":"in_progress"},{"content":"Work through them one by one","priority":"medium","status":"pending"},{"content":"Look back at what was done","priority":"low","status":"pending"}]},"sessionId":"builtin:efc32d94-e2c7-43d9-b1f0-5bb210914fec","seq":27}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 28, 'session:update', '{"type":"session:update","entry":{"type":"plan","entryId":"fe1d1ef0-e5b4-479e-89ac-a3f914f88a36","turnId":"b38afd97-c0c5-41e0-a5c6-ee91ed26d741","content":"- [x] Write the steps down\n- [ ] Work through them one by one\n- [ ] Look back at what was done","items":[{"content":"Write the steps down","priority":"high","status":"completed"},{"content":"Work through them one by one","priority":"medium","status":"in_progress"},{"content":"Look back at what was done","priority":"low","status":"pending"}]},"sessionId":"builtin:efc32d94-e2c7-43d9-b1f0-5bb210914fec","seq":28}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 29, 'session:update', '{"type":"session:update","entry":{"type":"plan","entryId":"fe1d1ef0-e5b4-479e-89ac-a3f914f88a36","turnId":"b38afd97-c0c5-41e0-a5c6-ee91ed26d741","content":"- [x] Write the steps down\n- [x] Work through them one by one\n- [ ] Look back at what was done","items":[{"content":"Write the steps down","priority":"high","status":"completed"},{"content":"Work through them one by one","priority":"medium","status":"completed"},{"content":"Look back at what was done","priority":"low","status":"in_progress"}]},"sessionId":"builtin:efc32d94-e2c7-43d9-b1f0-5bb210914fec","seq":29}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 30, 'session:update', '{"type":"session:update","entry":{"type":"plan","entryId":"fe1d1ef0-e5b4-479e-89ac-a3f914f88a36","turnId":"b38afd97-c0c5-41e0-a5c6-ee91ed26d741","content":"- [x] Write the steps down\n- [x] Work through them one by one\n- [x] Look back at what was done","items":[{"content":"Write the steps down","priority":"high","status":"completed"},{"content":"Work through them one by one","priority":"medium","status":"completed"},{"content":"Look back at what was done","priority":"low","status":"completed"}]},"sessionId":"builtin:efc32d94-e2c7-43d9-b1f0-5bb210914fec","seq":30}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 31, 'session:update', '{"type":"session:update","entry":{"entryId":"af123b69-b0f6-4a5e-b37c-494a32e1cd29","turnId":"b38afd97-c0c5-41e0-a5c6-ee91ed26d741","content":"Done.","timestamp":"2026-11-15T16:51:16.629Z","messageId":"msg_1873e390-509c-4cfd-a471-e6bb29bf197a","type":"assistant"},"sessionId":"builtin:efc32d94-e2c7-43d9-b1f0-5bb210914fec","seq":31}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 32, 'session:complete', '{"type":"session:complete","entryId":"af123b69-b0f6-4a5e-b37c-494a32e1cd29","sessionId":"builtin:efc32d94-e2c7-43d9-b1f0-5bb210914fec","seq":32}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 33, 'session:turn', '{"type":"session:turn","turn":{"state":"idle","turnId":"b38afd97-c0c5-41e0-a5c6-ee91ed26d741","startedAt":"2026-11-15T16:51:16.380Z","stopReason":"end_turn"},"sessionId":"builtin:efc32d94-e2c7-43d9-b1f0-5bb210914fec","seq":33}');
INSERT INTO fact (session_key, seq, type, json) VALUES (2, 1, 'session:config', '{"type":"session:config","config":{"options":[{"id":"mode","name":"Permissions","description":"When the guide asks before it changes something.","category":"mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask first","description":"Asks before each edit and each command."},{"value":"edits","name":"Allow edits","description":"Edits files without asking; asks before commands."},{"value":"all","name":"Allow everything","description":"Edits files and runs commands without asking."},{"value":"read","name":"Read only","description":"Refuses edits and commands."}]},{"id":"voice","name":"Voice","description":"How much the guide says.","category":"_voice","type":"select","currentValue":"brief","options":[{"value":"brief","name":"Brief","description":"Short answers."},{"value":"detailed","name":"Detailed","description":"Answers with examples and background."}]},{"id":"thoughts","name":"Think aloud","description":"Shows a thought before each answer.","type":"boolean","currentValue":false}],"commands":[],"usage":null},"sessionId":"builtin:8807f88f-386f-422b-8a61-9e86e2ce07ab","seq":1}');
INSERT INTO fact (session_key, seq, type, json) VALUES (2, 2, 'session:config', '{"type":"session:config","config":{"options":[{"id":"mode","name":"Permissions","description":"When the guide asks before it changes something.","category":"mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask first","description":"Asks before each edit and each command."},{"value":"edits","name":"Allow edits","description":"Edits files without asking; asks before commands."},{"value":"all","name":"Allow everything","description":"Edits files and runs commands without asking."},{"value":"read","name":"Read only","description":"Refuses edits and commands."}]},{"id":"voice","name":"Voice","description":"How much the guide says.","category":"_voice","type":"select","currentValue":"brief","options":[{"value":"brief","name":"Brief","description":"Short answers."},{"value":"detailed","name":"Detailed","description":"Answers with examples and background."}]},{"id":"thoughts","name":"Think aloud","description":"Shows a thought before each answer.","type":"boolean","currentValue":false}],"commands":[],"usage":null,"abilities":{"image":true,"audio":false,"embeddedContext":true,"steering":true}},"sessionId":"builtin:8807f88f-386f-422b-8a61-9e86e2ce07ab","seq":2}');
INSERT INTO fact (session_key, seq, type, json) VALUES (2, 3, 'session:title-updated', '{"type":"session:title-updated","title":"stream 100000 words at 200/s","source":"derived","sessionId":"builtin:8807f88f-386f-422b-8a61-9e86e2ce07ab","seq":3}');
INSERT INTO fact (session_key, seq, type, json) VALUES (2, 4, 'session:update', '{"type":"session:update","entry":{"type":"user","entryId":"1bfe9b41-f764-44cd-9ea3-0848900123f3","turnId":"6c872c3a-4d72-4f49-8d04-e8ae9a464455","content":"stream 100000 words at 200/s","timestamp":"2026-11-15T16:51:16.647Z","commandId":"1b602cd7-9c06-4562-976d-2035221e4de5"},"sessionId":"builtin:8807f88f-386f-422b-8a61-9e86e2ce07ab","seq":4}');
INSERT INTO fact (session_key, seq, type, json) VALUES (2, 5, 'session:turn', '{"type":"session:turn","turn":{"state":"running","turnId":"6c872c3a-4d72-4f49-8d04-e8ae9a464455","startedAt":"2026-11-15T16:51:16.647Z"},"sessionId":"builtin:8807f88f-386f-422b-8a61-9e86e2ce07ab","seq":5}');
INSERT INTO fact (session_key, seq, type, json) VALUES (2, 6, 'session:config', '{"type":"session:config","config":{"options":[{"id":"mode","name":"Permissions","description":"When the guide asks before it changes something.","category":"mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask first","description":"Asks before each edit and each command."},{"value":"edits","name":"Allow edits","description":"Edits files without asking; asks before commands."},{"value":"all","name":"Allow everything","description":"Edits files and runs commands without asking."},{"value":"read","name":"Read only","description":"Refuses edits and commands."}]},{"id":"voice","name":"Voice","description":"How much the guide says.","category":"_voice","type":"select","currentValue":"brief","options":[{"value":"brief","name":"Brief","description":"Short answers."},{"value":"detailed","name":"Detailed","description":"Answers with examples and background."}]},{"id":"thoughts","name":"Think aloud","description":"Shows a thought before each answer.","type":"boolean","currentValue":false}],"commands":[{"name":"help","description":"Shows this page."},{"name":"list","description":"Lists the files of this directory (without .git and node_modules).","hint":"[directory]"},{"name":"read","description":"Reads a file of this directory.","hint":"<file>"},{"name":"search","description":"Looks for a text in the files of this directory.","hint":"<text>"},{"name":"edit","description":"Replaces a text in a file, after showing you the diff.","hint":"<file> \"<old>\" \"<new>\""},{"name":"run","description":"Runs a shell command here, after asking you.","hint":"<command>"},{"name":"plan","description":"Makes a plan of three steps and works through it."},{"name":"think","description":"Thinks aloud for a moment, then answers."},{"name":"ask","description":"Asks you something with a form, or asks you to visit a page.","hint":"url"},{"name":"image","description":"Paints a small picture."},{"name":"stream","description":"Streams numbered words, as fast as it can or at a steady rate.","hint":"<n> words at <m>/s"},{"name":"sleep","description":"Waits, for ever without a number; Cancel wakes me.","hint":"[seconds]"},{"name":"all","description":"Sends one of every kind of update, and asks one of every kind of request."},{"name":"fail","description":"Answers with an error, to see what that looks like."},{"name":"crash","description":"Ends this agent''s process in the middle of a turn."}],"usage":null,"abilities":{"image":true,"audio":false,"embeddedContext":true,"steering":true}},"sessionId":"builtin:8807f88f-386f-422b-8a61-9e86e2ce07ab","seq":6}');
INSERT INTO fact (session_key, seq, type, json) VALUES (2, 7, 'session:update', '{"type":"session:update","entry":{"entryId":"22cb03bd-bd0a-4b57-b0fd-d80d1637f70b","turnId":"6c872c3a-4d72-4f49-8d04-e8ae9a464455","content":"w1 ","timestamp":"2026-11-15T16:51:16.651Z","messageId":"msg_9a38986e-a434-4471-8fb5-b8127be78c03","type":"assistant"},"sessionId":"builtin:8807f88f-386f-422b-8a61-9e86e2ce07ab","seq":7}');
INSERT INTO fact (session_key, seq, type, json) VALUES (2, 8, 'session:chunk', '{"type":"session:chunk","entryId":"22cb03bd-bd0a-4b57-b0fd-d80d1637f70b","content":"w2 w3 ","sessionId":"builtin:8807f88f-386f-422b-8a61-9e86e2ce07ab","seq":8}');
INSERT INTO entry (session_key, position, entry_id, agent_id, json) VALUES (1, 1, 'adab4516-3f8f-4038-91cf-43c58c5241f9', NULL, '{"type":"user","entryId":"adab4516-3f8f-4038-91cf-43c58c5241f9","turnId":"23048c23-3f62-4f32-a0ee-10c8534bb082","content":"stream 3 words","timestamp":"2026-11-15T16:51:15.931Z","commandId":"6e2021b7-99aa-41e7-9d3c-7af005edb856"}');
INSERT INTO entry (session_key, position, entry_id, agent_id, json) VALUES (1, 2, '002b2254-0281-4739-bc56-e4013147b6d5', 'msg_47925df6-3077-43b8-a477-df0b2677d352', '{"entryId":"002b2254-0281-4739-bc56-e4013147b6d5","turnId":"23048c23-3f62-4f32-a0ee-10c8534bb082","content":"w1 w2 w3","timestamp":"2026-11-15T16:51:15.970Z","messageId":"msg_47925df6-3077-43b8-a477-df0b2677d352","type":"assistant"}');
INSERT INTO entry (session_key, position, entry_id, agent_id, json) VALUES (1, 3, '9a3f5963-61c5-4f64-9a32-a678129ac3ef', NULL, '{"type":"user","entryId":"9a3f5963-61c5-4f64-9a32-a678129ac3ef","turnId":"b43355ec-e7b2-4df7-8147-904f7565bff4","content":"run echo hi","timestamp":"2026-11-15T16:51:16.012Z","commandId":"7942730e-9e80-47fa-a923-ce2b0ee7eb0f"}');
INSERT INTO entry (session_key, position, entry_id, agent_id, json) VALUES (1, 4, '4517b8db-ffcb-4548-88f8-670f05114239', 'call_cc965fc8-a938-4044-a819-bf77078c5434', '{"type":"tool-call","entryId":"4517b8db-ffcb-4548-88f8-670f05114239","turnId":"b43355ec-e7b2-4df7-8147-904f7565bff4","toolCallId":"call_cc965fc8-a938-4044-a819-bf77078c5434","name":"echo hi","status":"complete","content":"","startedAt":"2026-11-15T16:51:16.034Z","kind":"execute","input":{"command":"echo hi","cwd":"/sample/projects/27ecf69b-40cd-4f3b-bd36-f9bb5cd8681c"},"parts":[{"type":"terminal","terminalId":"d733d079-2bc0-4b83-8dfd-0e0d7e20533e"}],"output":{"truncated":false,"exitCode":0},"result":"hi\n","endedAt":"2026-11-15T16:51:16.257Z"}');
INSERT INTO entry (session_key, position, entry_id, agent_id, json) VALUES (1, 5, '6c949cda-0a2d-42b3-ad22-1d7159022a8a', 'msg_c282f828-2f08-4ed9-b761-9458131ce9ff', '{"entryId":"6c949cda-0a2d-42b3-ad22-1d7159022a8a","turnId":"b43355ec-e7b2-4df7-8147-904f7565bff4","content":"The command succeeded.","timestamp":"2026-11-15T16:51:16.324Z","messageId":"msg_c282f828-2f08-4ed9-b761-9458131ce9ff","type":"assistant"}');
INSERT INTO entry (session_key, position, entry_id, agent_id, json) VALUES (1, 6, 'eb3e7b8c-ac61-42dc-8d79-47d10fd2321c', NULL, '{"type":"user","entryId":"eb3e7b8c-ac61-42dc-8d79-47d10fd2321c","turnId":"b38afd97-c0c5-41e0-a5c6-ee91ed26d741","content":"plan","timestamp":"2026-11-15T16:51:16.380Z","commandId":"4eea0946-2ec5-4869-9730-a0f509e7d295"}');
INSERT INTO entry (session_key, position, entry_id, agent_id, json) VALUES (1, 7, '84cf2df7-b391-4b98-a75d-90ad17500c91', 'msg_b3f22473-399e-4920-80ad-e04a505de3c1', '{"entryId":"84cf2df7-b391-4b98-a75d-90ad17500c91","turnId":"b38afd97-c0c5-41e0-a5c6-ee91ed26d741","content":"Here is my plan.","timestamp":"2026-11-15T16:51:16.388Z","messageId":"msg_b3f22473-399e-4920-80ad-e04a505de3c1","type":"assistant"}');
INSERT INTO entry (session_key, position, entry_id, agent_id, json) VALUES (1, 8, 'fe1d1ef0-e5b4-479e-89ac-a3f914f88a36', NULL, '{"type":"plan","entryId":"fe1d1ef0-e5b4-479e-89ac-a3f914f88a36","turnId":"b38afd97-c0c5-41e0-a5c6-ee91ed26d741","content":"- [x] Write the steps down\n- [x] Work through them one by one\n- [x] Look back at what was done","items":[{"content":"Write the steps down","priority":"high","status":"completed"},{"content":"Work through them one by one","priority":"medium","status":"completed"},{"content":"Look back at what was done","priority":"low","status":"completed"}]}');
INSERT INTO entry (session_key, position, entry_id, agent_id, json) VALUES (1, 9, 'af123b69-b0f6-4a5e-b37c-494a32e1cd29', 'msg_1873e390-509c-4cfd-a471-e6bb29bf197a', '{"entryId":"af123b69-b0f6-4a5e-b37c-494a32e1cd29","turnId":"b38afd97-c0c5-41e0-a5c6-ee91ed26d741","content":"Done.","timestamp":"2026-11-15T16:51:16.629Z","messageId":"msg_1873e390-509c-4cfd-a471-e6bb29bf197a","type":"assistant"}');
INSERT INTO permission_record (key, session_key, permission_id, asked_at, tool_call, options, answered, answered_by, answered_at, why) VALUES (1, 1, '6df3bc6c-d64f-4ee1-844e-c049c1188fe0-11', '2026-11-15T16:51:16.047Z', '{"toolCallId":"call_cc965fc8-a938-4044-a819-bf77078c5434","name":"echo hi","kind":"execute","input":{"command":"echo hi","cwd":"/sample/projects/27ecf69b-40cd-4f3b-bd36-f9bb5cd8681c"}}', '[{"optionId":"allow-once","name":"Allow once","kind":"allow_once"},{"optionId":"allow-always","name":"Always allow commands in this session","kind":"allow_always"},{"optionId":"reject-once","name":"Reject","kind":"reject_once"}]', 'allowed', 'user', NULL, NULL);
INSERT INTO search_text (key, session_key, entry_id, kind, at) VALUES (1000000000001, 1, '', 'title', NULL);
INSERT INTO search_text (key, session_key, entry_id, kind, at) VALUES (1000000000002, 1, 'adab4516-3f8f-4038-91cf-43c58c5241f9', 'user', '2026-11-15T16:51:15.931Z');
INSERT INTO search_text (key, session_key, entry_id, kind, at) VALUES (1000000000003, 1, '002b2254-0281-4739-bc56-e4013147b6d5', 'assistant', '2026-11-15T16:51:15.970Z');
INSERT INTO search_text (key, session_key, entry_id, kind, at) VALUES (1000000000004, 1, '9a3f5963-61c5-4f64-9a32-a678129ac3ef', 'user', '2026-11-15T16:51:16.012Z');
INSERT INTO search_text (key, session_key, entry_id, kind, at) VALUES (1000000000005, 1, '4517b8db-ffcb-4548-88f8-670f05114239', 'tool-call', '2026-11-15T16:51:16.034Z');
INSERT INTO search_text (key, session_key, entry_id, kind, at) VALUES (1000000000006, 1, '6c949cda-0a2d-42b3-ad22-1d7159022a8a', 'assistant', '2026-11-15T16:51:16.324Z');
INSERT INTO search_text (key, session_key, entry_id, kind, at) VALUES (1000000000007, 1, 'eb3e7b8c-ac61-42dc-8d79-47d10fd2321c', 'user', '2026-11-15T16:51:16.380Z');
INSERT INTO search_text (key, session_key, entry_id, kind, at) VALUES (1000000000008, 1, '84cf2df7-b391-4b98-a75d-90ad17500c91', 'assistant', '2026-11-15T16:51:16.388Z');
INSERT INTO search_text (key, session_key, entry_id, kind, at) VALUES (1000000000009, 1, 'fe1d1ef0-e5b4-479e-89ac-a3f914f88a36', 'plan', '2026-11-15T16:51:16.629Z');
INSERT INTO search_text (key, session_key, entry_id, kind, at) VALUES (1000000000010, 1, 'af123b69-b0f6-4a5e-b37c-494a32e1cd29', 'assistant', '2026-11-15T16:51:16.629Z');
INSERT INTO search_text (key, session_key, entry_id, kind, at) VALUES (1000000000011, 2, '', 'title', NULL);
INSERT INTO search_index (rowid, text) VALUES (1000000000001, 'stream 3 words');
INSERT INTO search_index (rowid, text) VALUES (1000000000002, 'stream 3 words');
INSERT INTO search_index (rowid, text) VALUES (1000000000003, 'w1 w2 w3');
INSERT INTO search_index (rowid, text) VALUES (1000000000004, 'run echo hi');
INSERT INTO search_index (rowid, text) VALUES (1000000000005, 'echo hi
/sample/projects/27ecf69b-40cd-4f3b-bd36-f9bb5cd8681c
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
INSERT INTO agent_session (cli_type, agent_session_id, session_key) VALUES ('builtin', 'guide_016f03b0-385d-4576-8be4-99b756c75eb9', 2);
INSERT INTO agent_session (cli_type, agent_session_id, session_key) VALUES ('builtin', 'guide_c0de2016-e775-43d8-96eb-ca8eabb4b0c9', 1);
CREATE TRIGGER agent_session_of_new AFTER INSERT ON session WHEN NEW.agent_session_id <> '' BEGIN
  INSERT OR IGNORE INTO agent_session VALUES (NEW.cli_type, NEW.agent_session_id, NEW.key);
END;
CREATE TRIGGER agent_session_of_bound AFTER UPDATE OF agent_session_id ON session WHEN NEW.agent_session_id <> '' BEGIN
  INSERT OR IGNORE INTO agent_session VALUES (NEW.cli_type, NEW.agent_session_id, NEW.key);
END;
PRAGMA user_version = 9;
