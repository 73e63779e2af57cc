-- migration sha256 688258f8259c2523
-- device cookie program85d2e62ad57a.TlwNIWxT3rZ_CSEPiXPfVM7VcpDD2IuwUsP3BFD_bqc
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
, person_id TEXT) STRICT;
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
, person_id TEXT) STRICT;
CREATE TABLE hook (
  name TEXT PRIMARY KEY,
  secret_hash TEXT NOT NULL,
  definition TEXT NOT NULL
) STRICT;
CREATE TABLE person (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  role TEXT NOT NULL,
  disabled INTEGER NOT NULL DEFAULT 0,
  created_at TEXT NOT NULL,
  -- Who it is to the sign-in service.
  subject TEXT UNIQUE
) STRICT;
CREATE TABLE person_role (
  person_id TEXT NOT NULL REFERENCES person (id) ON DELETE CASCADE,
  project_id TEXT NOT NULL,
  role TEXT NOT NULL,
  PRIMARY KEY (person_id, project_id)
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
CREATE INDEX turn_usage_at ON turn_usage (at);
CREATE INDEX session_with_sub_agents ON session (sub_agents) WHERE sub_agents > 0;
CREATE INDEX session_by_origin ON session (json_extract(origin, '$.sessionId')) WHERE origin IS NOT NULL;
CREATE INDEX schedule_run_open ON schedule_run (due_at) WHERE ended_at IS NULL;
CREATE INDEX notice_by_target ON notice (target_id, at);
INSERT INTO project (id, path, name, added_at, position, removed, last_place) VALUES ('69a8c9ef-85cc-46a1-8e07-77eda9de7175', '/sample/projects/784611fb-e15e-455b-bdc7-9f911d1b3edd', '784611fb-e15e-455b-bdc7-9f911d1b3edd', '2026-11-19T15:29:18.191Z', 1, 0, NULL);
INSERT INTO session (key, id, project_id, cli_type, title, created_at, last_active_at, archived, turn, unfinished, parent_id, agent_session_id, agent_session_at, cwd, agent_state, agent_state_at, last_seq, kept_from_seq, snapshot_seq, snapshot, next_position, draft, attention_seq, seen_seq, usage, adopted, armed_waits, process_id, heard, cancelling, agent_seen_at, changes, worktree, answers, pinned, labels, dismissed, marked_unread, pause, away, origin, attempt, inherited, copying, sub_agents) VALUES (1, 'builtin:14cf8ad7-9771-4ad4-8a8a-269c843c8652', '69a8c9ef-85cc-46a1-8e07-77eda9de7175', 'builtin', 'stream 3 words', '2026-11-19T15:29:18.286Z', '2026-11-19T15:29:18.907Z', 0, '{"state":"idle","turnId":"0fe65fc2-2718-44fe-b71a-fbc2ee21c849","startedAt":"2026-11-19T15:29:18.616Z","stopReason":"end_turn"}', 0, NULL, 'guide_94a5ef62-f7b9-4bc9-a2ba-58ebc4de4d5b', '2026-11-19T15:29:18.286Z', '/sample/projects/784611fb-e15e-455b-bdc7-9f911d1b3edd', 'idle', '2026-11-19T15:29:18.907Z', 33, 1, 33, '{"seq":33,"titleSource":"derived","pending":[],"visits":[],"queue":[],"queuePaused":false,"config":{"options":[{"id":"mode","name":"Permissions","description":"When the guide asks before it changes something.","category":"mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask first","description":"Asks before each edit and each command."},{"value":"edits","name":"Allow edits","description":"Edits files without asking; asks before commands."},{"value":"all","name":"Allow everything","description":"Edits files and runs commands without asking."},{"value":"read","name":"Read only","description":"Refuses edits and commands."}]},{"id":"voice","name":"Voice","description":"How detailed the answers are.","category":"_voice","type":"select","currentValue":"brief","options":[{"value":"brief","name":"Brief","description":"Short answers."},{"value":"detailed","name":"Detailed","description":"Answers with examples and background."}]},{"id":"thoughts","name":"Think aloud","description":"Shows a thought before each answer.","type":"boolean","currentValue":false}],"commands":[{"name":"help","description":"Shows this page."},{"name":"list","description":"Lists the files of this directory (without .git and node_modules).","hint":"[directory]"},{"name":"read","description":"Reads a file of this directory.","hint":"<file>"},{"name":"search","description":"Looks for a text in the files of this directory.","hint":"<text>"},{"name":"edit","description":"Replaces a text in a file, after showing you the diff.","hint":"<file> \"<old>\" \"<new>\""},{"name":"run","description":"Runs a shell command here, after asking you.","hint":"<command>"},{"name":"plan","description":"Makes a plan of three steps and works through it."},{"name":"think","description":"Thinks aloud for a moment, then answers."},{"name":"ask","description":"Asks you something with a form, or asks you to visit a page.","hint":"url"},{"name":"image","description":"Paints a small picture."},{"name":"stream","description":"Streams numbered words, as fast as it can or at a steady rate.","hint":"<n> words at <m>/s"},{"name":"sleep","description":"Waits for a number of seconds, or until you cancel.","hint":"[seconds]"},{"name":"all","description":"Sends one of every kind of update, and asks one of every kind of request."},{"name":"fail","description":"Answers with an error, to see what that looks like."},{"name":"crash","description":"Ends this agent''s process in the middle of a turn."}],"usage":null,"abilities":{"image":true,"audio":false,"embeddedContext":true,"steering":true}},"waits":[],"agentNotes":[],"toldNotes":[],"subAgentCalls":[],"primer":null,"title":"stream 3 words","archived":false,"turn":{"state":"idle","turnId":"0fe65fc2-2718-44fe-b71a-fbc2ee21c849","startedAt":"2026-11-19T15:29:18.616Z","stopReason":"end_turn"},"changes":null,"worktree":null,"pause":null,"away":null,"pinned":false,"labels":[],"dismissed":false,"open":[]}', 10, 'a draft', 33, 0, NULL, 0, 0, '1f1b6d6d-e999-48d1-9d4d-293d56ab26ec', 32, NULL, '2026-11-19T15:29:18.907Z', NULL, NULL, '[]', 0, '[]', 0, 0, NULL, NULL, NULL, NULL, 0, 0, 0);
INSERT INTO session (key, id, project_id, cli_type, title, created_at, last_active_at, archived, turn, unfinished, parent_id, agent_session_id, agent_session_at, cwd, agent_state, agent_state_at, last_seq, kept_from_seq, snapshot_seq, snapshot, next_position, draft, attention_seq, seen_seq, usage, adopted, armed_waits, process_id, heard, cancelling, agent_seen_at, changes, worktree, answers, pinned, labels, dismissed, marked_unread, pause, away, origin, attempt, inherited, copying, sub_agents) VALUES (2, 'builtin:b04362d9-4452-4ac3-8e12-819f03d09c46', '69a8c9ef-85cc-46a1-8e07-77eda9de7175', 'builtin', 'stream 100000 words at 200/s', '2026-11-19T15:29:18.925Z', '2026-11-19T15:29:19.045Z', 0, '{"state":"running","turnId":"1ad6d02d-5593-46b8-98c1-b93b6b3e2b58","startedAt":"2026-11-19T15:29:18.936Z"}', 1, NULL, 'guide_7a2a514c-258c-4827-a780-cd2d7af7dbb7', '2026-11-19T15:29:18.925Z', '/sample/projects/784611fb-e15e-455b-bdc7-9f911d1b3edd', 'active', '2026-11-19T15:29:18.937Z', 11, 1, 3, '{"seq":3,"titleSource":"none","pending":[],"visits":[],"queue":[],"queuePaused":false,"config":{"options":[{"id":"mode","name":"Permissions","description":"When the guide asks before it changes something.","category":"mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask first","description":"Asks before each edit and each command."},{"value":"edits","name":"Allow edits","description":"Edits files without asking; asks before commands."},{"value":"all","name":"Allow everything","description":"Edits files and runs commands without asking."},{"value":"read","name":"Read only","description":"Refuses edits and commands."}]},{"id":"voice","name":"Voice","description":"How detailed the answers are.","category":"_voice","type":"select","currentValue":"brief","options":[{"value":"brief","name":"Brief","description":"Short answers."},{"value":"detailed","name":"Detailed","description":"Answers with examples and background."}]},{"id":"thoughts","name":"Think aloud","description":"Shows a thought before each answer.","type":"boolean","currentValue":false}],"commands":[{"name":"help","description":"Shows this page."},{"name":"list","description":"Lists the files of this directory (without .git and node_modules).","hint":"[directory]"},{"name":"read","description":"Reads a file of this directory.","hint":"<file>"},{"name":"search","description":"Looks for a text in the files of this directory.","hint":"<text>"},{"name":"edit","description":"Replaces a text in a file, after showing you the diff.","hint":"<file> \"<old>\" \"<new>\""},{"name":"run","description":"Runs a shell command here, after asking you.","hint":"<command>"},{"name":"plan","description":"Makes a plan of three steps and works through it."},{"name":"think","description":"Thinks aloud for a moment, then answers."},{"name":"ask","description":"Asks you something with a form, or asks you to visit a page.","hint":"url"},{"name":"image","description":"Paints a small picture."},{"name":"stream","description":"Streams numbered words, as fast as it can or at a steady rate.","hint":"<n> words at <m>/s"},{"name":"sleep","description":"Waits for a number of seconds, or until you cancel.","hint":"[seconds]"},{"name":"all","description":"Sends one of every kind of update, and asks one of every kind of request."},{"name":"fail","description":"Answers with an error, to see what that looks like."},{"name":"crash","description":"Ends this agent''s process in the middle of a turn."}],"usage":null,"abilities":{"image":true,"audio":false,"embeddedContext":true,"steering":true}},"waits":[],"agentNotes":[],"toldNotes":[],"subAgentCalls":[],"primer":null,"title":"New Session","archived":false,"turn":{"state":"idle"},"changes":null,"worktree":null,"pause":null,"away":null,"pinned":false,"labels":[],"dismissed":false,"open":[]}', 1, '', 0, 0, NULL, 0, 0, '1f1b6d6d-e999-48d1-9d4d-293d56ab26ec', 58, NULL, '2026-11-19T15:29:18.925Z', NULL, NULL, '[]', 0, '[]', 0, 0, NULL, NULL, NULL, NULL, 0, 0, 0);
INSERT INTO session (key, id, project_id, cli_type, title, created_at, last_active_at, archived, turn, unfinished, parent_id, agent_session_id, agent_session_at, cwd, agent_state, agent_state_at, last_seq, kept_from_seq, snapshot_seq, snapshot, next_position, draft, attention_seq, seen_seq, usage, adopted, armed_waits, process_id, heard, cancelling, agent_seen_at, changes, worktree, answers, pinned, labels, dismissed, marked_unread, pause, away, origin, attempt, inherited, copying, sub_agents) VALUES (3, 'builtin:ce26585e-1d7d-45d6-aa6e-a6e4f4cc6b08', '69a8c9ef-85cc-46a1-8e07-77eda9de7175', 'builtin', 'stream 1 words', '2026-11-19T15:29:18.999Z', '2026-11-19T15:29:19.031Z', 1, '{"state":"idle","turnId":"9e00afdd-0e7e-421c-aba2-6e50246a3168","startedAt":"2026-11-19T15:29:19.009Z","stopReason":"end_turn"}', 0, NULL, 'guide_23f0e94b-c625-407f-a8a6-8e4050b113aa', '2026-11-19T15:29:18.999Z', '/sample/projects/784611fb-e15e-455b-bdc7-9f911d1b3edd', 'closed', '2026-11-19T15:29:19.037Z', 10, 1, 10, '{"seq":10,"titleSource":"derived","pending":[],"visits":[],"queue":[],"queuePaused":false,"config":{"options":[{"id":"mode","name":"Permissions","description":"When the guide asks before it changes something.","category":"mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask first","description":"Asks before each edit and each command."},{"value":"edits","name":"Allow edits","description":"Edits files without asking; asks before commands."},{"value":"all","name":"Allow everything","description":"Edits files and runs commands without asking."},{"value":"read","name":"Read only","description":"Refuses edits and commands."}]},{"id":"voice","name":"Voice","description":"How detailed the answers are.","category":"_voice","type":"select","currentValue":"brief","options":[{"value":"brief","name":"Brief","description":"Short answers."},{"value":"detailed","name":"Detailed","description":"Answers with examples and background."}]},{"id":"thoughts","name":"Think aloud","description":"Shows a thought before each answer.","type":"boolean","currentValue":false}],"commands":[{"name":"help","description":"Shows this page."},{"name":"list","description":"Lists the files of this directory (without .git and node_modules).","hint":"[directory]"},{"name":"read","description":"Reads a file of this directory.","hint":"<file>"},{"name":"search","description":"Looks for a text in the files of this directory.","hint":"<text>"},{"name":"edit","description":"Replaces a text in a file, after showing you the diff.","hint":"<file> \"<old>\" \"<new>\""},{"name":"run","description":"Runs a shell command here, after asking you.","hint":"<command>"},{"name":"plan","description":"Makes a plan of three steps and works through it."},{"name":"think","description":"Thinks aloud for a moment, then answers."},{"name":"ask","description":"Asks you something with a form, or asks you to visit a page.","hint":"url"},{"name":"image","description":"Paints a small picture."},{"name":"stream","description":"Streams numbered words, as fast as it can or at a steady rate.","hint":"<n> words at <m>/s"},{"name":"sleep","description":"Waits for a number of seconds, or until you cancel.","hint":"[seconds]"},{"name":"all","description":"Sends one of every kind of update, and asks one of every kind of request."},{"name":"fail","description":"Answers with an error, to see what that looks like."},{"name":"crash","description":"Ends this agent''s process in the middle of a turn."}],"usage":null,"abilities":{"image":true,"audio":false,"embeddedContext":true,"steering":true}},"waits":[],"agentNotes":[],"toldNotes":[],"subAgentCalls":[],"primer":null,"title":"stream 1 words","archived":true,"turn":{"state":"idle","turnId":"9e00afdd-0e7e-421c-aba2-6e50246a3168","startedAt":"2026-11-19T15:29:19.009Z","stopReason":"end_turn"},"changes":null,"worktree":null,"pause":null,"away":null,"pinned":false,"labels":[],"dismissed":false,"open":[]}', 3, '', 9, 0, NULL, 0, 0, '1f1b6d6d-e999-48d1-9d4d-293d56ab26ec', 53, NULL, '2026-11-19T15:29:19.031Z', NULL, NULL, '[]', 0, '[]', 0, 0, NULL, NULL, NULL, NULL, 0, 0, 0);
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 1, 'session:config', '{"type":"session:config","config":{"options":[{"id":"mode","name":"Permissions","description":"When the guide asks before it changes something.","category":"mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask first","description":"Asks before each edit and each command."},{"value":"edits","name":"Allow edits","description":"Edits files without asking; asks before commands."},{"value":"all","name":"Allow everything","description":"Edits files and runs commands without asking."},{"value":"read","name":"Read only","description":"Refuses edits and commands."}]},{"id":"voice","name":"Voice","description":"How detailed the answers are.","category":"_voice","type":"select","currentValue":"brief","options":[{"value":"brief","name":"Brief","description":"Short answers."},{"value":"detailed","name":"Detailed","description":"Answers with examples and background."}]},{"id":"thoughts","name":"Think aloud","description":"Shows a thought before each answer.","type":"boolean","currentValue":false}],"commands":[],"usage":null},"sessionId":"builtin:14cf8ad7-9771-4ad4-8a8a-269c843c8652","seq":1}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 2, 'session:config', '{"type":"session:config","config":{"options":[{"id":"mode","name":"Permissions","description":"When the guide asks before it changes something.","category":"mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask first","description":"Asks before each edit and each command."},{"value":"edits","name":"Allow edits","description":"Edits files without asking; asks before commands."},{"value":"all","name":"Allow everything","description":"Edits files and runs commands without asking."},{"value":"read","name":"Read only","description":"Refuses edits and commands."}]},{"id":"voice","name":"Voice","description":"How detailed the answers are.","category":"_voice","type":"select","currentValue":"brief","options":[{"value":"brief","name":"Brief","description":"Short answers."},{"value":"detailed","name":"Detailed","description":"Answers with examples and background."}]},{"id":"thoughts","name":"Think aloud","description":"Shows a thought before each answer.","type":"boolean","currentValue":false}],"commands":[],"usage":null,"abilities":{"image":true,"audio":false,"embeddedContext":true,"steering":true}},"sessionId":"builtin:14cf8ad7-9771-4ad4-8a8a-269c843c8652","seq":2}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 3, 'session:config', '{"type":"session:config","config":{"options":[{"id":"mode","name":"Permissions","description":"When the guide asks before it changes something.","category":"mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask first","description":"Asks before each edit and each command."},{"value":"edits","name":"Allow edits","description":"Edits files without asking; asks before commands."},{"value":"all","name":"Allow everything","description":"Edits files and runs commands without asking."},{"value":"read","name":"Read only","description":"Refuses edits and commands."}]},{"id":"voice","name":"Voice","description":"How detailed the answers are.","category":"_voice","type":"select","currentValue":"brief","options":[{"value":"brief","name":"Brief","description":"Short answers."},{"value":"detailed","name":"Detailed","description":"Answers with examples and background."}]},{"id":"thoughts","name":"Think aloud","description":"Shows a thought before each answer.","type":"boolean","currentValue":false}],"commands":[{"name":"help","description":"Shows this page."},{"name":"list","description":"Lists the files of this directory (without .git and node_modules).","hint":"[directory]"},{"name":"read","description":"Reads a file of this directory.","hint":"<file>"},{"name":"search","description":"Looks for a text in the files of this directory.","hint":"<text>"},{"name":"edit","description":"Replaces a text in a file, after showing you the diff.","hint":"<file> \"<old>\" \"<new>\""},{"name":"run","description":"Runs a shell command here, after asking you.","hint":"<command>"},{"name":"plan","description":"Makes a plan of three steps and works through it."},{"name":"think","description":"Thinks aloud for a moment, then answers."},{"name":"ask","description":"Asks you something with a form, or asks you to visit a page.","hint":"url"},{"name":"image","description":"Paints a small picture."},{"name":"stream","description":"Streams numbered words, as fast as it can or at a steady rate.","hint":"<n> words at <m>/s"},{"name":"sleep","description":"Waits for a number of seconds, or until you cancel.","hint":"[seconds]"},{"name":"all","description":"Sends one of every kind of update, and asks one of every kind of request."},{"name":"fail","description":"Answers with an error, to see what that looks like."},{"name":"crash","description":"Ends this agent''s process in the middle of a turn."}],"usage":null,"abilities":{"image":true,"audio":false,"embeddedContext":true,"steering":true}},"sessionId":"builtin:14cf8ad7-9771-4ad4-8a8a-269c843c8652","seq":3}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 4, 'session:title-updated', '{"type":"session:title-updated","title":"stream 3 words","source":"derived","sessionId":"builtin:14cf8ad7-9771-4ad4-8a8a-269c843c8652","seq":4}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 5, 'session:update', '{"type":"session:update","entry":{"type":"user","entryId":"7318e022-783b-43b5-a97b-b88748918a42","turnId":"362f9060-f9f2-44a4-96d5-f975384862db","content":"stream 3 words","timestamp":"2026-11-19T15:29:18.340Z","commandId":"eb54c770-4b09-4cfe-a6a5-a31d338da58b"},"sessionId":"builtin:14cf8ad7-9771-4ad4-8a8a-269c843c8652","seq":5}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 6, 'session:turn', '{"type":"session:turn","turn":{"state":"running","turnId":"362f9060-f9f2-44a4-96d5-f975384862db","startedAt":"2026-11-19T15:29:18.340Z"},"sessionId":"builtin:14cf8ad7-9771-4ad4-8a8a-269c843c8652","seq":6}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 7, 'session:update', '{"type":"session:update","entry":{"entryId":"48eb7b46-8115-4037-a8f4-368ad545ea3b","turnId":"362f9060-f9f2-44a4-96d5-f975384862db","content":"w1 w2 w3","timestamp":"2026-11-19T15:29:18.476Z","messageId":"msg_1d4c6ddc-7d6a-4081-9215-75bf6e9f248b","type":"assistant"},"sessionId":"builtin:14cf8ad7-9771-4ad4-8a8a-269c843c8652","seq":7}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 8, 'session:complete', '{"type":"session:complete","entryId":"48eb7b46-8115-4037-a8f4-368ad545ea3b","sessionId":"builtin:14cf8ad7-9771-4ad4-8a8a-269c843c8652","seq":8}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 9, 'session:turn', '{"type":"session:turn","turn":{"state":"idle","turnId":"362f9060-f9f2-44a4-96d5-f975384862db","startedAt":"2026-11-19T15:29:18.340Z","stopReason":"end_turn"},"sessionId":"builtin:14cf8ad7-9771-4ad4-8a8a-269c843c8652","seq":9}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 10, 'session:update', '{"type":"session:update","entry":{"type":"user","entryId":"b3997955-0553-41bc-89c7-0194d0c21bbc","turnId":"3875ea7e-f201-4100-92ec-ae1f21ee7567","content":"run echo hi","timestamp":"2026-11-19T15:29:18.506Z","commandId":"e3143f17-ab28-4251-b841-5f01a5d30dba"},"sessionId":"builtin:14cf8ad7-9771-4ad4-8a8a-269c843c8652","seq":10}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 11, 'session:turn', '{"type":"session:turn","turn":{"state":"running","turnId":"3875ea7e-f201-4100-92ec-ae1f21ee7567","startedAt":"2026-11-19T15:29:18.506Z"},"sessionId":"builtin:14cf8ad7-9771-4ad4-8a8a-269c843c8652","seq":11}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 12, 'session:update', '{"type":"session:update","entry":{"type":"tool-call","entryId":"23481a5f-1715-4119-8b7e-86d54e02ecdc","turnId":"3875ea7e-f201-4100-92ec-ae1f21ee7567","toolCallId":"call_482229be-826f-4f2a-9456-b3d459a9eb42","name":"echo hi","status":"running","content":"","startedAt":"2026-11-19T15:29:18.561Z","kind":"execute","input":{"command":"echo hi","cwd":"/sample/projects/784611fb-e15e-455b-bdc7-9f911d1b3edd"}},"sessionId":"builtin:14cf8ad7-9771-4ad4-8a8a-269c843c8652","seq":12}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 13, 'permission:request', '{"type":"permission:request","permissionId":"1f1b6d6d-e999-48d1-9d4d-293d56ab26ec-11","toolCall":{"toolCallId":"call_482229be-826f-4f2a-9456-b3d459a9eb42","name":"echo hi","kind":"execute","input":{"command":"echo hi","cwd":"/sample/projects/784611fb-e15e-455b-bdc7-9f911d1b3edd"}},"options":[{"optionId":"allow-once","name":"Allow once","kind":"allow_once"},{"optionId":"allow-always","name":"Always allow commands in this session","kind":"allow_always"},{"optionId":"reject-once","name":"Reject","kind":"reject_once"}],"askedAt":"2026-11-19T15:29:18.567Z","offers":[{"effect":"allow","command":"echo"}],"sessionId":"builtin:14cf8ad7-9771-4ad4-8a8a-269c843c8652","seq":13}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 14, 'session:turn', '{"type":"session:turn","turn":{"state":"waiting","turnId":"3875ea7e-f201-4100-92ec-ae1f21ee7567","startedAt":"2026-11-19T15:29:18.506Z"},"sessionId":"builtin:14cf8ad7-9771-4ad4-8a8a-269c843c8652","seq":14}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 15, 'permission:resolved', '{"type":"permission:resolved","permissionId":"1f1b6d6d-e999-48d1-9d4d-293d56ab26ec-11","outcome":{"outcome":"selected","optionId":"allow-once"},"at":"2026-11-19T15:29:18.573Z","sessionId":"builtin:14cf8ad7-9771-4ad4-8a8a-269c843c8652","seq":15}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 16, 'session:turn', '{"type":"session:turn","turn":{"state":"running","turnId":"3875ea7e-f201-4100-92ec-ae1f21ee7567","startedAt":"2026-11-19T15:29:18.506Z"},"sessionId":"builtin:14cf8ad7-9771-4ad4-8a8a-269c843c8652","seq":16}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 17, 'session:update', '{"type":"session:update","entry":{"type":"tool-call","entryId":"23481a5f-1715-4119-8b7e-86d54e02ecdc","turnId":"3875ea7e-f201-4100-92ec-ae1f21ee7567","toolCallId":"call_482229be-826f-4f2a-9456-b3d459a9eb42","name":"echo hi","status":"running","content":"","startedAt":"2026-11-19T15:29:18.561Z","kind":"execute","input":{"command":"echo hi","cwd":"/sample/projects/784611fb-e15e-455b-bdc7-9f911d1b3edd"},"waitedMs":6,"parts":[{"type":"terminal","terminalId":"f8b8eb32-abc9-4b47-8732-6904778fa2ea"}]},"sessionId":"builtin:14cf8ad7-9771-4ad4-8a8a-269c843c8652","seq":17}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 18, 'session:chunk', '{"type":"session:chunk","entryId":"23481a5f-1715-4119-8b7e-86d54e02ecdc","content":"hi\n","field":"result","sessionId":"builtin:14cf8ad7-9771-4ad4-8a8a-269c843c8652","seq":18}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 19, 'session:update', '{"type":"session:update","entry":{"type":"tool-call","entryId":"23481a5f-1715-4119-8b7e-86d54e02ecdc","turnId":"3875ea7e-f201-4100-92ec-ae1f21ee7567","toolCallId":"call_482229be-826f-4f2a-9456-b3d459a9eb42","name":"echo hi","status":"complete","content":"","startedAt":"2026-11-19T15:29:18.561Z","kind":"execute","input":{"command":"echo hi","cwd":"/sample/projects/784611fb-e15e-455b-bdc7-9f911d1b3edd"},"waitedMs":6,"parts":[{"type":"terminal","terminalId":"f8b8eb32-abc9-4b47-8732-6904778fa2ea"}],"output":{"truncated":false,"exitCode":0},"result":"hi\n","endedAt":"2026-11-19T15:29:18.600Z"},"sessionId":"builtin:14cf8ad7-9771-4ad4-8a8a-269c843c8652","seq":19}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 20, 'session:update', '{"type":"session:update","entry":{"entryId":"3164b2ef-1c12-4745-afa7-610bc18a21b1","turnId":"3875ea7e-f201-4100-92ec-ae1f21ee7567","content":"The command succeeded.","timestamp":"2026-11-19T15:29:18.609Z","messageId":"msg_37d67c03-03c4-417e-a620-902d8a269a58","type":"assistant"},"sessionId":"builtin:14cf8ad7-9771-4ad4-8a8a-269c843c8652","seq":20}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 21, 'session:complete', '{"type":"session:complete","entryId":"3164b2ef-1c12-4745-afa7-610bc18a21b1","sessionId":"builtin:14cf8ad7-9771-4ad4-8a8a-269c843c8652","seq":21}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 22, 'session:turn', '{"type":"session:turn","turn":{"state":"idle","turnId":"3875ea7e-f201-4100-92ec-ae1f21ee7567","startedAt":"2026-11-19T15:29:18.506Z","stopReason":"end_turn"},"sessionId":"builtin:14cf8ad7-9771-4ad4-8a8a-269c843c8652","seq":22}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 23, 'session:update', '{"type":"session:update","entry":{"type":"user","entryId":"f071ac29-2e74-4f4a-a747-98b38942d6bb","turnId":"0fe65fc2-2718-44fe-b71a-fbc2ee21c849","content":"plan","timestamp":"2026-11-19T15:29:18.616Z","commandId":"1f0f2ead-cd24-446d-b4f3-347348ceba9b"},"sessionId":"builtin:14cf8ad7-9771-4ad4-8a8a-269c843c8652","seq":23}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 24, 'session:turn', '{"type":"session:turn","turn":{"state":"running","turnId":"0fe65fc2-2718-44fe-b71a-fbc2ee21c849","startedAt":"2026-11-19T15:29:18.616Z"},"sessionId":"builtin:14cf8ad7-9771-4ad4-8a8a-269c843c8652","seq":24}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 25, 'session:update', '{"type":"session:update","entry":{"entryId":"a3bfd8f8-601a-4b03-a84f-2ac3fc5d8dd7","turnId":"0fe65fc2-2718-44fe-b71a-fbc2ee21c849","content":"Here is my plan.","timestamp":"2026-11-19T15:29:18.664Z","messageId":"msg_bb98062b-ca03-41dc-9ca9-fd1feb4ff203","type":"assistant"},"sessionId":"builtin:14cf8ad7-9771-4ad4-8a8a-269c843c8652","seq":25}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 26, 'session:complete', '{"type":"session:complete","entryId":"a3bfd8f8-601a-4b03-a84f-2ac3fc5d8dd7","sessionId":"builtin:14cf8ad7-9771-4ad4-8a8a-269c843c8652","seq":26}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 27, 'session:update', '{"type":"session:update","entry":{"type":"plan","entryId":"1201da71-90d5-49af-a3b6-816ef2d1fa9a","turnId":"0fe65fc2-2718-44fe-b71a-fbc2ee21c849","content":"- [ ] Write the steps down\n- [ ] Work through them one by one\n- [ ] Look back at what was done","items":[{"content":"Write the steps down","priority":"high","status":"in_progress"},{"content":"Work through them one by one","priority":"medium","status":"pending"},{"content":"Look back at what was done","priority":"low","status":"pending"}]},"sessionId":"builtin:14cf8ad7-9771-4ad4-8a8a-269c843c8652","seq":27}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 28, 'session:update', '{"type":"session:update","entry":{"type":"plan","entryId":"1201da71-90d5-49af-a3b6-816ef2d1fa9a","turnId":"0fe65fc2-2718-44fe-b71a-fbc2ee21c849","content":"- [x] Write the steps down\n- [ ] Work through them one by one\n- [ ] Look back at what was done","items":[{"content":"Write the steps down","priority":"high","status":"completed"},{"content":"Work through them one by one","priority":"medium","status":"in_progress"},{"content":"Look back at what was done","priority":"low","status":"pending"}]},"sessionId":"builtin:14cf8ad7-9771-4ad4-8a8a-269c843c8652","seq":28}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 29, 'session:update', '{"type":"session:update","entry":{"type":"plan","entryId":"1201da71-90d5-49af-a3b6-816ef2d1fa9a","turnId":"0fe65fc2-2718-44fe-b71a-fbc2ee21c849","content":"- [x] Write the steps down\n- [x] Work through them one by one\n- [ ] Look back at what was done","items":[{"content":"Write the steps down","priority":"high","status":"completed"},{"content":"Work through them one by one","priority":"medium","status":"completed"},{"content":"Look back at what was done","priority":"low","status":"in_progress"}]},"sessionId":"builtin:14cf8ad7-9771-4ad4-8a8a-269c843c8652","seq":29}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 30, 'session:update', '{"type":"session:update","entry":{"type":"plan","entryId":"1201da71-90d5-49af-a3b6-816ef2d1fa9a","turnId":"0fe65fc2-2718-44fe-b71a-fbc2ee21c849","content":"- [x] Write the steps down\n- [x] Work through them one by one\n- [x] Look back at what was done","items":[{"content":"Write the steps down","priority":"high","status":"completed"},{"content":"Work through them one by one","priority":"medium","status":"completed"},{"content":"Look back at what was done","priority":"low","status":"completed"}]},"sessionId":"builtin:14cf8ad7-9771-4ad4-8a8a-269c843c8652","seq":30}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 31, 'session:update', '{"type":"session:update","entry":{"entryId":"c6998deb-345e-4b54-9add-ff1425380de2","turnId":"0fe65fc2-2718-44fe-b71a-fbc2ee21c849","content":"Done.","timestamp":"2026-11-19T15:29:18.906Z","messageId":"msg_baa2f806-6240-42e3-bc71-27d7d2efac82","type":"assistant"},"sessionId":"builtin:14cf8ad7-9771-4ad4-8a8a-269c843c8652","seq":31}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 32, 'session:complete', '{"type":"session:complete","entryId":"c6998deb-345e-4b54-9add-ff1425380de2","sessionId":"builtin:14cf8ad7-9771-4ad4-8a8a-269c843c8652","seq":32}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 33, 'session:turn', '{"type":"session:turn","turn":{"state":"idle","turnId":"0fe65fc2-2718-44fe-b71a-fbc2ee21c849","startedAt":"2026-11-19T15:29:18.616Z","stopReason":"end_turn"},"sessionId":"builtin:14cf8ad7-9771-4ad4-8a8a-269c843c8652","seq":33}');
INSERT INTO fact (session_key, seq, type, json) VALUES (2, 1, 'session:config', '{"type":"session:config","config":{"options":[],"commands":[{"name":"help","description":"Shows this page."},{"name":"list","description":"Lists the files of this directory (without .git and node_modules).","hint":"[directory]"},{"name":"read","description":"Reads a file of this directory.","hint":"<file>"},{"name":"search","description":"Looks for a text in the files of this directory.","hint":"<text>"},{"name":"edit","description":"Replaces a text in a file, after showing you the diff.","hint":"<file> \"<old>\" \"<new>\""},{"name":"run","description":"Runs a shell command here, after asking you.","hint":"<command>"},{"name":"plan","description":"Makes a plan of three steps and works through it."},{"name":"think","description":"Thinks aloud for a moment, then answers."},{"name":"ask","description":"Asks you something with a form, or asks you to visit a page.","hint":"url"},{"name":"image","description":"Paints a small picture."},{"name":"stream","description":"Streams numbered words, as fast as it can or at a steady rate.","hint":"<n> words at <m>/s"},{"name":"sleep","description":"Waits for a number of seconds, or until you cancel.","hint":"[seconds]"},{"name":"all","description":"Sends one of every kind of update, and asks one of every kind of request."},{"name":"fail","description":"Answers with an error, to see what that looks like."},{"name":"crash","description":"Ends this agent''s process in the middle of a turn."}],"usage":null},"sessionId":"builtin:b04362d9-4452-4ac3-8e12-819f03d09c46","seq":1}');
INSERT INTO fact (session_key, seq, type, json) VALUES (2, 2, 'session:config', '{"type":"session:config","config":{"options":[{"id":"mode","name":"Permissions","description":"When the guide asks before it changes something.","category":"mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask first","description":"Asks before each edit and each command."},{"value":"edits","name":"Allow edits","description":"Edits files without asking; asks before commands."},{"value":"all","name":"Allow everything","description":"Edits files and runs commands without asking."},{"value":"read","name":"Read only","description":"Refuses edits and commands."}]},{"id":"voice","name":"Voice","description":"How detailed the answers are.","category":"_voice","type":"select","currentValue":"brief","options":[{"value":"brief","name":"Brief","description":"Short answers."},{"value":"detailed","name":"Detailed","description":"Answers with examples and background."}]},{"id":"thoughts","name":"Think aloud","description":"Shows a thought before each answer.","type":"boolean","currentValue":false}],"commands":[{"name":"help","description":"Shows this page."},{"name":"list","description":"Lists the files of this directory (without .git and node_modules).","hint":"[directory]"},{"name":"read","description":"Reads a file of this directory.","hint":"<file>"},{"name":"search","description":"Looks for a text in the files of this directory.","hint":"<text>"},{"name":"edit","description":"Replaces a text in a file, after showing you the diff.","hint":"<file> \"<old>\" \"<new>\""},{"name":"run","description":"Runs a shell command here, after asking you.","hint":"<command>"},{"name":"plan","description":"Makes a plan of three steps and works through it."},{"name":"think","description":"Thinks aloud for a moment, then answers."},{"name":"ask","description":"Asks you something with a form, or asks you to visit a page.","hint":"url"},{"name":"image","description":"Paints a small picture."},{"name":"stream","description":"Streams numbered words, as fast as it can or at a steady rate.","hint":"<n> words at <m>/s"},{"name":"sleep","description":"Waits for a number of seconds, or until you cancel.","hint":"[seconds]"},{"name":"all","description":"Sends one of every kind of update, and asks one of every kind of request."},{"name":"fail","description":"Answers with an error, to see what that looks like."},{"name":"crash","description":"Ends this agent''s process in the middle of a turn."}],"usage":null},"sessionId":"builtin:b04362d9-4452-4ac3-8e12-819f03d09c46","seq":2}');
INSERT INTO fact (session_key, seq, type, json) VALUES (2, 3, 'session:config', '{"type":"session:config","config":{"options":[{"id":"mode","name":"Permissions","description":"When the guide asks before it changes something.","category":"mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask first","description":"Asks before each edit and each command."},{"value":"edits","name":"Allow edits","description":"Edits files without asking; asks before commands."},{"value":"all","name":"Allow everything","description":"Edits files and runs commands without asking."},{"value":"read","name":"Read only","description":"Refuses edits and commands."}]},{"id":"voice","name":"Voice","description":"How detailed the answers are.","category":"_voice","type":"select","currentValue":"brief","options":[{"value":"brief","name":"Brief","description":"Short answers."},{"value":"detailed","name":"Detailed","description":"Answers with examples and background."}]},{"id":"thoughts","name":"Think aloud","description":"Shows a thought before each answer.","type":"boolean","currentValue":false}],"commands":[{"name":"help","description":"Shows this page."},{"name":"list","description":"Lists the files of this directory (without .git and node_modules).","hint":"[directory]"},{"name":"read","description":"Reads a file of this directory.","hint":"<file>"},{"name":"search","description":"Looks for a text in the files of this directory.","hint":"<text>"},{"name":"edit","description":"Replaces a text in a file, after showing you the diff.","hint":"<file> \"<old>\" \"<new>\""},{"name":"run","description":"Runs a shell command here, after asking you.","hint":"<command>"},{"name":"plan","description":"Makes a plan of three steps and works through it."},{"name":"think","description":"Thinks aloud for a moment, then answers."},{"name":"ask","description":"Asks you something with a form, or asks you to visit a page.","hint":"url"},{"name":"image","description":"Paints a small picture."},{"name":"stream","description":"Streams numbered words, as fast as it can or at a steady rate.","hint":"<n> words at <m>/s"},{"name":"sleep","description":"Waits for a number of seconds, or until you cancel.","hint":"[seconds]"},{"name":"all","description":"Sends one of every kind of update, and asks one of every kind of request."},{"name":"fail","description":"Answers with an error, to see what that looks like."},{"name":"crash","description":"Ends this agent''s process in the middle of a turn."}],"usage":null,"abilities":{"image":true,"audio":false,"embeddedContext":true,"steering":true}},"sessionId":"builtin:b04362d9-4452-4ac3-8e12-819f03d09c46","seq":3}');
INSERT INTO fact (session_key, seq, type, json) VALUES (2, 4, 'session:title-updated', '{"type":"session:title-updated","title":"stream 100000 words at 200/s","source":"derived","sessionId":"builtin:b04362d9-4452-4ac3-8e12-819f03d09c46","seq":4}');
INSERT INTO fact (session_key, seq, type, json) VALUES (2, 5, 'session:update', '{"type":"session:update","entry":{"type":"user","entryId":"c52ebb84-0e61-465d-8bc6-fbba8c9480c2","turnId":"1ad6d02d-5593-46b8-98c1-b93b6b3e2b58","content":"stream 100000 words at 200/s","timestamp":"2026-11-19T15:29:18.936Z","commandId":"c649835b-5541-4bf4-9095-b9f29c436e16"},"sessionId":"builtin:b04362d9-4452-4ac3-8e12-819f03d09c46","seq":5}');
INSERT INTO fact (session_key, seq, type, json) VALUES (2, 6, 'session:turn', '{"type":"session:turn","turn":{"state":"running","turnId":"1ad6d02d-5593-46b8-98c1-b93b6b3e2b58","startedAt":"2026-11-19T15:29:18.936Z"},"sessionId":"builtin:b04362d9-4452-4ac3-8e12-819f03d09c46","seq":6}');
INSERT INTO fact (session_key, seq, type, json) VALUES (2, 7, 'session:update', '{"type":"session:update","entry":{"entryId":"f085afce-add0-49ef-9242-9905e4804aec","turnId":"1ad6d02d-5593-46b8-98c1-b93b6b3e2b58","content":"w1 ","timestamp":"2026-11-19T15:29:18.976Z","messageId":"msg_c85d5bde-8d3d-4bd7-af36-e81f2653af0e","type":"assistant"},"sessionId":"builtin:b04362d9-4452-4ac3-8e12-819f03d09c46","seq":7}');
INSERT INTO fact (session_key, seq, type, json) VALUES (2, 8, 'session:chunk', '{"type":"session:chunk","entryId":"f085afce-add0-49ef-9242-9905e4804aec","content":"w2 w3 w4 ","sessionId":"builtin:b04362d9-4452-4ac3-8e12-819f03d09c46","seq":8}');
INSERT INTO fact (session_key, seq, type, json) VALUES (2, 9, 'session:chunk', '{"type":"session:chunk","entryId":"f085afce-add0-49ef-9242-9905e4804aec","content":"w5 w6 w7 ","sessionId":"builtin:b04362d9-4452-4ac3-8e12-819f03d09c46","seq":9}');
INSERT INTO fact (session_key, seq, type, json) VALUES (2, 10, 'session:chunk', '{"type":"session:chunk","entryId":"f085afce-add0-49ef-9242-9905e4804aec","content":"w8 w9 w10 ","sessionId":"builtin:b04362d9-4452-4ac3-8e12-819f03d09c46","seq":10}');
INSERT INTO fact (session_key, seq, type, json) VALUES (2, 11, 'session:chunk', '{"type":"session:chunk","entryId":"f085afce-add0-49ef-9242-9905e4804aec","content":"w11 w12 w13 w14 ","sessionId":"builtin:b04362d9-4452-4ac3-8e12-819f03d09c46","seq":11}');
INSERT INTO fact (session_key, seq, type, json) VALUES (3, 1, 'session:config', '{"type":"session:config","config":{"options":[],"commands":[{"name":"help","description":"Shows this page."},{"name":"list","description":"Lists the files of this directory (without .git and node_modules).","hint":"[directory]"},{"name":"read","description":"Reads a file of this directory.","hint":"<file>"},{"name":"search","description":"Looks for a text in the files of this directory.","hint":"<text>"},{"name":"edit","description":"Replaces a text in a file, after showing you the diff.","hint":"<file> \"<old>\" \"<new>\""},{"name":"run","description":"Runs a shell command here, after asking you.","hint":"<command>"},{"name":"plan","description":"Makes a plan of three steps and works through it."},{"name":"think","description":"Thinks aloud for a moment, then answers."},{"name":"ask","description":"Asks you something with a form, or asks you to visit a page.","hint":"url"},{"name":"image","description":"Paints a small picture."},{"name":"stream","description":"Streams numbered words, as fast as it can or at a steady rate.","hint":"<n> words at <m>/s"},{"name":"sleep","description":"Waits for a number of seconds, or until you cancel.","hint":"[seconds]"},{"name":"all","description":"Sends one of every kind of update, and asks one of every kind of request."},{"name":"fail","description":"Answers with an error, to see what that looks like."},{"name":"crash","description":"Ends this agent''s process in the middle of a turn."}],"usage":null},"sessionId":"builtin:ce26585e-1d7d-45d6-aa6e-a6e4f4cc6b08","seq":1}');
INSERT INTO fact (session_key, seq, type, json) VALUES (3, 2, 'session:config', '{"type":"session:config","config":{"options":[{"id":"mode","name":"Permissions","description":"When the guide asks before it changes something.","category":"mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask first","description":"Asks before each edit and each command."},{"value":"edits","name":"Allow edits","description":"Edits files without asking; asks before commands."},{"value":"all","name":"Allow everything","description":"Edits files and runs commands without asking."},{"value":"read","name":"Read only","description":"Refuses edits and commands."}]},{"id":"voice","name":"Voice","description":"How detailed the answers are.","category":"_voice","type":"select","currentValue":"brief","options":[{"value":"brief","name":"Brief","description":"Short answers."},{"value":"detailed","name":"Detailed","description":"Answers with examples and background."}]},{"id":"thoughts","name":"Think aloud","description":"Shows a thought before each answer.","type":"boolean","currentValue":false}],"commands":[{"name":"help","description":"Shows this page."},{"name":"list","description":"Lists the files of this directory (without .git and node_modules).","hint":"[directory]"},{"name":"read","description":"Reads a file of this directory.","hint":"<file>"},{"name":"search","description":"Looks for a text in the files of this directory.","hint":"<text>"},{"name":"edit","description":"Replaces a text in a file, after showing you the diff.","hint":"<file> \"<old>\" \"<new>\""},{"name":"run","description":"Runs a shell command here, after asking you.","hint":"<command>"},{"name":"plan","description":"Makes a plan of three steps and works through it."},{"name":"think","description":"Thinks aloud for a moment, then answers."},{"name":"ask","description":"Asks you something with a form, or asks you to visit a page.","hint":"url"},{"name":"image","description":"Paints a small picture."},{"name":"stream","description":"Streams numbered words, as fast as it can or at a steady rate.","hint":"<n> words at <m>/s"},{"name":"sleep","description":"Waits for a number of seconds, or until you cancel.","hint":"[seconds]"},{"name":"all","description":"Sends one of every kind of update, and asks one of every kind of request."},{"name":"fail","description":"Answers with an error, to see what that looks like."},{"name":"crash","description":"Ends this agent''s process in the middle of a turn."}],"usage":null},"sessionId":"builtin:ce26585e-1d7d-45d6-aa6e-a6e4f4cc6b08","seq":2}');
INSERT INTO fact (session_key, seq, type, json) VALUES (3, 3, 'session:config', '{"type":"session:config","config":{"options":[{"id":"mode","name":"Permissions","description":"When the guide asks before it changes something.","category":"mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask first","description":"Asks before each edit and each command."},{"value":"edits","name":"Allow edits","description":"Edits files without asking; asks before commands."},{"value":"all","name":"Allow everything","description":"Edits files and runs commands without asking."},{"value":"read","name":"Read only","description":"Refuses edits and commands."}]},{"id":"voice","name":"Voice","description":"How detailed the answers are.","category":"_voice","type":"select","currentValue":"brief","options":[{"value":"brief","name":"Brief","description":"Short answers."},{"value":"detailed","name":"Detailed","description":"Answers with examples and background."}]},{"id":"thoughts","name":"Think aloud","description":"Shows a thought before each answer.","type":"boolean","currentValue":false}],"commands":[{"name":"help","description":"Shows this page."},{"name":"list","description":"Lists the files of this directory (without .git and node_modules).","hint":"[directory]"},{"name":"read","description":"Reads a file of this directory.","hint":"<file>"},{"name":"search","description":"Looks for a text in the files of this directory.","hint":"<text>"},{"name":"edit","description":"Replaces a text in a file, after showing you the diff.","hint":"<file> \"<old>\" \"<new>\""},{"name":"run","description":"Runs a shell command here, after asking you.","hint":"<command>"},{"name":"plan","description":"Makes a plan of three steps and works through it."},{"name":"think","description":"Thinks aloud for a moment, then answers."},{"name":"ask","description":"Asks you something with a form, or asks you to visit a page.","hint":"url"},{"name":"image","description":"Paints a small picture."},{"name":"stream","description":"Streams numbered words, as fast as it can or at a steady rate.","hint":"<n> words at <m>/s"},{"name":"sleep","description":"Waits for a number of seconds, or until you cancel.","hint":"[seconds]"},{"name":"all","description":"Sends one of every kind of update, and asks one of every kind of request."},{"name":"fail","description":"Answers with an error, to see what that looks like."},{"name":"crash","description":"Ends this agent''s process in the middle of a turn."}],"usage":null,"abilities":{"image":true,"audio":false,"embeddedContext":true,"steering":true}},"sessionId":"builtin:ce26585e-1d7d-45d6-aa6e-a6e4f4cc6b08","seq":3}');
INSERT INTO fact (session_key, seq, type, json) VALUES (3, 4, 'session:title-updated', '{"type":"session:title-updated","title":"stream 1 words","source":"derived","sessionId":"builtin:ce26585e-1d7d-45d6-aa6e-a6e4f4cc6b08","seq":4}');
INSERT INTO fact (session_key, seq, type, json) VALUES (3, 5, 'session:update', '{"type":"session:update","entry":{"type":"user","entryId":"62c4b6b3-bd3a-45a6-b1c6-7d0f7ae93b95","turnId":"9e00afdd-0e7e-421c-aba2-6e50246a3168","content":"stream 1 words","timestamp":"2026-11-19T15:29:19.009Z","commandId":"606a55e9-7bdd-4245-8d04-54bb9910826e"},"sessionId":"builtin:ce26585e-1d7d-45d6-aa6e-a6e4f4cc6b08","seq":5}');
INSERT INTO fact (session_key, seq, type, json) VALUES (3, 6, 'session:turn', '{"type":"session:turn","turn":{"state":"running","turnId":"9e00afdd-0e7e-421c-aba2-6e50246a3168","startedAt":"2026-11-19T15:29:19.009Z"},"sessionId":"builtin:ce26585e-1d7d-45d6-aa6e-a6e4f4cc6b08","seq":6}');
INSERT INTO fact (session_key, seq, type, json) VALUES (3, 7, 'session:update', '{"type":"session:update","entry":{"entryId":"e1c229d3-495e-4eab-b7f1-ae42a9558371","turnId":"9e00afdd-0e7e-421c-aba2-6e50246a3168","content":"w1","timestamp":"2026-11-19T15:29:19.030Z","messageId":"msg_8e35f8f2-032e-426b-bee5-f187c3085d84","type":"assistant"},"sessionId":"builtin:ce26585e-1d7d-45d6-aa6e-a6e4f4cc6b08","seq":7}');
INSERT INTO fact (session_key, seq, type, json) VALUES (3, 8, 'session:complete', '{"type":"session:complete","entryId":"e1c229d3-495e-4eab-b7f1-ae42a9558371","sessionId":"builtin:ce26585e-1d7d-45d6-aa6e-a6e4f4cc6b08","seq":8}');
INSERT INTO fact (session_key, seq, type, json) VALUES (3, 9, 'session:turn', '{"type":"session:turn","turn":{"state":"idle","turnId":"9e00afdd-0e7e-421c-aba2-6e50246a3168","startedAt":"2026-11-19T15:29:19.009Z","stopReason":"end_turn"},"sessionId":"builtin:ce26585e-1d7d-45d6-aa6e-a6e4f4cc6b08","seq":9}');
INSERT INTO fact (session_key, seq, type, json) VALUES (3, 10, 'session:archived', '{"type":"session:archived","sessionId":"builtin:ce26585e-1d7d-45d6-aa6e-a6e4f4cc6b08","seq":10}');
INSERT INTO entry (session_key, position, entry_id, agent_id, json) VALUES (1, 1, '7318e022-783b-43b5-a97b-b88748918a42', NULL, '{"type":"user","entryId":"7318e022-783b-43b5-a97b-b88748918a42","turnId":"362f9060-f9f2-44a4-96d5-f975384862db","content":"stream 3 words","timestamp":"2026-11-19T15:29:18.340Z","commandId":"eb54c770-4b09-4cfe-a6a5-a31d338da58b"}');
INSERT INTO entry (session_key, position, entry_id, agent_id, json) VALUES (1, 2, '48eb7b46-8115-4037-a8f4-368ad545ea3b', 'msg_1d4c6ddc-7d6a-4081-9215-75bf6e9f248b', '{"entryId":"48eb7b46-8115-4037-a8f4-368ad545ea3b","turnId":"362f9060-f9f2-44a4-96d5-f975384862db","content":"w1 w2 w3","timestamp":"2026-11-19T15:29:18.476Z","messageId":"msg_1d4c6ddc-7d6a-4081-9215-75bf6e9f248b","type":"assistant"}');
INSERT INTO entry (session_key, position, entry_id, agent_id, json) VALUES (1, 3, 'b3997955-0553-41bc-89c7-0194d0c21bbc', NULL, '{"type":"user","entryId":"b3997955-0553-41bc-89c7-0194d0c21bbc","turnId":"3875ea7e-f201-4100-92ec-ae1f21ee7567","content":"run echo hi","timestamp":"2026-11-19T15:29:18.506Z","commandId":"e3143f17-ab28-4251-b841-5f01a5d30dba"}');
INSERT INTO entry (session_key, position, entry_id, agent_id, json) VALUES (1, 4, '23481a5f-1715-4119-8b7e-86d54e02ecdc', 'call_482229be-826f-4f2a-9456-b3d459a9eb42', '{"type":"tool-call","entryId":"23481a5f-1715-4119-8b7e-86d54e02ecdc","turnId":"3875ea7e-f201-4100-92ec-ae1f21ee7567","toolCallId":"call_482229be-826f-4f2a-9456-b3d459a9eb42","name":"echo hi","status":"complete","content":"","startedAt":"2026-11-19T15:29:18.561Z","kind":"execute","input":{"command":"echo hi","cwd":"/sample/projects/784611fb-e15e-455b-bdc7-9f911d1b3edd"},"waitedMs":6,"parts":[{"type":"terminal","terminalId":"f8b8eb32-abc9-4b47-8732-6904778fa2ea"}],"output":{"truncated":false,"exitCode":0},"result":"hi\n","endedAt":"2026-11-19T15:29:18.600Z"}');
INSERT INTO entry (session_key, position, entry_id, agent_id, json) VALUES (1, 5, '3164b2ef-1c12-4745-afa7-610bc18a21b1', 'msg_37d67c03-03c4-417e-a620-902d8a269a58', '{"entryId":"3164b2ef-1c12-4745-afa7-610bc18a21b1","turnId":"3875ea7e-f201-4100-92ec-ae1f21ee7567","content":"The command succeeded.","timestamp":"2026-11-19T15:29:18.609Z","messageId":"msg_37d67c03-03c4-417e-a620-902d8a269a58","type":"assistant"}');
INSERT INTO entry (session_key, position, entry_id, agent_id, json) VALUES (1, 6, 'f071ac29-2e74-4f4a-a747-98b38942d6bb', NULL, '{"type":"user","entryId":"f071ac29-2e74-4f4a-a747-98b38942d6bb","turnId":"0fe65fc2-2718-44fe-b71a-fbc2ee21c849","content":"plan","timestamp":"2026-11-19T15:29:18.616Z","commandId":"1f0f2ead-cd24-446d-b4f3-347348ceba9b"}');
INSERT INTO entry (session_key, position, entry_id, agent_id, json) VALUES (1, 7, 'a3bfd8f8-601a-4b03-a84f-2ac3fc5d8dd7', 'msg_bb98062b-ca03-41dc-9ca9-fd1feb4ff203', '{"entryId":"a3bfd8f8-601a-4b03-a84f-2ac3fc5d8dd7","turnId":"0fe65fc2-2718-44fe-b71a-fbc2ee21c849","content":"Here is my plan.","timestamp":"2026-11-19T15:29:18.664Z","messageId":"msg_bb98062b-ca03-41dc-9ca9-fd1feb4ff203","type":"assistant"}');
INSERT INTO entry (session_key, position, entry_id, agent_id, json) VALUES (1, 8, '1201da71-90d5-49af-a3b6-816ef2d1fa9a', NULL, '{"type":"plan","entryId":"1201da71-90d5-49af-a3b6-816ef2d1fa9a","turnId":"0fe65fc2-2718-44fe-b71a-fbc2ee21c849","content":"- [x] Write the steps down\n- [x] Work through them one by one\n- [x] Look back at what was done","items":[{"content":"Write the steps down","priority":"high","status":"completed"},{"content":"Work through them one by one","priority":"medium","status":"completed"},{"content":"Look back at what was done","priority":"low","status":"completed"}]}');
INSERT INTO entry (session_key, position, entry_id, agent_id, json) VALUES (1, 9, 'c6998deb-345e-4b54-9add-ff1425380de2', 'msg_baa2f806-6240-42e3-bc71-27d7d2efac82', '{"entryId":"c6998deb-345e-4b54-9add-ff1425380de2","turnId":"0fe65fc2-2718-44fe-b71a-fbc2ee21c849","content":"Done.","timestamp":"2026-11-19T15:29:18.906Z","messageId":"msg_baa2f806-6240-42e3-bc71-27d7d2efac82","type":"assistant"}');
INSERT INTO entry (session_key, position, entry_id, agent_id, json) VALUES (3, 1, '62c4b6b3-bd3a-45a6-b1c6-7d0f7ae93b95', NULL, '{"type":"user","entryId":"62c4b6b3-bd3a-45a6-b1c6-7d0f7ae93b95","turnId":"9e00afdd-0e7e-421c-aba2-6e50246a3168","content":"stream 1 words","timestamp":"2026-11-19T15:29:19.009Z","commandId":"606a55e9-7bdd-4245-8d04-54bb9910826e"}');
INSERT INTO entry (session_key, position, entry_id, agent_id, json) VALUES (3, 2, 'e1c229d3-495e-4eab-b7f1-ae42a9558371', 'msg_8e35f8f2-032e-426b-bee5-f187c3085d84', '{"entryId":"e1c229d3-495e-4eab-b7f1-ae42a9558371","turnId":"9e00afdd-0e7e-421c-aba2-6e50246a3168","content":"w1","timestamp":"2026-11-19T15:29:19.030Z","messageId":"msg_8e35f8f2-032e-426b-bee5-f187c3085d84","type":"assistant"}');
INSERT INTO policy_mode (scope, target, mode) VALUES ('agent', 'builtin', 'ask');
INSERT INTO policy_mode (scope, target, mode) VALUES ('session', 'builtin:14cf8ad7-9771-4ad4-8a8a-269c843c8652', 'edits');
INSERT INTO policy_rule (key, id, scope, target, json) VALUES (1, 'f4d9e295-d1a5-47a0-be38-6f47bd092b8e', 'session', 'builtin:14cf8ad7-9771-4ad4-8a8a-269c843c8652', '{"effect":"allow","kind":"execute","command":"git status","id":"f4d9e295-d1a5-47a0-be38-6f47bd092b8e","createdAt":"2026-11-19T15:29:19.039Z"}');
INSERT INTO policy_rule (key, id, scope, target, json) VALUES (2, '5dbe1599-4dfe-40c7-9cbf-bfdbded915a1', 'project', '69a8c9ef-85cc-46a1-8e07-77eda9de7175', '{"effect":"allow","kind":"execute","command":"npm test","id":"5dbe1599-4dfe-40c7-9cbf-bfdbded915a1","createdAt":"2026-11-19T15:29:19.047Z"}');
INSERT INTO policy_rule (key, id, scope, target, json) VALUES (3, 'cd4f994b-6c56-4911-97d2-8c76239eaf6c', 'agent', 'builtin', '{"effect":"allow","kind":"execute","command":"ls","id":"cd4f994b-6c56-4911-97d2-8c76239eaf6c","createdAt":"2026-11-19T15:29:19.050Z"}');
INSERT INTO permission_record (key, session_key, permission_id, asked_at, tool_call, options, answered, answered_by, answered_at, why) VALUES (1, 1, '1f1b6d6d-e999-48d1-9d4d-293d56ab26ec-11', '2026-11-19T15:29:18.567Z', '{"toolCallId":"call_482229be-826f-4f2a-9456-b3d459a9eb42","name":"echo hi","kind":"execute","input":{"command":"echo hi","cwd":"/sample/projects/784611fb-e15e-455b-bdc7-9f911d1b3edd"}}', '[{"optionId":"allow-once","name":"Allow once","kind":"allow_once"},{"optionId":"allow-always","name":"Always allow commands in this session","kind":"allow_always"},{"optionId":"reject-once","name":"Reject","kind":"reject_once"}]', 'allowed', 'user', '2026-11-19T15:29:18.573Z', NULL);
INSERT INTO search_text (key, session_key, entry_id, kind, at) VALUES (1000000000001, 1, '', 'title', NULL);
INSERT INTO search_text (key, session_key, entry_id, kind, at) VALUES (1000000000002, 1, '7318e022-783b-43b5-a97b-b88748918a42', 'user', '2026-11-19T15:29:18.340Z');
INSERT INTO search_text (key, session_key, entry_id, kind, at) VALUES (1000000000003, 1, '48eb7b46-8115-4037-a8f4-368ad545ea3b', 'assistant', '2026-11-19T15:29:18.476Z');
INSERT INTO search_text (key, session_key, entry_id, kind, at) VALUES (1000000000004, 1, 'b3997955-0553-41bc-89c7-0194d0c21bbc', 'user', '2026-11-19T15:29:18.506Z');
INSERT INTO search_text (key, session_key, entry_id, kind, at) VALUES (1000000000005, 1, '23481a5f-1715-4119-8b7e-86d54e02ecdc', 'tool-call', '2026-11-19T15:29:18.561Z');
INSERT INTO search_text (key, session_key, entry_id, kind, at) VALUES (1000000000006, 1, '3164b2ef-1c12-4745-afa7-610bc18a21b1', 'assistant', '2026-11-19T15:29:18.609Z');
INSERT INTO search_text (key, session_key, entry_id, kind, at) VALUES (1000000000007, 1, 'f071ac29-2e74-4f4a-a747-98b38942d6bb', 'user', '2026-11-19T15:29:18.616Z');
INSERT INTO search_text (key, session_key, entry_id, kind, at) VALUES (1000000000008, 1, 'a3bfd8f8-601a-4b03-a84f-2ac3fc5d8dd7', 'assistant', '2026-11-19T15:29:18.664Z');
INSERT INTO search_text (key, session_key, entry_id, kind, at) VALUES (1000000000009, 1, '1201da71-90d5-49af-a3b6-816ef2d1fa9a', 'plan', '2026-11-19T15:29:18.907Z');
INSERT INTO search_text (key, session_key, entry_id, kind, at) VALUES (1000000000010, 1, 'c6998deb-345e-4b54-9add-ff1425380de2', 'assistant', '2026-11-19T15:29:18.906Z');
INSERT INTO search_text (key, session_key, entry_id, kind, at) VALUES (1000000000011, 2, '', 'title', NULL);
INSERT INTO search_text (key, session_key, entry_id, kind, at) VALUES (1000000000012, 3, '', 'title', NULL);
INSERT INTO search_text (key, session_key, entry_id, kind, at) VALUES (1000000000013, 3, '62c4b6b3-bd3a-45a6-b1c6-7d0f7ae93b95', 'user', '2026-11-19T15:29:19.009Z');
INSERT INTO search_text (key, session_key, entry_id, kind, at) VALUES (1000000000014, 3, 'e1c229d3-495e-4eab-b7f1-ae42a9558371', 'assistant', '2026-11-19T15:29:19.030Z');
INSERT INTO search_index (rowid, text) VALUES (1000000000001, 'stream 3 words');
INSERT INTO search_index (rowid, text) VALUES (1000000000002, 'stream 3 words');
INSERT INTO search_index (rowid, text) VALUES (1000000000003, 'w1 w2 w3');
INSERT INTO search_index (rowid, text) VALUES (1000000000004, 'run echo hi');
INSERT INTO search_index (rowid, text) VALUES (1000000000005, 'echo hi
/sample/projects/784611fb-e15e-455b-bdc7-9f911d1b3edd
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
INSERT INTO agent_session (cli_type, agent_session_id, session_key) VALUES ('builtin', 'guide_23f0e94b-c625-407f-a8a6-8e4050b113aa', 3);
INSERT INTO agent_session (cli_type, agent_session_id, session_key) VALUES ('builtin', 'guide_7a2a514c-258c-4827-a780-cd2d7af7dbb7', 2);
INSERT INTO agent_session (cli_type, agent_session_id, session_key) VALUES ('builtin', 'guide_94a5ef62-f7b9-4bc9-a2ba-58ebc4de4d5b', 1);
INSERT INTO device (id, secret_hash, token_mark, name, created_at, last_seen_at, revoked, person_id) VALUES ('program85d2e62ad57a', 'IqkAHI0-S8qY59IvnvufQBNBAYDzGzWyp7gLeADxcbc', 'BGsJijT140c8', 'Bun', '2026-11-19T15:29:19.052Z', '2026-11-19T15:29:19.052Z', 0, NULL);
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
PRAGMA user_version = 18;
