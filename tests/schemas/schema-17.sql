-- migration sha256 4622f5fd5ac0cae2
-- device cookie program883ac8b7fc8f.Q4z-JLw2U_lufsNJ4nfg_pv6oQnsvGky8LGu10ee6e4
CREATE TABLE project (
  id TEXT PRIMARY KEY,
  path TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  added_at TEXT NOT NULL,
  position INTEGER NOT NULL,
  removed INTEGER NOT NULL DEFAULT 0
, last_place TEXT) STRICT;
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
, attention_seq INTEGER NOT NULL DEFAULT 0, seen_seq INTEGER NOT NULL DEFAULT 0, usage TEXT, adopted INTEGER NOT NULL DEFAULT 0, armed_waits INTEGER NOT NULL DEFAULT 0, process_id TEXT, heard INTEGER NOT NULL DEFAULT 0, cancelling TEXT, agent_seen_at TEXT, changes TEXT, worktree TEXT, answers TEXT, pinned INTEGER NOT NULL DEFAULT 0, labels TEXT, dismissed INTEGER NOT NULL DEFAULT 0, marked_unread INTEGER NOT NULL DEFAULT 0, pause TEXT, away TEXT, origin TEXT, attempt TEXT, inherited INTEGER NOT NULL DEFAULT 0, copying INTEGER NOT NULL DEFAULT 0, sub_agents INTEGER NOT NULL DEFAULT 0) STRICT;
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
CREATE TABLE turn_usage (
  session_id TEXT NOT NULL,
  turn_id TEXT NOT NULL,
  project_id TEXT NOT NULL,
  cli_type TEXT NOT NULL,
  account TEXT,
  at TEXT NOT NULL,
  tokens INTEGER NOT NULL,
  cost REAL NOT NULL,
  currency TEXT,
  PRIMARY KEY (session_id, turn_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE push_subscription (
  endpoint TEXT PRIMARY KEY,
  device_id TEXT NOT NULL REFERENCES device (id) ON DELETE CASCADE,
  public_key TEXT NOT NULL,
  auth TEXT NOT NULL,
  created_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE pack (
  session_id TEXT NOT NULL,
  entry_id TEXT NOT NULL,
  content TEXT NOT NULL,
  PRIMARY KEY (session_id, entry_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE snippet (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  body TEXT NOT NULL,
  project_id TEXT,
  updated_at TEXT NOT NULL
) STRICT;
CREATE TABLE schedule (
  id TEXT PRIMARY KEY,
  project_id TEXT NOT NULL,
  definition TEXT NOT NULL,
  enabled INTEGER NOT NULL,
  created_at TEXT NOT NULL,
  settled_until TEXT NOT NULL
) STRICT;
CREATE TABLE schedule_run (
  schedule_id TEXT NOT NULL REFERENCES schedule (id) ON DELETE CASCADE,
  due_at TEXT NOT NULL,
  session_id TEXT,
  state TEXT NOT NULL,
  detail TEXT,
  started_at TEXT NOT NULL,
  ended_at TEXT,
  spent_before TEXT,
  PRIMARY KEY (schedule_id, due_at)
) STRICT, WITHOUT ROWID;
CREATE TABLE notice (
  -- A session, or a run of a schedule that has none.
  subject TEXT NOT NULL,
  target_id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  state TEXT NOT NULL,
  tries INTEGER NOT NULL,
  at TEXT NOT NULL,
  problem TEXT,
  PRIMARY KEY (subject, target_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE agent_limits (
  cli_type TEXT PRIMARY KEY,
  limits TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE model_favourite (
  cli_type TEXT NOT NULL,
  model TEXT NOT NULL,
  PRIMARY KEY (cli_type, model)
) STRICT, WITHOUT ROWID;
CREATE TABLE api_token (
  id TEXT PRIMARY KEY,
  secret_hash TEXT NOT NULL,
  token_mark TEXT NOT NULL,
  name TEXT NOT NULL,
  scope TEXT NOT NULL,
  project_id TEXT,
  created_at TEXT NOT NULL,
  last_used_at TEXT
) STRICT;
CREATE TABLE hook (
  name TEXT PRIMARY KEY,
  secret_hash TEXT NOT NULL,
  definition TEXT NOT NULL
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
CREATE INDEX turn_usage_at ON turn_usage (at);
CREATE INDEX session_with_sub_agents ON session (sub_agents) WHERE sub_agents > 0;
CREATE INDEX session_by_origin ON session (json_extract(origin, '$.sessionId')) WHERE origin IS NOT NULL;
CREATE INDEX schedule_run_open ON schedule_run (due_at) WHERE ended_at IS NULL;
CREATE INDEX notice_by_target ON notice (target_id, at);
INSERT INTO project (id, path, name, added_at, position, removed, last_place) VALUES ('3fea5ad8-2479-4cb1-9af5-f0aa2c9146fd', '/sample/projects/0e1e5f2a-32f9-4a1e-96fa-e97994902c19', '0e1e5f2a-32f9-4a1e-96fa-e97994902c19', '2026-11-18T14:11:55.818Z', 1, 0, NULL);
INSERT INTO session (key, id, project_id, cli_type, title, created_at, last_active_at, archived, turn, unfinished, parent_id, agent_session_id, agent_session_at, cwd, agent_state, agent_state_at, last_seq, kept_from_seq, snapshot_seq, snapshot, next_position, draft, attention_seq, seen_seq, usage, adopted, armed_waits, process_id, heard, cancelling, agent_seen_at, changes, worktree, answers, pinned, labels, dismissed, marked_unread, pause, away, origin, attempt, inherited, copying, sub_agents) VALUES (1, 'builtin:fdeb01cf-65df-4acd-9665-69c843cc55fb', '3fea5ad8-2479-4cb1-9af5-f0aa2c9146fd', 'builtin', 'stream 3 words', '2026-11-18T14:11:56.137Z', '2026-11-18T14:11:57.129Z', 0, '{"state":"idle","turnId":"a2b3c6b9-f9f1-4227-9c13-05363c620cf9","startedAt":"2026-11-18T14:11:56.727Z","stopReason":"end_turn"}', 0, NULL, 'guide_b3d0a5bf-46c3-4107-b61e-46432f11e82e', '2026-11-18T14:11:56.137Z', '/sample/projects/0e1e5f2a-32f9-4a1e-96fa-e97994902c19', 'idle', '2026-11-18T14:11:57.129Z', 33, 1, 33, '{"seq":33,"titleSource":"derived","pending":[],"visits":[],"queue":[],"queuePaused":false,"config":{"options":[{"id":"mode","name":"Permissions","description":"When the guide asks before it changes something.","category":"mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask first","description":"Asks before each edit and each command."},{"value":"edits","name":"Allow edits","description":"Edits files without asking; asks before commands."},{"value":"all","name":"Allow everything","description":"Edits files and runs commands without asking."},{"value":"read","name":"Read only","description":"Refuses edits and commands."}]},{"id":"voice","name":"Voice","description":"How detailed the answers are.","category":"_voice","type":"select","currentValue":"brief","options":[{"value":"brief","name":"Brief","description":"Short answers."},{"value":"detailed","name":"Detailed","description":"Answers with examples and background."}]},{"id":"thoughts","name":"Think aloud","description":"Shows a thought before each answer.","type":"boolean","currentValue":false}],"commands":[{"name":"help","description":"Shows this page."},{"name":"list","description":"Lists the files of this directory (without .git and node_modules).","hint":"[directory]"},{"name":"read","description":"Reads a file of this directory.","hint":"<file>"},{"name":"search","description":"Looks for a text in the files of this directory.","hint":"<text>"},{"name":"edit","description":"Replaces a text in a file, after showing you the diff.","hint":"<file> \"<old>\" \"<new>\""},{"name":"run","description":"Runs a shell command here, after asking you.","hint":"<command>"},{"name":"plan","description":"Makes a plan of three steps and works through it."},{"name":"think","description":"Thinks aloud for a moment, then answers."},{"name":"ask","description":"Asks you something with a form, or asks you to visit a page.","hint":"url"},{"name":"image","description":"Paints a small picture."},{"name":"stream","description":"Streams numbered words, as fast as it can or at a steady rate.","hint":"<n> words at <m>/s"},{"name":"sleep","description":"Waits for a number of seconds, or until you cancel.","hint":"[seconds]"},{"name":"all","description":"Sends one of every kind of update, and asks one of every kind of request."},{"name":"fail","description":"Answers with an error, to see what that looks like."},{"name":"crash","description":"Ends this agent''s process in the middle of a turn."}],"usage":null,"abilities":{"image":true,"audio":false,"embeddedContext":true,"steering":true}},"waits":[],"agentNotes":[],"toldNotes":[],"subAgentCalls":[],"primer":null,"title":"stream 3 words","archived":false,"turn":{"state":"idle","turnId":"a2b3c6b9-f9f1-4227-9c13-05363c620cf9","startedAt":"2026-11-18T14:11:56.727Z","stopReason":"end_turn"},"changes":null,"worktree":null,"pause":null,"away":null,"pinned":false,"labels":[],"dismissed":false,"open":[]}', 10, 'a draft', 33, 0, NULL, 0, 0, '3d6ffd1b-67ea-4a46-a642-5c020432b755', 32, NULL, '2026-11-18T14:11:57.129Z', NULL, NULL, '[]', 0, '[]', 0, 0, NULL, NULL, NULL, NULL, 0, 0, 0);
INSERT INTO session (key, id, project_id, cli_type, title, created_at, last_active_at, archived, turn, unfinished, parent_id, agent_session_id, agent_session_at, cwd, agent_state, agent_state_at, last_seq, kept_from_seq, snapshot_seq, snapshot, next_position, draft, attention_seq, seen_seq, usage, adopted, armed_waits, process_id, heard, cancelling, agent_seen_at, changes, worktree, answers, pinned, labels, dismissed, marked_unread, pause, away, origin, attempt, inherited, copying, sub_agents) VALUES (2, 'builtin:0bcccc1d-a9db-4f16-b854-2ebb42594699', '3fea5ad8-2479-4cb1-9af5-f0aa2c9146fd', 'builtin', 'stream 100000 words at 200/s', '2026-11-18T14:11:57.235Z', '2026-11-18T14:11:57.678Z', 0, '{"state":"running","turnId":"2cd53f52-a598-488d-81ae-f14947fe7fdd","startedAt":"2026-11-18T14:11:57.280Z"}', 1, NULL, 'guide_43fbec1e-bdfb-4625-84d7-a1cc135ff868', '2026-11-18T14:11:57.235Z', '/sample/projects/0e1e5f2a-32f9-4a1e-96fa-e97994902c19', 'active', '2026-11-18T14:11:57.280Z', 16, 1, 3, '{"seq":3,"titleSource":"none","pending":[],"visits":[],"queue":[],"queuePaused":false,"config":{"options":[{"id":"mode","name":"Permissions","description":"When the guide asks before it changes something.","category":"mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask first","description":"Asks before each edit and each command."},{"value":"edits","name":"Allow edits","description":"Edits files without asking; asks before commands."},{"value":"all","name":"Allow everything","description":"Edits files and runs commands without asking."},{"value":"read","name":"Read only","description":"Refuses edits and commands."}]},{"id":"voice","name":"Voice","description":"How detailed the answers are.","category":"_voice","type":"select","currentValue":"brief","options":[{"value":"brief","name":"Brief","description":"Short answers."},{"value":"detailed","name":"Detailed","description":"Answers with examples and background."}]},{"id":"thoughts","name":"Think aloud","description":"Shows a thought before each answer.","type":"boolean","currentValue":false}],"commands":[{"name":"help","description":"Shows this page."},{"name":"list","description":"Lists the files of this directory (without .git and node_modules).","hint":"[directory]"},{"name":"read","description":"Reads a file of this directory.","hint":"<file>"},{"name":"search","description":"Looks for a text in the files of this directory.","hint":"<text>"},{"name":"edit","description":"Replaces a text in a file, after showing you the diff.","hint":"<file> \"<old>\" \"<new>\""},{"name":"run","description":"Runs a shell command here, after asking you.","hint":"<command>"},{"name":"plan","description":"Makes a plan of three steps and works through it."},{"name":"think","description":"Thinks aloud for a moment, then answers."},{"name":"ask","description":"Asks you something with a form, or asks you to visit a page.","hint":"url"},{"name":"image","description":"Paints a small picture."},{"name":"stream","description":"Streams numbered words, as fast as it can or at a steady rate.","hint":"<n> words at <m>/s"},{"name":"sleep","description":"Waits for a number of seconds, or until you cancel.","hint":"[seconds]"},{"name":"all","description":"Sends one of every kind of update, and asks one of every kind of request."},{"name":"fail","description":"Answers with an error, to see what that looks like."},{"name":"crash","description":"Ends this agent''s process in the middle of a turn."}],"usage":null,"abilities":{"image":true,"audio":false,"embeddedContext":true,"steering":true}},"waits":[],"agentNotes":[],"toldNotes":[],"subAgentCalls":[],"primer":null,"title":"New Session","archived":false,"turn":{"state":"idle"},"changes":null,"worktree":null,"pause":null,"away":null,"pinned":false,"labels":[],"dismissed":false,"open":[]}', 1, '', 0, 0, NULL, 0, 0, '3d6ffd1b-67ea-4a46-a642-5c020432b755', 100, NULL, '2026-11-18T14:11:57.235Z', NULL, NULL, '[]', 0, '[]', 0, 0, NULL, NULL, NULL, NULL, 0, 0, 0);
INSERT INTO session (key, id, project_id, cli_type, title, created_at, last_active_at, archived, turn, unfinished, parent_id, agent_session_id, agent_session_at, cwd, agent_state, agent_state_at, last_seq, kept_from_seq, snapshot_seq, snapshot, next_position, draft, attention_seq, seen_seq, usage, adopted, armed_waits, process_id, heard, cancelling, agent_seen_at, changes, worktree, answers, pinned, labels, dismissed, marked_unread, pause, away, origin, attempt, inherited, copying, sub_agents) VALUES (3, 'builtin:de7a2959-8339-4feb-bfaf-db8c144d4fc1', '3fea5ad8-2479-4cb1-9af5-f0aa2c9146fd', 'builtin', 'stream 1 words', '2026-11-18T14:11:57.394Z', '2026-11-18T14:11:57.634Z', 1, '{"state":"idle","turnId":"e79bab40-db88-4841-a6f5-620bfae01463","startedAt":"2026-11-18T14:11:57.455Z","stopReason":"end_turn"}', 0, NULL, 'guide_c69d7743-2f8d-4da9-b2b3-c75f857091d6', '2026-11-18T14:11:57.394Z', '/sample/projects/0e1e5f2a-32f9-4a1e-96fa-e97994902c19', 'closed', '2026-11-18T14:11:57.657Z', 10, 1, 10, '{"seq":10,"titleSource":"derived","pending":[],"visits":[],"queue":[],"queuePaused":false,"config":{"options":[{"id":"mode","name":"Permissions","description":"When the guide asks before it changes something.","category":"mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask first","description":"Asks before each edit and each command."},{"value":"edits","name":"Allow edits","description":"Edits files without asking; asks before commands."},{"value":"all","name":"Allow everything","description":"Edits files and runs commands without asking."},{"value":"read","name":"Read only","description":"Refuses edits and commands."}]},{"id":"voice","name":"Voice","description":"How detailed the answers are.","category":"_voice","type":"select","currentValue":"brief","options":[{"value":"brief","name":"Brief","description":"Short answers."},{"value":"detailed","name":"Detailed","description":"Answers with examples and background."}]},{"id":"thoughts","name":"Think aloud","description":"Shows a thought before each answer.","type":"boolean","currentValue":false}],"commands":[{"name":"help","description":"Shows this page."},{"name":"list","description":"Lists the files of this directory (without .git and node_modules).","hint":"[directory]"},{"name":"read","description":"Reads a file of this directory.","hint":"<file>"},{"name":"search","description":"Looks for a text in the files of this directory.","hint":"<text>"},{"name":"edit","description":"Replaces a text in a file, after showing you the diff.","hint":"<file> \"<old>\" \"<new>\""},{"name":"run","description":"Runs a shell command here, after asking you.","hint":"<command>"},{"name":"plan","description":"Makes a plan of three steps and works through it."},{"name":"think","description":"Thinks aloud for a moment, then answers."},{"name":"ask","description":"Asks you something with a form, or asks you to visit a page.","hint":"url"},{"name":"image","description":"Paints a small picture."},{"name":"stream","description":"Streams numbered words, as fast as it can or at a steady rate.","hint":"<n> words at <m>/s"},{"name":"sleep","description":"Waits for a number of seconds, or until you cancel.","hint":"[seconds]"},{"name":"all","description":"Sends one of every kind of update, and asks one of every kind of request."},{"name":"fail","description":"Answers with an error, to see what that looks like."},{"name":"crash","description":"Ends this agent''s process in the middle of a turn."}],"usage":null,"abilities":{"image":true,"audio":false,"embeddedContext":true,"steering":true}},"waits":[],"agentNotes":[],"toldNotes":[],"subAgentCalls":[],"primer":null,"title":"stream 1 words","archived":true,"turn":{"state":"idle","turnId":"e79bab40-db88-4841-a6f5-620bfae01463","startedAt":"2026-11-18T14:11:57.455Z","stopReason":"end_turn"},"changes":null,"worktree":null,"pause":null,"away":null,"pinned":false,"labels":[],"dismissed":false,"open":[]}', 3, '', 9, 0, NULL, 0, 0, '3d6ffd1b-67ea-4a46-a642-5c020432b755', 96, NULL, '2026-11-18T14:11:57.634Z', NULL, NULL, '[]', 0, '[]', 0, 0, NULL, NULL, NULL, NULL, 0, 0, 0);
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 1, 'session:config', '{"type":"session:config","config":{"options":[{"id":"mode","name":"Permissions","description":"When the guide asks before it changes something.","category":"mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask first","description":"Asks before each edit and each command."},{"value":"edits","name":"Allow edits","description":"Edits files without asking; asks before commands."},{"value":"all","name":"Allow everything","description":"Edits files and runs commands without asking."},{"value":"read","name":"Read only","description":"Refuses edits and commands."}]},{"id":"voice","name":"Voice","description":"How detailed the answers are.","category":"_voice","type":"select","currentValue":"brief","options":[{"value":"brief","name":"Brief","description":"Short answers."},{"value":"detailed","name":"Detailed","description":"Answers with examples and background."}]},{"id":"thoughts","name":"Think aloud","description":"Shows a thought before each answer.","type":"boolean","currentValue":false}],"commands":[],"usage":null},"sessionId":"builtin:fdeb01cf-65df-4acd-9665-69c843cc55fb","seq":1}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 2, 'session:config', '{"type":"session:config","config":{"options":[{"id":"mode","name":"Permissions","description":"When the guide asks before it changes something.","category":"mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask first","description":"Asks before each edit and each command."},{"value":"edits","name":"Allow edits","description":"Edits files without asking; asks before commands."},{"value":"all","name":"Allow everything","description":"Edits files and runs commands without asking."},{"value":"read","name":"Read only","description":"Refuses edits and commands."}]},{"id":"voice","name":"Voice","description":"How detailed the answers are.","category":"_voice","type":"select","currentValue":"brief","options":[{"value":"brief","name":"Brief","description":"Short answers."},{"value":"detailed","name":"Detailed","description":"Answers with examples and background."}]},{"id":"thoughts","name":"Think aloud","description":"Shows a thought before each answer.","type":"boolean","currentValue":false}],"commands":[],"usage":null,"abilities":{"image":true,"audio":false,"embeddedContext":true,"steering":true}},"sessionId":"builtin:fdeb01cf-65df-4acd-9665-69c843cc55fb","seq":2}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 3, 'session:config', '{"type":"session:config","config":{"options":[{"id":"mode","name":"Permissions","description":"When the guide asks before it changes something.","category":"mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask first","description":"Asks before each edit and each command."},{"value":"edits","name":"Allow edits","description":"Edits files without asking; asks before commands."},{"value":"all","name":"Allow everything","description":"Edits files and runs commands without asking."},{"value":"read","name":"Read only","description":"Refuses edits and commands."}]},{"id":"voice","name":"Voice","description":"How detailed the answers are.","category":"_voice","type":"select","currentValue":"brief","options":[{"value":"brief","name":"Brief","description":"Short answers."},{"value":"detailed","name":"Detailed","description":"Answers with examples and background."}]},{"id":"thoughts","name":"Think aloud","description":"Shows a thought before each answer.","type":"boolean","currentValue":false}],"commands":[{"name":"help","description":"Shows this page."},{"name":"list","description":"Lists the files of this directory (without .git and node_modules).","hint":"[directory]"},{"name":"read","description":"Reads a file of this directory.","hint":"<file>"},{"name":"search","description":"Looks for a text in the files of this directory.","hint":"<text>"},{"name":"edit","description":"Replaces a text in a file, after showing you the diff.","hint":"<file> \"<old>\" \"<new>\""},{"name":"run","description":"Runs a shell command here, after asking you.","hint":"<command>"},{"name":"plan","description":"Makes a plan of three steps and works through it."},{"name":"think","description":"Thinks aloud for a moment, then answers."},{"name":"ask","description":"Asks you something with a form, or asks you to visit a page.","hint":"url"},{"name":"image","description":"Paints a small picture."},{"name":"stream","description":"Streams numbered words, as fast as it can or at a steady rate.","hint":"<n> words at <m>/s"},{"name":"sleep","description":"Waits for a number of seconds, or until you cancel.","hint":"[seconds]"},{"name":"all","description":"Sends one of every kind of update, and asks one of every kind of request."},{"name":"fail","description":"Answers with an error, to see what that looks like."},{"name":"crash","description":"Ends this agent''s process in the middle of a turn."}],"usage":null,"abilities":{"image":true,"audio":false,"embeddedContext":true,"steering":true}},"sessionId":"builtin:fdeb01cf-65df-4acd-9665-69c843cc55fb","seq":3}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 4, 'session:title-updated', '{"type":"session:title-updated","title":"stream 3 words","source":"derived","sessionId":"builtin:fdeb01cf-65df-4acd-9665-69c843cc55fb","seq":4}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 5, 'session:update', '{"type":"session:update","entry":{"type":"user","entryId":"e9292529-2598-4023-b736-7aca5d343cee","turnId":"0e93f712-0c17-4ff3-b6ba-a646bf98c349","content":"stream 3 words","timestamp":"2026-11-18T14:11:56.228Z","commandId":"d011aa30-a163-4017-9544-fa61f5bd1c28"},"sessionId":"builtin:fdeb01cf-65df-4acd-9665-69c843cc55fb","seq":5}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 6, 'session:turn', '{"type":"session:turn","turn":{"state":"running","turnId":"0e93f712-0c17-4ff3-b6ba-a646bf98c349","startedAt":"2026-11-18T14:11:56.228Z"},"sessionId":"builtin:fdeb01cf-65df-4acd-9665-69c843cc55fb","seq":6}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 7, 'session:update', '{"type":"session:update","entry":{"entryId":"ac19eacb-80a6-4759-9872-3d2f281995bd","turnId":"0e93f712-0c17-4ff3-b6ba-a646bf98c349","content":"w1 w2 w3","timestamp":"2026-11-18T14:11:56.492Z","messageId":"msg_9b6e1158-cbd3-4df2-8355-3a340feed65a","type":"assistant"},"sessionId":"builtin:fdeb01cf-65df-4acd-9665-69c843cc55fb","seq":7}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 8, 'session:complete', '{"type":"session:complete","entryId":"ac19eacb-80a6-4759-9872-3d2f281995bd","sessionId":"builtin:fdeb01cf-65df-4acd-9665-69c843cc55fb","seq":8}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 9, 'session:turn', '{"type":"session:turn","turn":{"state":"idle","turnId":"0e93f712-0c17-4ff3-b6ba-a646bf98c349","startedAt":"2026-11-18T14:11:56.228Z","stopReason":"end_turn"},"sessionId":"builtin:fdeb01cf-65df-4acd-9665-69c843cc55fb","seq":9}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 10, 'session:update', '{"type":"session:update","entry":{"type":"user","entryId":"e8e94d73-a0ab-4118-9c13-6a728a624d87","turnId":"617e7427-4ffd-4615-b17f-82814065764a","content":"run echo hi","timestamp":"2026-11-18T14:11:56.517Z","commandId":"fe2584db-0ce5-4449-987e-20c644498171"},"sessionId":"builtin:fdeb01cf-65df-4acd-9665-69c843cc55fb","seq":10}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 11, 'session:turn', '{"type":"session:turn","turn":{"state":"running","turnId":"617e7427-4ffd-4615-b17f-82814065764a","startedAt":"2026-11-18T14:11:56.517Z"},"sessionId":"builtin:fdeb01cf-65df-4acd-9665-69c843cc55fb","seq":11}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 12, 'session:update', '{"type":"session:update","entry":{"type":"tool-call","entryId":"35670569-2e14-447e-9733-04be6a548ad8","turnId":"617e7427-4ffd-4615-b17f-82814065764a","toolCallId":"call_ddfd0d17-9e26-4048-aff7-8745937180cc","name":"echo hi","status":"running","content":"","startedAt":"2026-11-18T14:11:56.648Z","kind":"execute","input":{"command":"echo hi","cwd":"/sample/projects/0e1e5f2a-32f9-4a1e-96fa-e97994902c19"}},"sessionId":"builtin:fdeb01cf-65df-4acd-9665-69c843cc55fb","seq":12}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 13, 'permission:request', '{"type":"permission:request","permissionId":"3d6ffd1b-67ea-4a46-a642-5c020432b755-11","toolCall":{"toolCallId":"call_ddfd0d17-9e26-4048-aff7-8745937180cc","name":"echo hi","kind":"execute","input":{"command":"echo hi","cwd":"/sample/projects/0e1e5f2a-32f9-4a1e-96fa-e97994902c19"}},"options":[{"optionId":"allow-once","name":"Allow once","kind":"allow_once"},{"optionId":"allow-always","name":"Always allow commands in this session","kind":"allow_always"},{"optionId":"reject-once","name":"Reject","kind":"reject_once"}],"askedAt":"2026-11-18T14:11:56.661Z","offers":[{"effect":"allow","command":"echo"}],"sessionId":"builtin:fdeb01cf-65df-4acd-9665-69c843cc55fb","seq":13}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 14, 'session:turn', '{"type":"session:turn","turn":{"state":"waiting","turnId":"617e7427-4ffd-4615-b17f-82814065764a","startedAt":"2026-11-18T14:11:56.517Z"},"sessionId":"builtin:fdeb01cf-65df-4acd-9665-69c843cc55fb","seq":14}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 15, 'permission:resolved', '{"type":"permission:resolved","permissionId":"3d6ffd1b-67ea-4a46-a642-5c020432b755-11","outcome":{"outcome":"selected","optionId":"allow-once"},"at":"2026-11-18T14:11:56.670Z","sessionId":"builtin:fdeb01cf-65df-4acd-9665-69c843cc55fb","seq":15}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 16, 'session:turn', '{"type":"session:turn","turn":{"state":"running","turnId":"617e7427-4ffd-4615-b17f-82814065764a","startedAt":"2026-11-18T14:11:56.517Z"},"sessionId":"builtin:fdeb01cf-65df-4acd-9665-69c843cc55fb","seq":16}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 17, 'session:update', '{"type":"session:update","entry":{"type":"tool-call","entryId":"35670569-2e14-447e-9733-04be6a548ad8","turnId":"617e7427-4ffd-4615-b17f-82814065764a","toolCallId":"call_ddfd0d17-9e26-4048-aff7-8745937180cc","name":"echo hi","status":"running","content":"","startedAt":"2026-11-18T14:11:56.648Z","kind":"execute","input":{"command":"echo hi","cwd":"/sample/projects/0e1e5f2a-32f9-4a1e-96fa-e97994902c19"},"waitedMs":9,"parts":[{"type":"terminal","terminalId":"3efa19f5-c7a4-4adf-8d86-5ee3ff05f1dd"}]},"sessionId":"builtin:fdeb01cf-65df-4acd-9665-69c843cc55fb","seq":17}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 18, 'session:chunk', '{"type":"session:chunk","entryId":"35670569-2e14-447e-9733-04be6a548ad8","content":"hi\n","field":"result","sessionId":"builtin:fdeb01cf-65df-4acd-9665-69c843cc55fb","seq":18}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 19, 'session:update', '{"type":"session:update","entry":{"type":"tool-call","entryId":"35670569-2e14-447e-9733-04be6a548ad8","turnId":"617e7427-4ffd-4615-b17f-82814065764a","toolCallId":"call_ddfd0d17-9e26-4048-aff7-8745937180cc","name":"echo hi","status":"complete","content":"","startedAt":"2026-11-18T14:11:56.648Z","kind":"execute","input":{"command":"echo hi","cwd":"/sample/projects/0e1e5f2a-32f9-4a1e-96fa-e97994902c19"},"waitedMs":9,"parts":[{"type":"terminal","terminalId":"3efa19f5-c7a4-4adf-8d86-5ee3ff05f1dd"}],"output":{"truncated":false,"exitCode":0},"result":"hi\n","endedAt":"2026-11-18T14:11:56.705Z"},"sessionId":"builtin:fdeb01cf-65df-4acd-9665-69c843cc55fb","seq":19}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 20, 'session:update', '{"type":"session:update","entry":{"entryId":"24963bc2-8bf6-4aa3-a65b-3eccd31aa618","turnId":"617e7427-4ffd-4615-b17f-82814065764a","content":"The command succeeded.","timestamp":"2026-11-18T14:11:56.709Z","messageId":"msg_86786cd5-1e20-461a-90fb-c8125dca6993","type":"assistant"},"sessionId":"builtin:fdeb01cf-65df-4acd-9665-69c843cc55fb","seq":20}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 21, 'session:complete', '{"type":"session:complete","entryId":"24963bc2-8bf6-4aa3-a65b-3eccd31aa618","sessionId":"builtin:fdeb01cf-65df-4acd-9665-69c843cc55fb","seq":21}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 22, 'session:turn', '{"type":"session:turn","turn":{"state":"idle","turnId":"617e7427-4ffd-4615-b17f-82814065764a","startedAt":"2026-11-18T14:11:56.517Z","stopReason":"end_turn"},"sessionId":"builtin:fdeb01cf-65df-4acd-9665-69c843cc55fb","seq":22}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 23, 'session:update', '{"type":"session:update","entry":{"type":"user","entryId":"c8f14962-c527-491d-b78c-cf8fa4d559b7","turnId":"a2b3c6b9-f9f1-4227-9c13-05363c620cf9","content":"plan","timestamp":"2026-11-18T14:11:56.727Z","commandId":"b16a3f7b-04d1-4e86-9e0f-04a1821f8565"},"sessionId":"builtin:fdeb01cf-65df-4acd-9665-69c843cc55fb","seq":23}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 24, 'session:turn', '{"type":"session:turn","turn":{"state":"running","turnId":"a2b3c6b9-f9f1-4227-9c13-05363c620cf9","startedAt":"2026-11-18T14:11:56.727Z"},"sessionId":"builtin:fdeb01cf-65df-4acd-9665-69c843cc55fb","seq":24}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 25, 'session:update', '{"type":"session:update","entry":{"entryId":"c43c9f7b-dc89-4930-8717-f1def56567ac","turnId":"a2b3c6b9-f9f1-4227-9c13-05363c620cf9","content":"Here is my plan.","timestamp":"2026-11-18T14:11:56.872Z","messageId":"msg_c3e82ab0-f852-4949-967e-90c4edcb47f7","type":"assistant"},"sessionId":"builtin:fdeb01cf-65df-4acd-9665-69c843cc55fb","seq":25}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 26, 'session:complete', '{"type":"session:complete","entryId":"c43c9f7b-dc89-4930-8717-f1def56567ac","sessionId":"builtin:fdeb01cf-65df-4acd-9665-69c843cc55fb","seq":26}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 27, 'session:update', '{"type":"session:update","entry":{"type":"plan","entryId":"816282a7-38ab-465e-a39a-d6d5b5c75077","turnId":"a2b3c6b9-f9f1-4227-9c13-05363c620cf9","content":"- [ ] Write the steps down\n- [ ] Work through them one by one\n- [ ] Look back at what was done","items":[{"content":"Write the steps down","priority":"high","status":"in_progress"},{"content":"Work through them one by one","priority":"medium","status":"pending"},{"content":"Look back at what was done","priority":"low","status":"pending"}]},"sessionId":"builtin:fdeb01cf-65df-4acd-9665-69c843cc55fb","seq":27}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 28, 'session:update', '{"type":"session:update","entry":{"type":"plan","entryId":"816282a7-38ab-465e-a39a-d6d5b5c75077","turnId":"a2b3c6b9-f9f1-4227-9c13-05363c620cf9","content":"- [x] Write the steps down\n- [ ] Work through them one by one\n- [ ] Look back at what was done","items":[{"content":"Write the steps down","priority":"high","status":"completed"},{"content":"Work through them one by one","priority":"medium","status":"in_progress"},{"content":"Look back at what was done","priority":"low","status":"pending"}]},"sessionId":"builtin:fdeb01cf-65df-4acd-9665-69c843cc55fb","seq":28}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 29, 'session:update', '{"type":"session:update","entry":{"type":"plan","entryId":"816282a7-38ab-465e-a39a-d6d5b5c75077","turnId":"a2b3c6b9-f9f1-4227-9c13-05363c620cf9","content":"- [x] Write the steps down\n- [x] Work through them one by one\n- [ ] Look back at what was done","items":[{"content":"Write the steps down","priority":"high","status":"completed"},{"content":"Work through them one by one","priority":"medium","status":"completed"},{"content":"Look back at what was done","priority":"low","status":"in_progress"}]},"sessionId":"builtin:fdeb01cf-65df-4acd-9665-69c843cc55fb","seq":29}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 30, 'session:update', '{"type":"session:update","entry":{"type":"plan","entryId":"816282a7-38ab-465e-a39a-d6d5b5c75077","turnId":"a2b3c6b9-f9f1-4227-9c13-05363c620cf9","content":"- [x] Write the steps down\n- [x] Work through them one by one\n- [x] Look back at what was done","items":[{"content":"Write the steps down","priority":"high","status":"completed"},{"content":"Work through them one by one","priority":"medium","status":"completed"},{"content":"Look back at what was done","priority":"low","status":"completed"}]},"sessionId":"builtin:fdeb01cf-65df-4acd-9665-69c843cc55fb","seq":30}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 31, 'session:update', '{"type":"session:update","entry":{"entryId":"cb3e1c57-e26c-4be4-9b36-761b5511175e","turnId":"a2b3c6b9-f9f1-4227-9c13-05363c620cf9","content":"Done.","timestamp":"2026-11-18T14:11:57.129Z","messageId":"msg_20a3cb25-4d7d-455b-9ebd-2e9fc612b147","type":"assistant"},"sessionId":"builtin:fdeb01cf-65df-4acd-9665-69c843cc55fb","seq":31}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 32, 'session:complete', '{"type":"session:complete","entryId":"cb3e1c57-e26c-4be4-9b36-761b5511175e","sessionId":"builtin:fdeb01cf-65df-4acd-9665-69c843cc55fb","seq":32}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 33, 'session:turn', '{"type":"session:turn","turn":{"state":"idle","turnId":"a2b3c6b9-f9f1-4227-9c13-05363c620cf9","startedAt":"2026-11-18T14:11:56.727Z","stopReason":"end_turn"},"sessionId":"builtin:fdeb01cf-65df-4acd-9665-69c843cc55fb","seq":33}');
INSERT INTO fact (session_key, seq, type, json) VALUES (2, 1, 'session:config', '{"type":"session:config","config":{"options":[],"commands":[{"name":"help","description":"Shows this page."},{"name":"list","description":"Lists the files of this directory (without .git and node_modules).","hint":"[directory]"},{"name":"read","description":"Reads a file of this directory.","hint":"<file>"},{"name":"search","description":"Looks for a text in the files of this directory.","hint":"<text>"},{"name":"edit","description":"Replaces a text in a file, after showing you the diff.","hint":"<file> \"<old>\" \"<new>\""},{"name":"run","description":"Runs a shell command here, after asking you.","hint":"<command>"},{"name":"plan","description":"Makes a plan of three steps and works through it."},{"name":"think","description":"Thinks aloud for a moment, then answers."},{"name":"ask","description":"Asks you something with a form, or asks you to visit a page.","hint":"url"},{"name":"image","description":"Paints a small picture."},{"name":"stream","description":"Streams numbered words, as fast as it can or at a steady rate.","hint":"<n> words at <m>/s"},{"name":"sleep","description":"Waits for a number of seconds, or until you cancel.","hint":"[seconds]"},{"name":"all","description":"Sends one of every kind of update, and asks one of every kind of request."},{"name":"fail","description":"Answers with an error, to see what that looks like."},{"name":"crash","description":"Ends this agent''s process in the middle of a turn."}],"usage":null},"sessionId":"builtin:0bcccc1d-a9db-4f16-b854-2ebb42594699","seq":1}');
INSERT INTO fact (session_key, seq, type, json) VALUES (2, 2, 'session:config', '{"type":"session:config","config":{"options":[{"id":"mode","name":"Permissions","description":"When the guide asks before it changes something.","category":"mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask first","description":"Asks before each edit and each command."},{"value":"edits","name":"Allow edits","description":"Edits files without asking; asks before commands."},{"value":"all","name":"Allow everything","description":"Edits files and runs commands without asking."},{"value":"read","name":"Read only","description":"Refuses edits and commands."}]},{"id":"voice","name":"Voice","description":"How detailed the answers are.","category":"_voice","type":"select","currentValue":"brief","options":[{"value":"brief","name":"Brief","description":"Short answers."},{"value":"detailed","name":"Detailed","description":"Answers with examples and background."}]},{"id":"thoughts","name":"Think aloud","description":"Shows a thought before each answer.","type":"boolean","currentValue":false}],"commands":[{"name":"help","description":"Shows this page."},{"name":"list","description":"Lists the files of this directory (without .git and node_modules).","hint":"[directory]"},{"name":"read","description":"Reads a file of this directory.","hint":"<file>"},{"name":"search","description":"Looks for a text in the files of this directory.","hint":"<text>"},{"name":"edit","description":"Replaces a text in a file, after showing you the diff.","hint":"<file> \"<old>\" \"<new>\""},{"name":"run","description":"Runs a shell command here, after asking you.","hint":"<command>"},{"name":"plan","description":"Makes a plan of three steps and works through it."},{"name":"think","description":"Thinks aloud for a moment, then answers."},{"name":"ask","description":"Asks you something with a form, or asks you to visit a page.","hint":"url"},{"name":"image","description":"Paints a small picture."},{"name":"stream","description":"Streams numbered words, as fast as it can or at a steady rate.","hint":"<n> words at <m>/s"},{"name":"sleep","description":"Waits for a number of seconds, or until you cancel.","hint":"[seconds]"},{"name":"all","description":"Sends one of every kind of update, and asks one of every kind of request."},{"name":"fail","description":"Answers with an error, to see what that looks like."},{"name":"crash","description":"Ends this agent''s process in the middle of a turn."}],"usage":null},"sessionId":"builtin:0bcccc1d-a9db-4f16-b854-2ebb42594699","seq":2}');
INSERT INTO fact (session_key, seq, type, json) VALUES (2, 3, 'session:config', '{"type":"session:config","config":{"options":[{"id":"mode","name":"Permissions","description":"When the guide asks before it changes something.","category":"mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask first","description":"Asks before each edit and each command."},{"value":"edits","name":"Allow edits","description":"Edits files without asking; asks before commands."},{"value":"all","name":"Allow everything","description":"Edits files and runs commands without asking."},{"value":"read","name":"Read only","description":"Refuses edits and commands."}]},{"id":"voice","name":"Voice","description":"How detailed the answers are.","category":"_voice","type":"select","currentValue":"brief","options":[{"value":"brief","name":"Brief","description":"Short answers."},{"value":"detailed","name":"Detailed","description":"Answers with examples and background."}]},{"id":"thoughts","name":"Think aloud","description":"Shows a thought before each answer.","type":"boolean","currentValue":false}],"commands":[{"name":"help","description":"Shows this page."},{"name":"list","description":"Lists the files of this directory (without .git and node_modules).","hint":"[directory]"},{"name":"read","description":"Reads a file of this directory.","hint":"<file>"},{"name":"search","description":"Looks for a text in the files of this directory.","hint":"<text>"},{"name":"edit","description":"Replaces a text in a file, after showing you the diff.","hint":"<file> \"<old>\" \"<new>\""},{"name":"run","description":"Runs a shell command here, after asking you.","hint":"<command>"},{"name":"plan","description":"Makes a plan of three steps and works through it."},{"name":"think","description":"Thinks aloud for a moment, then answers."},{"name":"ask","description":"Asks you something with a form, or asks you to visit a page.","hint":"url"},{"name":"image","description":"Paints a small picture."},{"name":"stream","description":"Streams numbered words, as fast as it can or at a steady rate.","hint":"<n> words at <m>/s"},{"name":"sleep","description":"Waits for a number of seconds, or until you cancel.","hint":"[seconds]"},{"name":"all","description":"Sends one of every kind of update, and asks one of every kind of request."},{"name":"fail","description":"Answers with an error, to see what that looks like."},{"name":"crash","description":"Ends this agent''s process in the middle of a turn."}],"usage":null,"abilities":{"image":true,"audio":false,"embeddedContext":true,"steering":true}},"sessionId":"builtin:0bcccc1d-a9db-4f16-b854-2ebb42594699","seq":3}');
INSERT INTO fact (session_key, seq, type, json) VALUES (2, 4, 'session:title-updated', '{"type":"session:title-updated","title":"stream 100000 words at 200/s","source":"derived","sessionId":"builtin:0bcccc1d-a9db-4f16-b854-2ebb42594699","seq":4}');
INSERT INTO fact (session_key, seq, type, json) VALUES (2, 5, 'session:update', '{"type":"session:update","entry":{"type":"user","entryId":"e5425ac6-135b-4fc5-a3cf-962b486a6180","turnId":"2cd53f52-a598-488d-81ae-f14947fe7fdd","content":"stream 100000 words at 200/s","timestamp":"2026-11-18T14:11:57.280Z","commandId":"77e5fbf1-b833-4589-baf3-092988737ada"},"sessionId":"builtin:0bcccc1d-a9db-4f16-b854-2ebb42594699","seq":5}');
INSERT INTO fact (session_key, seq, type, json) VALUES (2, 6, 'session:turn', '{"type":"session:turn","turn":{"state":"running","turnId":"2cd53f52-a598-488d-81ae-f14947fe7fdd","startedAt":"2026-11-18T14:11:57.280Z"},"sessionId":"builtin:0bcccc1d-a9db-4f16-b854-2ebb42594699","seq":6}');
INSERT INTO fact (session_key, seq, type, json) VALUES (2, 7, 'session:update', '{"type":"session:update","entry":{"entryId":"580a7cdc-3ce6-4ce7-be9b-10e2f9cae68f","turnId":"2cd53f52-a598-488d-81ae-f14947fe7fdd","content":"w1 ","timestamp":"2026-11-18T14:11:57.368Z","messageId":"msg_0af393e8-d57d-4b4d-a58f-8fdb4f654b8f","type":"assistant"},"sessionId":"builtin:0bcccc1d-a9db-4f16-b854-2ebb42594699","seq":7}');
INSERT INTO fact (session_key, seq, type, json) VALUES (2, 8, 'session:chunk', '{"type":"session:chunk","entryId":"580a7cdc-3ce6-4ce7-be9b-10e2f9cae68f","content":"w2 w3 w4 ","sessionId":"builtin:0bcccc1d-a9db-4f16-b854-2ebb42594699","seq":8}');
INSERT INTO fact (session_key, seq, type, json) VALUES (2, 9, 'session:chunk', '{"type":"session:chunk","entryId":"580a7cdc-3ce6-4ce7-be9b-10e2f9cae68f","content":"w5 w6 ","sessionId":"builtin:0bcccc1d-a9db-4f16-b854-2ebb42594699","seq":9}');
INSERT INTO fact (session_key, seq, type, json) VALUES (2, 10, 'session:chunk', '{"type":"session:chunk","entryId":"580a7cdc-3ce6-4ce7-be9b-10e2f9cae68f","content":"w7 w8 w9 w10 w11 w12 w13 w14 w15 w16 w17 w18 w19 w20 w21 w22 w23 w24 ","sessionId":"builtin:0bcccc1d-a9db-4f16-b854-2ebb42594699","seq":10}');
INSERT INTO fact (session_key, seq, type, json) VALUES (2, 11, 'session:chunk', '{"type":"session:chunk","entryId":"580a7cdc-3ce6-4ce7-be9b-10e2f9cae68f","content":"w25 w26 w27 w28 w29 w30 w31 w32 w33 w34 w35 w36 w37 w38 w39 w40 ","sessionId":"builtin:0bcccc1d-a9db-4f16-b854-2ebb42594699","seq":11}');
INSERT INTO fact (session_key, seq, type, json) VALUES (2, 12, 'session:chunk', '{"type":"session:chunk","entryId":"580a7cdc-3ce6-4ce7-be9b-10e2f9cae68f","content":"w41 w42 ","sessionId":"builtin:0bcccc1d-a9db-4f16-b854-2ebb42594699","seq":12}');
INSERT INTO fact (session_key, seq, type, json) VALUES (2, 13, 'session:chunk', '{"type":"session:chunk","entryId":"580a7cdc-3ce6-4ce7-be9b-10e2f9cae68f","content":"w43 w44 w45 w46 ","sessionId":"builtin:0bcccc1d-a9db-4f16-b854-2ebb42594699","seq":13}');
INSERT INTO fact (session_key, seq, type, json) VALUES (2, 14, 'session:chunk', '{"type":"session:chunk","entryId":"580a7cdc-3ce6-4ce7-be9b-10e2f9cae68f","content":"w47 w48 w49 w50 ","sessionId":"builtin:0bcccc1d-a9db-4f16-b854-2ebb42594699","seq":14}');
INSERT INTO fact (session_key, seq, type, json) VALUES (2, 15, 'session:chunk', '{"type":"session:chunk","entryId":"580a7cdc-3ce6-4ce7-be9b-10e2f9cae68f","content":"w51 w52 w53 w54 ","sessionId":"builtin:0bcccc1d-a9db-4f16-b854-2ebb42594699","seq":15}');
INSERT INTO fact (session_key, seq, type, json) VALUES (2, 16, 'session:chunk', '{"type":"session:chunk","entryId":"580a7cdc-3ce6-4ce7-be9b-10e2f9cae68f","content":"w55 w56 w57 ","sessionId":"builtin:0bcccc1d-a9db-4f16-b854-2ebb42594699","seq":16}');
INSERT INTO fact (session_key, seq, type, json) VALUES (3, 1, 'session:config', '{"type":"session:config","config":{"options":[],"commands":[{"name":"help","description":"Shows this page."},{"name":"list","description":"Lists the files of this directory (without .git and node_modules).","hint":"[directory]"},{"name":"read","description":"Reads a file of this directory.","hint":"<file>"},{"name":"search","description":"Looks for a text in the files of this directory.","hint":"<text>"},{"name":"edit","description":"Replaces a text in a file, after showing you the diff.","hint":"<file> \"<old>\" \"<new>\""},{"name":"run","description":"Runs a shell command here, after asking you.","hint":"<command>"},{"name":"plan","description":"Makes a plan of three steps and works through it."},{"name":"think","description":"Thinks aloud for a moment, then answers."},{"name":"ask","description":"Asks you something with a form, or asks you to visit a page.","hint":"url"},{"name":"image","description":"Paints a small picture."},{"name":"stream","description":"Streams numbered words, as fast as it can or at a steady rate.","hint":"<n> words at <m>/s"},{"name":"sleep","description":"Waits for a number of seconds, or until you cancel.","hint":"[seconds]"},{"name":"all","description":"Sends one of every kind of update, and asks one of every kind of request."},{"name":"fail","description":"Answers with an error, to see what that looks like."},{"name":"crash","description":"Ends this agent''s process in the middle of a turn."}],"usage":null},"sessionId":"builtin:de7a2959-8339-4feb-bfaf-db8c144d4fc1","seq":1}');
INSERT INTO fact (session_key, seq, type, json) VALUES (3, 2, 'session:config', '{"type":"session:config","config":{"options":[{"id":"mode","name":"Permissions","description":"When the guide asks before it changes something.","category":"mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask first","description":"Asks before each edit and each command."},{"value":"edits","name":"Allow edits","description":"Edits files without asking; asks before commands."},{"value":"all","name":"Allow everything","description":"Edits files and runs commands without asking."},{"value":"read","name":"Read only","description":"Refuses edits and commands."}]},{"id":"voice","name":"Voice","description":"How detailed the answers are.","category":"_voice","type":"select","currentValue":"brief","options":[{"value":"brief","name":"Brief","description":"Short answers."},{"value":"detailed","name":"Detailed","description":"Answers with examples and background."}]},{"id":"thoughts","name":"Think aloud","description":"Shows a thought before each answer.","type":"boolean","currentValue":false}],"commands":[{"name":"help","description":"Shows this page."},{"name":"list","description":"Lists the files of this directory (without .git and node_modules).","hint":"[directory]"},{"name":"read","description":"Reads a file of this directory.","hint":"<file>"},{"name":"search","description":"Looks for a text in the files of this directory.","hint":"<text>"},{"name":"edit","description":"Replaces a text in a file, after showing you the diff.","hint":"<file> \"<old>\" \"<new>\""},{"name":"run","description":"Runs a shell command here, after asking you.","hint":"<command>"},{"name":"plan","description":"Makes a plan of three steps and works through it."},{"name":"think","description":"Thinks aloud for a moment, then answers."},{"name":"ask","description":"Asks you something with a form, or asks you to visit a page.","hint":"url"},{"name":"image","description":"Paints a small picture."},{"name":"stream","description":"Streams numbered words, as fast as it can or at a steady rate.","hint":"<n> words at <m>/s"},{"name":"sleep","description":"Waits for a number of seconds, or until you cancel.","hint":"[seconds]"},{"name":"all","description":"Sends one of every kind of update, and asks one of every kind of request."},{"name":"fail","description":"Answers with an error, to see what that looks like."},{"name":"crash","description":"Ends this agent''s process in the middle of a turn."}],"usage":null},"sessionId":"builtin:de7a2959-8339-4feb-bfaf-db8c144d4fc1","seq":2}');
INSERT INTO fact (session_key, seq, type, json) VALUES (3, 3, 'session:config', '{"type":"session:config","config":{"options":[{"id":"mode","name":"Permissions","description":"When the guide asks before it changes something.","category":"mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask first","description":"Asks before each edit and each command."},{"value":"edits","name":"Allow edits","description":"Edits files without asking; asks before commands."},{"value":"all","name":"Allow everything","description":"Edits files and runs commands without asking."},{"value":"read","name":"Read only","description":"Refuses edits and commands."}]},{"id":"voice","name":"Voice","description":"How detailed the answers are.","category":"_voice","type":"select","currentValue":"brief","options":[{"value":"brief","name":"Brief","description":"Short answers."},{"value":"detailed","name":"Detailed","description":"Answers with examples and background."}]},{"id":"thoughts","name":"Think aloud","description":"Shows a thought before each answer.","type":"boolean","currentValue":false}],"commands":[{"name":"help","description":"Shows this page."},{"name":"list","description":"Lists the files of this directory (without .git and node_modules).","hint":"[directory]"},{"name":"read","description":"Reads a file of this directory.","hint":"<file>"},{"name":"search","description":"Looks for a text in the files of this directory.","hint":"<text>"},{"name":"edit","description":"Replaces a text in a file, after showing you the diff.","hint":"<file> \"<old>\" \"<new>\""},{"name":"run","description":"Runs a shell command here, after asking you.","hint":"<command>"},{"name":"plan","description":"Makes a plan of three steps and works through it."},{"name":"think","description":"Thinks aloud for a moment, then answers."},{"name":"ask","description":"Asks you something with a form, or asks you to visit a page.","hint":"url"},{"name":"image","description":"Paints a small picture."},{"name":"stream","description":"Streams numbered words, as fast as it can or at a steady rate.","hint":"<n> words at <m>/s"},{"name":"sleep","description":"Waits for a number of seconds, or until you cancel.","hint":"[seconds]"},{"name":"all","description":"Sends one of every kind of update, and asks one of every kind of request."},{"name":"fail","description":"Answers with an error, to see what that looks like."},{"name":"crash","description":"Ends this agent''s process in the middle of a turn."}],"usage":null,"abilities":{"image":true,"audio":false,"embeddedContext":true,"steering":true}},"sessionId":"builtin:de7a2959-8339-4feb-bfaf-db8c144d4fc1","seq":3}');
INSERT INTO fact (session_key, seq, type, json) VALUES (3, 4, 'session:title-updated', '{"type":"session:title-updated","title":"stream 1 words","source":"derived","sessionId":"builtin:de7a2959-8339-4feb-bfaf-db8c144d4fc1","seq":4}');
INSERT INTO fact (session_key, seq, type, json) VALUES (3, 5, 'session:update', '{"type":"session:update","entry":{"type":"user","entryId":"244d8c5f-5f80-419a-b30f-21de25a4a654","turnId":"e79bab40-db88-4841-a6f5-620bfae01463","content":"stream 1 words","timestamp":"2026-11-18T14:11:57.455Z","commandId":"92b74cf4-8f8a-4b64-ad4a-6b18a05b4250"},"sessionId":"builtin:de7a2959-8339-4feb-bfaf-db8c144d4fc1","seq":5}');
INSERT INTO fact (session_key, seq, type, json) VALUES (3, 6, 'session:turn', '{"type":"session:turn","turn":{"state":"running","turnId":"e79bab40-db88-4841-a6f5-620bfae01463","startedAt":"2026-11-18T14:11:57.455Z"},"sessionId":"builtin:de7a2959-8339-4feb-bfaf-db8c144d4fc1","seq":6}');
INSERT INTO fact (session_key, seq, type, json) VALUES (3, 7, 'session:update', '{"type":"session:update","entry":{"entryId":"c1af999a-b611-4163-badf-12ac7735fef8","turnId":"e79bab40-db88-4841-a6f5-620bfae01463","content":"w1","timestamp":"2026-11-18T14:11:57.633Z","messageId":"msg_d1afd60e-0c5b-4610-9a4f-30511ec27c17","type":"assistant"},"sessionId":"builtin:de7a2959-8339-4feb-bfaf-db8c144d4fc1","seq":7}');
INSERT INTO fact (session_key, seq, type, json) VALUES (3, 8, 'session:complete', '{"type":"session:complete","entryId":"c1af999a-b611-4163-badf-12ac7735fef8","sessionId":"builtin:de7a2959-8339-4feb-bfaf-db8c144d4fc1","seq":8}');
INSERT INTO fact (session_key, seq, type, json) VALUES (3, 9, 'session:turn', '{"type":"session:turn","turn":{"state":"idle","turnId":"e79bab40-db88-4841-a6f5-620bfae01463","startedAt":"2026-11-18T14:11:57.455Z","stopReason":"end_turn"},"sessionId":"builtin:de7a2959-8339-4feb-bfaf-db8c144d4fc1","seq":9}');
INSERT INTO fact (session_key, seq, type, json) VALUES (3, 10, 'session:archived', '{"type":"session:archived","sessionId":"builtin:de7a2959-8339-4feb-bfaf-db8c144d4fc1","seq":10}');
INSERT INTO entry (session_key, position, entry_id, agent_id, json) VALUES (1, 1, 'e9292529-2598-4023-b736-7aca5d343cee', NULL, '{"type":"user","entryId":"e9292529-2598-4023-b736-7aca5d343cee","turnId":"0e93f712-0c17-4ff3-b6ba-a646bf98c349","content":"stream 3 words","timestamp":"2026-11-18T14:11:56.228Z","commandId":"d011aa30-a163-4017-9544-fa61f5bd1c28"}');
INSERT INTO entry (session_key, position, entry_id, agent_id, json) VALUES (1, 2, 'ac19eacb-80a6-4759-9872-3d2f281995bd', 'msg_9b6e1158-cbd3-4df2-8355-3a340feed65a', '{"entryId":"ac19eacb-80a6-4759-9872-3d2f281995bd","turnId":"0e93f712-0c17-4ff3-b6ba-a646bf98c349","content":"w1 w2 w3","timestamp":"2026-11-18T14:11:56.492Z","messageId":"msg_9b6e1158-cbd3-4df2-8355-3a340feed65a","type":"assistant"}');
INSERT INTO entry (session_key, position, entry_id, agent_id, json) VALUES (1, 3, 'e8e94d73-a0ab-4118-9c13-6a728a624d87', NULL, '{"type":"user","entryId":"e8e94d73-a0ab-4118-9c13-6a728a624d87","turnId":"617e7427-4ffd-4615-b17f-82814065764a","content":"run echo hi","timestamp":"2026-11-18T14:11:56.517Z","commandId":"fe2584db-0ce5-4449-987e-20c644498171"}');
INSERT INTO entry (session_key, position, entry_id, agent_id, json) VALUES (1, 4, '35670569-2e14-447e-9733-04be6a548ad8', 'call_ddfd0d17-9e26-4048-aff7-8745937180cc', '{"type":"tool-call","entryId":"35670569-2e14-447e-9733-04be6a548ad8","turnId":"617e7427-4ffd-4615-b17f-82814065764a","toolCallId":"call_ddfd0d17-9e26-4048-aff7-8745937180cc","name":"echo hi","status":"complete","content":"","startedAt":"2026-11-18T14:11:56.648Z","kind":"execute","input":{"command":"echo hi","cwd":"/sample/projects/0e1e5f2a-32f9-4a1e-96fa-e97994902c19"},"waitedMs":9,"parts":[{"type":"terminal","terminalId":"3efa19f5-c7a4-4adf-8d86-5ee3ff05f1dd"}],"output":{"truncated":false,"exitCode":0},"result":"hi\n","endedAt":"2026-11-18T14:11:56.705Z"}');
INSERT INTO entry (session_key, position, entry_id, agent_id, json) VALUES (1, 5, '24963bc2-8bf6-4aa3-a65b-3eccd31aa618', 'msg_86786cd5-1e20-461a-90fb-c8125dca6993', '{"entryId":"24963bc2-8bf6-4aa3-a65b-3eccd31aa618","turnId":"617e7427-4ffd-4615-b17f-82814065764a","content":"The command succeeded.","timestamp":"2026-11-18T14:11:56.709Z","messageId":"msg_86786cd5-1e20-461a-90fb-c8125dca6993","type":"assistant"}');
INSERT INTO entry (session_key, position, entry_id, agent_id, json) VALUES (1, 6, 'c8f14962-c527-491d-b78c-cf8fa4d559b7', NULL, '{"type":"user","entryId":"c8f14962-c527-491d-b78c-cf8fa4d559b7","turnId":"a2b3c6b9-f9f1-4227-9c13-05363c620cf9","content":"plan","timestamp":"2026-11-18T14:11:56.727Z","commandId":"b16a3f7b-04d1-4e86-9e0f-04a1821f8565"}');
INSERT INTO entry (session_key, position, entry_id, agent_id, json) VALUES (1, 7, 'c43c9f7b-dc89-4930-8717-f1def56567ac', 'msg_c3e82ab0-f852-4949-967e-90c4edcb47f7', '{"entryId":"c43c9f7b-dc89-4930-8717-f1def56567ac","turnId":"a2b3c6b9-f9f1-4227-9c13-05363c620cf9","content":"Here is my plan.","timestamp":"2026-11-18T14:11:56.872Z","messageId":"msg_c3e82ab0-f852-4949-967e-90c4edcb47f7","type":"assistant"}');
INSERT INTO entry (session_key, position, entry_id, agent_id, json) VALUES (1, 8, '816282a7-38ab-465e-a39a-d6d5b5c75077', NULL, '{"type":"plan","entryId":"816282a7-38ab-465e-a39a-d6d5b5c75077","turnId":"a2b3c6b9-f9f1-4227-9c13-05363c620cf9","content":"- [x] Write the steps down\n- [x] Work through them one by one\n- [x] Look back at what was done","items":[{"content":"Write the steps down","priority":"high","status":"completed"},{"content":"Work through them one by one","priority":"medium","status":"completed"},{"content":"Look back at what was done","priority":"low","status":"completed"}]}');
INSERT INTO entry (session_key, position, entry_id, agent_id, json) VALUES (1, 9, 'cb3e1c57-e26c-4be4-9b36-761b5511175e', 'msg_20a3cb25-4d7d-455b-9ebd-2e9fc612b147', '{"entryId":"cb3e1c57-e26c-4be4-9b36-761b5511175e","turnId":"a2b3c6b9-f9f1-4227-9c13-05363c620cf9","content":"Done.","timestamp":"2026-11-18T14:11:57.129Z","messageId":"msg_20a3cb25-4d7d-455b-9ebd-2e9fc612b147","type":"assistant"}');
INSERT INTO entry (session_key, position, entry_id, agent_id, json) VALUES (3, 1, '244d8c5f-5f80-419a-b30f-21de25a4a654', NULL, '{"type":"user","entryId":"244d8c5f-5f80-419a-b30f-21de25a4a654","turnId":"e79bab40-db88-4841-a6f5-620bfae01463","content":"stream 1 words","timestamp":"2026-11-18T14:11:57.455Z","commandId":"92b74cf4-8f8a-4b64-ad4a-6b18a05b4250"}');
INSERT INTO entry (session_key, position, entry_id, agent_id, json) VALUES (3, 2, 'c1af999a-b611-4163-badf-12ac7735fef8', 'msg_d1afd60e-0c5b-4610-9a4f-30511ec27c17', '{"entryId":"c1af999a-b611-4163-badf-12ac7735fef8","turnId":"e79bab40-db88-4841-a6f5-620bfae01463","content":"w1","timestamp":"2026-11-18T14:11:57.633Z","messageId":"msg_d1afd60e-0c5b-4610-9a4f-30511ec27c17","type":"assistant"}');
INSERT INTO policy_mode (scope, target, mode) VALUES ('agent', 'builtin', 'ask');
INSERT INTO policy_mode (scope, target, mode) VALUES ('session', 'builtin:fdeb01cf-65df-4acd-9665-69c843cc55fb', 'edits');
INSERT INTO policy_rule (key, id, scope, target, json) VALUES (1, '9a9057d6-4862-4304-8929-15d7df19e0cf', 'session', 'builtin:fdeb01cf-65df-4acd-9665-69c843cc55fb', '{"effect":"allow","kind":"execute","command":"git status","id":"9a9057d6-4862-4304-8929-15d7df19e0cf","createdAt":"2026-11-18T14:11:57.661Z"}');
INSERT INTO policy_rule (key, id, scope, target, json) VALUES (2, 'db3b8d54-286a-465f-8b7b-c7a37a4b4478', 'project', '3fea5ad8-2479-4cb1-9af5-f0aa2c9146fd', '{"effect":"allow","kind":"execute","command":"npm test","id":"db3b8d54-286a-465f-8b7b-c7a37a4b4478","createdAt":"2026-11-18T14:11:57.670Z"}');
INSERT INTO policy_rule (key, id, scope, target, json) VALUES (3, 'f02b2c00-70bc-4d20-8e0c-c948cfe404ef', 'agent', 'builtin', '{"effect":"allow","kind":"execute","command":"ls","id":"f02b2c00-70bc-4d20-8e0c-c948cfe404ef","createdAt":"2026-11-18T14:11:57.674Z"}');
INSERT INTO permission_record (key, session_key, permission_id, asked_at, tool_call, options, answered, answered_by, answered_at, why) VALUES (1, 1, '3d6ffd1b-67ea-4a46-a642-5c020432b755-11', '2026-11-18T14:11:56.661Z', '{"toolCallId":"call_ddfd0d17-9e26-4048-aff7-8745937180cc","name":"echo hi","kind":"execute","input":{"command":"echo hi","cwd":"/sample/projects/0e1e5f2a-32f9-4a1e-96fa-e97994902c19"}}', '[{"optionId":"allow-once","name":"Allow once","kind":"allow_once"},{"optionId":"allow-always","name":"Always allow commands in this session","kind":"allow_always"},{"optionId":"reject-once","name":"Reject","kind":"reject_once"}]', 'allowed', 'user', '2026-11-18T14:11:56.670Z', NULL);
INSERT INTO search_text (key, session_key, entry_id, kind, at) VALUES (1000000000001, 1, '', 'title', NULL);
INSERT INTO search_text (key, session_key, entry_id, kind, at) VALUES (1000000000002, 1, 'e9292529-2598-4023-b736-7aca5d343cee', 'user', '2026-11-18T14:11:56.228Z');
INSERT INTO search_text (key, session_key, entry_id, kind, at) VALUES (1000000000003, 1, 'ac19eacb-80a6-4759-9872-3d2f281995bd', 'assistant', '2026-11-18T14:11:56.492Z');
INSERT INTO search_text (key, session_key, entry_id, kind, at) VALUES (1000000000004, 1, 'e8e94d73-a0ab-4118-9c13-6a728a624d87', 'user', '2026-11-18T14:11:56.517Z');
INSERT INTO search_text (key, session_key, entry_id, kind, at) VALUES (1000000000005, 1, '35670569-2e14-447e-9733-04be6a548ad8', 'tool-call', '2026-11-18T14:11:56.648Z');
INSERT INTO search_text (key, session_key, entry_id, kind, at) VALUES (1000000000006, 1, '24963bc2-8bf6-4aa3-a65b-3eccd31aa618', 'assistant', '2026-11-18T14:11:56.709Z');
INSERT INTO search_text (key, session_key, entry_id, kind, at) VALUES (1000000000007, 1, 'c8f14962-c527-491d-b78c-cf8fa4d559b7', 'user', '2026-11-18T14:11:56.727Z');
INSERT INTO search_text (key, session_key, entry_id, kind, at) VALUES (1000000000008, 1, 'c43c9f7b-dc89-4930-8717-f1def56567ac', 'assistant', '2026-11-18T14:11:56.872Z');
INSERT INTO search_text (key, session_key, entry_id, kind, at) VALUES (1000000000009, 1, '816282a7-38ab-465e-a39a-d6d5b5c75077', 'plan', '2026-11-18T14:11:57.129Z');
INSERT INTO search_text (key, session_key, entry_id, kind, at) VALUES (1000000000010, 1, 'cb3e1c57-e26c-4be4-9b36-761b5511175e', 'assistant', '2026-11-18T14:11:57.129Z');
INSERT INTO search_text (key, session_key, entry_id, kind, at) VALUES (1000000000011, 2, '', 'title', NULL);
INSERT INTO search_text (key, session_key, entry_id, kind, at) VALUES (1000000000012, 3, '', 'title', NULL);
INSERT INTO search_text (key, session_key, entry_id, kind, at) VALUES (1000000000013, 3, '244d8c5f-5f80-419a-b30f-21de25a4a654', 'user', '2026-11-18T14:11:57.455Z');
INSERT INTO search_text (key, session_key, entry_id, kind, at) VALUES (1000000000014, 3, 'c1af999a-b611-4163-badf-12ac7735fef8', 'assistant', '2026-11-18T14:11:57.633Z');
INSERT INTO search_index (rowid, text) VALUES (1000000000001, 'stream 3 words');
INSERT INTO search_index (rowid, text) VALUES (1000000000002, 'stream 3 words');
INSERT INTO search_index (rowid, text) VALUES (1000000000003, 'w1 w2 w3');
INSERT INTO search_index (rowid, text) VALUES (1000000000004, 'run echo hi');
INSERT INTO search_index (rowid, text) VALUES (1000000000005, 'echo hi
/sample/projects/0e1e5f2a-32f9-4a1e-96fa-e97994902c19
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
INSERT INTO search_index (rowid, text) VALUES (1000000000012, 'stream 1 words');
INSERT INTO search_index (rowid, text) VALUES (1000000000013, 'stream 1 words');
INSERT INTO search_index (rowid, text) VALUES (1000000000014, 'w1');
INSERT INTO draft_attachments (session_key, json) VALUES (1, '[{"type":"link","uri":"file:///sample/notes.md","name":"notes.md"}]');
INSERT INTO agent_session (cli_type, agent_session_id, session_key) VALUES ('builtin', 'guide_43fbec1e-bdfb-4625-84d7-a1cc135ff868', 2);
INSERT INTO agent_session (cli_type, agent_session_id, session_key) VALUES ('builtin', 'guide_b3d0a5bf-46c3-4107-b61e-46432f11e82e', 1);
INSERT INTO agent_session (cli_type, agent_session_id, session_key) VALUES ('builtin', 'guide_c69d7743-2f8d-4da9-b2b3-c75f857091d6', 3);
INSERT INTO device (id, secret_hash, token_mark, name, created_at, last_seen_at, revoked) VALUES ('program883ac8b7fc8f', 'frnzydSsuuSrboQn6R0Z5ZOMjyoIdbCOtk-RqU0sv-g', 'BGsJijT140c8', 'Bun', '2026-11-18T14:11:57.683Z', '2026-11-18T14:11:57.683Z', 0);
CREATE TRIGGER agent_session_of_new AFTER INSERT ON session WHEN NEW.agent_session_id <> '' BEGIN
  INSERT OR IGNORE INTO agent_session VALUES (NEW.cli_type, NEW.agent_session_id, NEW.key);
END;
CREATE TRIGGER agent_session_of_bound AFTER UPDATE OF agent_session_id ON session WHEN NEW.agent_session_id <> '' BEGIN
  INSERT OR IGNORE INTO agent_session VALUES (NEW.cli_type, NEW.agent_session_id, NEW.key);
END;
CREATE TRIGGER notice_of_session AFTER DELETE ON session BEGIN
  DELETE FROM notice WHERE subject = OLD.id;
END;
CREATE TRIGGER notice_of_run AFTER DELETE ON schedule_run BEGIN
  DELETE FROM notice WHERE subject = 'schedule:' || OLD.schedule_id || ':' || OLD.due_at;
END;
PRAGMA user_version = 17;
