-- migration sha256 42478de222e0f9bc
-- device cookie program5b096f6545e5.ws_yJIlkFms2vWeIgEmswv_NNLRkSDjHRKb4TKpzhsc
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
, email TEXT) STRICT;
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
CREATE UNIQUE INDEX person_by_email ON person (email);
INSERT INTO project (id, path, name, added_at, position, removed, last_place) VALUES ('3151bd5a-afd0-4d19-ad15-db9855661b60', '/sample/projects/9a7b4fb5-24ec-414b-9062-72a66ef58bff', '9a7b4fb5-24ec-414b-9062-72a66ef58bff', '2026-11-19T21:40:28.479Z', 1, 0, NULL);
INSERT INTO session (key, id, project_id, cli_type, title, created_at, last_active_at, archived, turn, unfinished, parent_id, agent_session_id, agent_session_at, cwd, agent_state, agent_state_at, last_seq, kept_from_seq, snapshot_seq, snapshot, next_position, draft, attention_seq, seen_seq, usage, adopted, armed_waits, process_id, heard, cancelling, agent_seen_at, changes, worktree, answers, pinned, labels, dismissed, marked_unread, pause, away, origin, attempt, inherited, copying, sub_agents) VALUES (1, 'builtin:1b2b5d61-92e8-4e35-9bc4-d5e353af0fe2', '3151bd5a-afd0-4d19-ad15-db9855661b60', 'builtin', 'stream 3 words', '2026-11-19T21:40:28.771Z', '2026-11-19T21:40:29.271Z', 0, '{"state":"idle","turnId":"6ab52c80-8896-485c-9096-67dd7423eab9","startedAt":"2026-11-19T21:40:28.986Z","stopReason":"end_turn"}', 0, NULL, 'guide_94be8755-1543-4047-ba72-132edcf3234c', '2026-11-19T21:40:28.771Z', '/sample/projects/9a7b4fb5-24ec-414b-9062-72a66ef58bff', 'idle', '2026-11-19T21:40:29.271Z', 33, 1, 33, '{"seq":33,"titleSource":"derived","pending":[],"visits":[],"queue":[],"queuePaused":false,"config":{"options":[{"id":"mode","name":"Permissions","description":"When the guide asks before it changes something.","category":"mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask first","description":"Asks before each edit and each command."},{"value":"edits","name":"Allow edits","description":"Edits files without asking; asks before commands."},{"value":"all","name":"Allow everything","description":"Edits files and runs commands without asking."},{"value":"read","name":"Read only","description":"Refuses edits and commands."}]},{"id":"voice","name":"Voice","description":"How detailed the answers are.","category":"_voice","type":"select","currentValue":"brief","options":[{"value":"brief","name":"Brief","description":"Short answers."},{"value":"detailed","name":"Detailed","description":"Answers with examples and background."}]},{"id":"thoughts","name":"Think aloud","description":"Shows a thought before each answer.","type":"boolean","currentValue":false}],"commands":[{"name":"help","description":"Shows this page."},{"name":"list","description":"Lists the files of this directory (without .git and node_modules).","hint":"[directory]"},{"name":"read","description":"Reads a file of this directory.","hint":"<file>"},{"name":"search","description":"Looks for a text in the files of this directory.","hint":"<text>"},{"name":"edit","description":"Replaces a text in a file, after showing you the diff.","hint":"<file> \"<old>\" \"<new>\""},{"name":"run","description":"Runs a shell command here, after asking you.","hint":"<command>"},{"name":"plan","description":"Makes a plan of three steps and works through it."},{"name":"think","description":"Thinks aloud for a moment, then answers."},{"name":"ask","description":"Asks you something with a form, or asks you to visit a page.","hint":"url"},{"name":"image","description":"Paints a small picture."},{"name":"stream","description":"Streams numbered words, as fast as it can or at a steady rate.","hint":"<n> words at <m>/s"},{"name":"sleep","description":"Waits for a number of seconds, or until you cancel.","hint":"[seconds]"},{"name":"all","description":"Sends one of every kind of update, and asks one of every kind of request."},{"name":"fail","description":"Answers with an error, to see what that looks like."},{"name":"crash","description":"Ends this agent''s process in the middle of a turn."}],"usage":null,"abilities":{"image":true,"audio":false,"embeddedContext":true,"steering":true}},"waits":[],"agentNotes":[],"toldNotes":[],"subAgentCalls":[],"primer":null,"title":"stream 3 words","archived":false,"turn":{"state":"idle","turnId":"6ab52c80-8896-485c-9096-67dd7423eab9","startedAt":"2026-11-19T21:40:28.986Z","stopReason":"end_turn"},"changes":null,"worktree":null,"pause":null,"away":null,"pinned":false,"labels":[],"dismissed":false,"open":[]}', 10, 'a draft', 33, 0, NULL, 0, 0, 'ef6ebaee-9a24-469b-873a-e49b6e7fd847', 32, NULL, '2026-11-19T21:40:29.271Z', NULL, NULL, '[]', 0, '[]', 0, 0, NULL, NULL, NULL, NULL, 0, 0, 0);
INSERT INTO session (key, id, project_id, cli_type, title, created_at, last_active_at, archived, turn, unfinished, parent_id, agent_session_id, agent_session_at, cwd, agent_state, agent_state_at, last_seq, kept_from_seq, snapshot_seq, snapshot, next_position, draft, attention_seq, seen_seq, usage, adopted, armed_waits, process_id, heard, cancelling, agent_seen_at, changes, worktree, answers, pinned, labels, dismissed, marked_unread, pause, away, origin, attempt, inherited, copying, sub_agents) VALUES (2, 'builtin:5c5077ea-ecfe-4515-a17d-c80ccc57639a', '3151bd5a-afd0-4d19-ad15-db9855661b60', 'builtin', 'stream 100000 words at 200/s', '2026-11-19T21:40:29.310Z', '2026-11-19T21:40:29.502Z', 0, '{"state":"running","turnId":"c09c4c54-cb35-46fd-9463-433ca8975ae7","startedAt":"2026-11-19T21:40:29.341Z"}', 1, NULL, 'guide_346f543a-56a5-49ee-a303-f21951fc02bb', '2026-11-19T21:40:29.310Z', '/sample/projects/9a7b4fb5-24ec-414b-9062-72a66ef58bff', 'active', '2026-11-19T21:40:29.341Z', 11, 1, 3, '{"seq":3,"titleSource":"none","pending":[],"visits":[],"queue":[],"queuePaused":false,"config":{"options":[{"id":"mode","name":"Permissions","description":"When the guide asks before it changes something.","category":"mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask first","description":"Asks before each edit and each command."},{"value":"edits","name":"Allow edits","description":"Edits files without asking; asks before commands."},{"value":"all","name":"Allow everything","description":"Edits files and runs commands without asking."},{"value":"read","name":"Read only","description":"Refuses edits and commands."}]},{"id":"voice","name":"Voice","description":"How detailed the answers are.","category":"_voice","type":"select","currentValue":"brief","options":[{"value":"brief","name":"Brief","description":"Short answers."},{"value":"detailed","name":"Detailed","description":"Answers with examples and background."}]},{"id":"thoughts","name":"Think aloud","description":"Shows a thought before each answer.","type":"boolean","currentValue":false}],"commands":[{"name":"help","description":"Shows this page."},{"name":"list","description":"Lists the files of this directory (without .git and node_modules).","hint":"[directory]"},{"name":"read","description":"Reads a file of this directory.","hint":"<file>"},{"name":"search","description":"Looks for a text in the files of this directory.","hint":"<text>"},{"name":"edit","description":"Replaces a text in a file, after showing you the diff.","hint":"<file> \"<old>\" \"<new>\""},{"name":"run","description":"Runs a shell command here, after asking you.","hint":"<command>"},{"name":"plan","description":"Makes a plan of three steps and works through it."},{"name":"think","description":"Thinks aloud for a moment, then answers."},{"name":"ask","description":"Asks you something with a form, or asks you to visit a page.","hint":"url"},{"name":"image","description":"Paints a small picture."},{"name":"stream","description":"Streams numbered words, as fast as it can or at a steady rate.","hint":"<n> words at <m>/s"},{"name":"sleep","description":"Waits for a number of seconds, or until you cancel.","hint":"[seconds]"},{"name":"all","description":"Sends one of every kind of update, and asks one of every kind of request."},{"name":"fail","description":"Answers with an error, to see what that looks like."},{"name":"crash","description":"Ends this agent''s process in the middle of a turn."}],"usage":null,"abilities":{"image":true,"audio":false,"embeddedContext":true,"steering":true}},"waits":[],"agentNotes":[],"toldNotes":[],"subAgentCalls":[],"primer":null,"title":"New Session","archived":false,"turn":{"state":"idle"},"changes":null,"worktree":null,"pause":null,"away":null,"pinned":false,"labels":[],"dismissed":false,"open":[]}', 1, '', 0, 0, NULL, 0, 0, 'ef6ebaee-9a24-469b-873a-e49b6e7fd847', 56, NULL, '2026-11-19T21:40:29.310Z', NULL, NULL, '[]', 0, '[]', 0, 0, NULL, NULL, NULL, NULL, 0, 0, 0);
INSERT INTO session (key, id, project_id, cli_type, title, created_at, last_active_at, archived, turn, unfinished, parent_id, agent_session_id, agent_session_at, cwd, agent_state, agent_state_at, last_seq, kept_from_seq, snapshot_seq, snapshot, next_position, draft, attention_seq, seen_seq, usage, adopted, armed_waits, process_id, heard, cancelling, agent_seen_at, changes, worktree, answers, pinned, labels, dismissed, marked_unread, pause, away, origin, attempt, inherited, copying, sub_agents) VALUES (3, 'builtin:cdc81c31-3fec-47f7-8dba-f4b19fa871d3', '3151bd5a-afd0-4d19-ad15-db9855661b60', 'builtin', 'stream 1 words', '2026-11-19T21:40:29.450Z', '2026-11-19T21:40:29.473Z', 1, '{"state":"idle","turnId":"0777019c-b74e-4ddc-8e60-f7d77c0dd905","startedAt":"2026-11-19T21:40:29.456Z","stopReason":"end_turn"}', 0, NULL, 'guide_df2a3a2a-140e-456f-b1cc-58c0138a2f56', '2026-11-19T21:40:29.450Z', '/sample/projects/9a7b4fb5-24ec-414b-9062-72a66ef58bff', 'closed', '2026-11-19T21:40:29.481Z', 10, 1, 10, '{"seq":10,"titleSource":"derived","pending":[],"visits":[],"queue":[],"queuePaused":false,"config":{"options":[{"id":"mode","name":"Permissions","description":"When the guide asks before it changes something.","category":"mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask first","description":"Asks before each edit and each command."},{"value":"edits","name":"Allow edits","description":"Edits files without asking; asks before commands."},{"value":"all","name":"Allow everything","description":"Edits files and runs commands without asking."},{"value":"read","name":"Read only","description":"Refuses edits and commands."}]},{"id":"voice","name":"Voice","description":"How detailed the answers are.","category":"_voice","type":"select","currentValue":"brief","options":[{"value":"brief","name":"Brief","description":"Short answers."},{"value":"detailed","name":"Detailed","description":"Answers with examples and background."}]},{"id":"thoughts","name":"Think aloud","description":"Shows a thought before each answer.","type":"boolean","currentValue":false}],"commands":[{"name":"help","description":"Shows this page."},{"name":"list","description":"Lists the files of this directory (without .git and node_modules).","hint":"[directory]"},{"name":"read","description":"Reads a file of this directory.","hint":"<file>"},{"name":"search","description":"Looks for a text in the files of this directory.","hint":"<text>"},{"name":"edit","description":"Replaces a text in a file, after showing you the diff.","hint":"<file> \"<old>\" \"<new>\""},{"name":"run","description":"Runs a shell command here, after asking you.","hint":"<command>"},{"name":"plan","description":"Makes a plan of three steps and works through it."},{"name":"think","description":"Thinks aloud for a moment, then answers."},{"name":"ask","description":"Asks you something with a form, or asks you to visit a page.","hint":"url"},{"name":"image","description":"Paints a small picture."},{"name":"stream","description":"Streams numbered words, as fast as it can or at a steady rate.","hint":"<n> words at <m>/s"},{"name":"sleep","description":"Waits for a number of seconds, or until you cancel.","hint":"[seconds]"},{"name":"all","description":"Sends one of every kind of update, and asks one of every kind of request."},{"name":"fail","description":"Answers with an error, to see what that looks like."},{"name":"crash","description":"Ends this agent''s process in the middle of a turn."}],"usage":null,"abilities":{"image":true,"audio":false,"embeddedContext":true,"steering":true}},"waits":[],"agentNotes":[],"toldNotes":[],"subAgentCalls":[],"primer":null,"title":"stream 1 words","archived":true,"turn":{"state":"idle","turnId":"0777019c-b74e-4ddc-8e60-f7d77c0dd905","startedAt":"2026-11-19T21:40:29.456Z","stopReason":"end_turn"},"changes":null,"worktree":null,"pause":null,"away":null,"pinned":false,"labels":[],"dismissed":false,"open":[]}', 3, '', 9, 0, NULL, 0, 0, 'ef6ebaee-9a24-469b-873a-e49b6e7fd847', 51, NULL, '2026-11-19T21:40:29.473Z', NULL, NULL, '[]', 0, '[]', 0, 0, NULL, NULL, NULL, NULL, 0, 0, 0);
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 1, 'session:config', '{"type":"session:config","config":{"options":[{"id":"mode","name":"Permissions","description":"When the guide asks before it changes something.","category":"mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask first","description":"Asks before each edit and each command."},{"value":"edits","name":"Allow edits","description":"Edits files without asking; asks before commands."},{"value":"all","name":"Allow everything","description":"Edits files and runs commands without asking."},{"value":"read","name":"Read only","description":"Refuses edits and commands."}]},{"id":"voice","name":"Voice","description":"How detailed the answers are.","category":"_voice","type":"select","currentValue":"brief","options":[{"value":"brief","name":"Brief","description":"Short answers."},{"value":"detailed","name":"Detailed","description":"Answers with examples and background."}]},{"id":"thoughts","name":"Think aloud","description":"Shows a thought before each answer.","type":"boolean","currentValue":false}],"commands":[],"usage":null},"sessionId":"builtin:1b2b5d61-92e8-4e35-9bc4-d5e353af0fe2","seq":1}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 2, 'session:config', '{"type":"session:config","config":{"options":[{"id":"mode","name":"Permissions","description":"When the guide asks before it changes something.","category":"mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask first","description":"Asks before each edit and each command."},{"value":"edits","name":"Allow edits","description":"Edits files without asking; asks before commands."},{"value":"all","name":"Allow everything","description":"Edits files and runs commands without asking."},{"value":"read","name":"Read only","description":"Refuses edits and commands."}]},{"id":"voice","name":"Voice","description":"How detailed the answers are.","category":"_voice","type":"select","currentValue":"brief","options":[{"value":"brief","name":"Brief","description":"Short answers."},{"value":"detailed","name":"Detailed","description":"Answers with examples and background."}]},{"id":"thoughts","name":"Think aloud","description":"Shows a thought before each answer.","type":"boolean","currentValue":false}],"commands":[],"usage":null,"abilities":{"image":true,"audio":false,"embeddedContext":true,"steering":true}},"sessionId":"builtin:1b2b5d61-92e8-4e35-9bc4-d5e353af0fe2","seq":2}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 3, 'session:config', '{"type":"session:config","config":{"options":[{"id":"mode","name":"Permissions","description":"When the guide asks before it changes something.","category":"mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask first","description":"Asks before each edit and each command."},{"value":"edits","name":"Allow edits","description":"Edits files without asking; asks before commands."},{"value":"all","name":"Allow everything","description":"Edits files and runs commands without asking."},{"value":"read","name":"Read only","description":"Refuses edits and commands."}]},{"id":"voice","name":"Voice","description":"How detailed the answers are.","category":"_voice","type":"select","currentValue":"brief","options":[{"value":"brief","name":"Brief","description":"Short answers."},{"value":"detailed","name":"Detailed","description":"Answers with examples and background."}]},{"id":"thoughts","name":"Think aloud","description":"Shows a thought before each answer.","type":"boolean","currentValue":false}],"commands":[{"name":"help","description":"Shows this page."},{"name":"list","description":"Lists the files of this directory (without .git and node_modules).","hint":"[directory]"},{"name":"read","description":"Reads a file of this directory.","hint":"<file>"},{"name":"search","description":"Looks for a text in the files of this directory.","hint":"<text>"},{"name":"edit","description":"Replaces a text in a file, after showing you the diff.","hint":"<file> \"<old>\" \"<new>\""},{"name":"run","description":"Runs a shell command here, after asking you.","hint":"<command>"},{"name":"plan","description":"Makes a plan of three steps and works through it."},{"name":"think","description":"Thinks aloud for a moment, then answers."},{"name":"ask","description":"Asks you something with a form, or asks you to visit a page.","hint":"url"},{"name":"image","description":"Paints a small picture."},{"name":"stream","description":"Streams numbered words, as fast as it can or at a steady rate.","hint":"<n> words at <m>/s"},{"name":"sleep","description":"Waits for a number of seconds, or until you cancel.","hint":"[seconds]"},{"name":"all","description":"Sends one of every kind of update, and asks one of every kind of request."},{"name":"fail","description":"Answers with an error, to see what that looks like."},{"name":"crash","description":"Ends this agent''s process in the middle of a turn."}],"usage":null,"abilities":{"image":true,"audio":false,"embeddedContext":true,"steering":true}},"sessionId":"builtin:1b2b5d61-92e8-4e35-9bc4-d5e353af0fe2","seq":3}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 4, 'session:title-updated', '{"type":"session:title-updated","title":"stream 3 words","source":"derived","sessionId":"builtin:1b2b5d61-92e8-4e35-9bc4-d5e353af0fe2","seq":4}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 5, 'session:update', '{"type":"session:update","entry":{"type":"user","entryId":"134c7804-5caf-4442-a1e8-880690898167","turnId":"b9f71efb-dc0e-4d6c-b762-7841af78aae8","content":"stream 3 words","timestamp":"2026-11-19T21:40:28.826Z","commandId":"b25fb26a-6b1f-4ecd-a0b6-ddaf5a6af617"},"sessionId":"builtin:1b2b5d61-92e8-4e35-9bc4-d5e353af0fe2","seq":5}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 6, 'session:turn', '{"type":"session:turn","turn":{"state":"running","turnId":"b9f71efb-dc0e-4d6c-b762-7841af78aae8","startedAt":"2026-11-19T21:40:28.826Z"},"sessionId":"builtin:1b2b5d61-92e8-4e35-9bc4-d5e353af0fe2","seq":6}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 7, 'session:update', '{"type":"session:update","entry":{"entryId":"3cd7afbc-2566-44e4-8f27-5cf5bbcdc329","turnId":"b9f71efb-dc0e-4d6c-b762-7841af78aae8","content":"w1 w2 w3","timestamp":"2026-11-19T21:40:28.909Z","messageId":"msg_0c531fae-dceb-409e-a8fb-0e032bbaae73","type":"assistant"},"sessionId":"builtin:1b2b5d61-92e8-4e35-9bc4-d5e353af0fe2","seq":7}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 8, 'session:complete', '{"type":"session:complete","entryId":"3cd7afbc-2566-44e4-8f27-5cf5bbcdc329","sessionId":"builtin:1b2b5d61-92e8-4e35-9bc4-d5e353af0fe2","seq":8}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 9, 'session:turn', '{"type":"session:turn","turn":{"state":"idle","turnId":"b9f71efb-dc0e-4d6c-b762-7841af78aae8","startedAt":"2026-11-19T21:40:28.826Z","stopReason":"end_turn"},"sessionId":"builtin:1b2b5d61-92e8-4e35-9bc4-d5e353af0fe2","seq":9}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 10, 'session:update', '{"type":"session:update","entry":{"type":"user","entryId":"e777d6b1-3cdd-4a27-bdfc-584aa3aa7f3e","turnId":"499d4d0b-5a60-4cf2-a260-a9b909d5c975","content":"run echo hi","timestamp":"2026-11-19T21:40:28.918Z","commandId":"a4949285-62ce-4536-9440-f04204794cce"},"sessionId":"builtin:1b2b5d61-92e8-4e35-9bc4-d5e353af0fe2","seq":10}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 11, 'session:turn', '{"type":"session:turn","turn":{"state":"running","turnId":"499d4d0b-5a60-4cf2-a260-a9b909d5c975","startedAt":"2026-11-19T21:40:28.918Z"},"sessionId":"builtin:1b2b5d61-92e8-4e35-9bc4-d5e353af0fe2","seq":11}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 12, 'session:update', '{"type":"session:update","entry":{"type":"tool-call","entryId":"6b5140ca-de8f-4d8d-9d03-bfa792d35626","turnId":"499d4d0b-5a60-4cf2-a260-a9b909d5c975","toolCallId":"call_043265dc-b651-47bc-9699-7cf5b495082d","name":"echo hi","status":"running","content":"","startedAt":"2026-11-19T21:40:28.957Z","kind":"execute","input":{"command":"echo hi","cwd":"/sample/projects/9a7b4fb5-24ec-414b-9062-72a66ef58bff"}},"sessionId":"builtin:1b2b5d61-92e8-4e35-9bc4-d5e353af0fe2","seq":12}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 13, 'permission:request', '{"type":"permission:request","permissionId":"ef6ebaee-9a24-469b-873a-e49b6e7fd847-11","toolCall":{"toolCallId":"call_043265dc-b651-47bc-9699-7cf5b495082d","name":"echo hi","kind":"execute","input":{"command":"echo hi","cwd":"/sample/projects/9a7b4fb5-24ec-414b-9062-72a66ef58bff"}},"options":[{"optionId":"allow-once","name":"Allow once","kind":"allow_once"},{"optionId":"allow-always","name":"Always allow commands in this session","kind":"allow_always"},{"optionId":"reject-once","name":"Reject","kind":"reject_once"}],"askedAt":"2026-11-19T21:40:28.961Z","offers":[{"effect":"allow","command":"echo"}],"sessionId":"builtin:1b2b5d61-92e8-4e35-9bc4-d5e353af0fe2","seq":13}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 14, 'session:turn', '{"type":"session:turn","turn":{"state":"waiting","turnId":"499d4d0b-5a60-4cf2-a260-a9b909d5c975","startedAt":"2026-11-19T21:40:28.918Z"},"sessionId":"builtin:1b2b5d61-92e8-4e35-9bc4-d5e353af0fe2","seq":14}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 15, 'permission:resolved', '{"type":"permission:resolved","permissionId":"ef6ebaee-9a24-469b-873a-e49b6e7fd847-11","outcome":{"outcome":"selected","optionId":"allow-once"},"at":"2026-11-19T21:40:28.965Z","sessionId":"builtin:1b2b5d61-92e8-4e35-9bc4-d5e353af0fe2","seq":15}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 16, 'session:turn', '{"type":"session:turn","turn":{"state":"running","turnId":"499d4d0b-5a60-4cf2-a260-a9b909d5c975","startedAt":"2026-11-19T21:40:28.918Z"},"sessionId":"builtin:1b2b5d61-92e8-4e35-9bc4-d5e353af0fe2","seq":16}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 17, 'session:update', '{"type":"session:update","entry":{"type":"tool-call","entryId":"6b5140ca-de8f-4d8d-9d03-bfa792d35626","turnId":"499d4d0b-5a60-4cf2-a260-a9b909d5c975","toolCallId":"call_043265dc-b651-47bc-9699-7cf5b495082d","name":"echo hi","status":"running","content":"","startedAt":"2026-11-19T21:40:28.957Z","kind":"execute","input":{"command":"echo hi","cwd":"/sample/projects/9a7b4fb5-24ec-414b-9062-72a66ef58bff"},"waitedMs":4,"parts":[{"type":"terminal","terminalId":"21ecaa5b-a0cd-4611-84ed-efef58670aef"}]},"sessionId":"builtin:1b2b5d61-92e8-4e35-9bc4-d5e353af0fe2","seq":17}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 18, 'session:chunk', '{"type":"session:chunk","entryId":"6b5140ca-de8f-4d8d-9d03-bfa792d35626","content":"hi\n","field":"result","sessionId":"builtin:1b2b5d61-92e8-4e35-9bc4-d5e353af0fe2","seq":18}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 19, 'session:update', '{"type":"session:update","entry":{"type":"tool-call","entryId":"6b5140ca-de8f-4d8d-9d03-bfa792d35626","turnId":"499d4d0b-5a60-4cf2-a260-a9b909d5c975","toolCallId":"call_043265dc-b651-47bc-9699-7cf5b495082d","name":"echo hi","status":"complete","content":"","startedAt":"2026-11-19T21:40:28.957Z","kind":"execute","input":{"command":"echo hi","cwd":"/sample/projects/9a7b4fb5-24ec-414b-9062-72a66ef58bff"},"waitedMs":4,"parts":[{"type":"terminal","terminalId":"21ecaa5b-a0cd-4611-84ed-efef58670aef"}],"output":{"truncated":false,"exitCode":0},"result":"hi\n","endedAt":"2026-11-19T21:40:28.977Z"},"sessionId":"builtin:1b2b5d61-92e8-4e35-9bc4-d5e353af0fe2","seq":19}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 20, 'session:update', '{"type":"session:update","entry":{"entryId":"20ae4775-26cb-424f-bcff-57b0cb3fd3f3","turnId":"499d4d0b-5a60-4cf2-a260-a9b909d5c975","content":"The command succeeded.","timestamp":"2026-11-19T21:40:28.978Z","messageId":"msg_0f80c449-bf8e-4451-9452-59ddc96bffc2","type":"assistant"},"sessionId":"builtin:1b2b5d61-92e8-4e35-9bc4-d5e353af0fe2","seq":20}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 21, 'session:complete', '{"type":"session:complete","entryId":"20ae4775-26cb-424f-bcff-57b0cb3fd3f3","sessionId":"builtin:1b2b5d61-92e8-4e35-9bc4-d5e353af0fe2","seq":21}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 22, 'session:turn', '{"type":"session:turn","turn":{"state":"idle","turnId":"499d4d0b-5a60-4cf2-a260-a9b909d5c975","startedAt":"2026-11-19T21:40:28.918Z","stopReason":"end_turn"},"sessionId":"builtin:1b2b5d61-92e8-4e35-9bc4-d5e353af0fe2","seq":22}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 23, 'session:update', '{"type":"session:update","entry":{"type":"user","entryId":"07e574a1-c616-4dcb-9127-8619b46f0e1c","turnId":"6ab52c80-8896-485c-9096-67dd7423eab9","content":"plan","timestamp":"2026-11-19T21:40:28.986Z","commandId":"ec430f31-8881-4925-91a4-d6904ab47c9e"},"sessionId":"builtin:1b2b5d61-92e8-4e35-9bc4-d5e353af0fe2","seq":23}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 24, 'session:turn', '{"type":"session:turn","turn":{"state":"running","turnId":"6ab52c80-8896-485c-9096-67dd7423eab9","startedAt":"2026-11-19T21:40:28.986Z"},"sessionId":"builtin:1b2b5d61-92e8-4e35-9bc4-d5e353af0fe2","seq":24}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 25, 'session:update', '{"type":"session:update","entry":{"entryId":"cbde0852-b88c-42c6-b300-fb56984107b9","turnId":"6ab52c80-8896-485c-9096-67dd7423eab9","content":"Here is my plan.","timestamp":"2026-11-19T21:40:29.027Z","messageId":"msg_f15cfa8f-f3d3-4076-a329-a632e05ff101","type":"assistant"},"sessionId":"builtin:1b2b5d61-92e8-4e35-9bc4-d5e353af0fe2","seq":25}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 26, 'session:complete', '{"type":"session:complete","entryId":"cbde0852-b88c-42c6-b300-fb56984107b9","sessionId":"builtin:1b2b5d61-92e8-4e35-9bc4-d5e353af0fe2","seq":26}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 27, 'session:update', '{"type":"session:update","entry":{"type":"plan","entryId":"33ecffef-92fa-4a57-8fe9-70d953d78ca5","turnId":"6ab52c80-8896-485c-9096-67dd7423eab9","content":"- [ ] Write the steps down\n- [ ] Work through them one by one\n- [ ] Look back at what was done","items":[{"content":"Write the steps down","priority":"high","status":"in_progress"},{"content":"Work through them one by one","priority":"medium","status":"pending"},{"content":"Look back at what was done","priority":"low","status":"pending"}]},"sessionId":"builtin:1b2b5d61-92e8-4e35-9bc4-d5e353af0fe2","seq":27}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 28, 'session:update', '{"type":"session:update","entry":{"type":"plan","entryId":"33ecffef-92fa-4a57-8fe9-70d953d78ca5","turnId":"6ab52c80-8896-485c-9096-67dd7423eab9","content":"- [x] Write the steps down\n- [ ] Work through them one by one\n- [ ] Look back at what was done","items":[{"content":"Write the steps down","priority":"high","status":"completed"},{"content":"Work through them one by one","priority":"medium","status":"in_progress"},{"content":"Look back at what was done","priority":"low","status":"pending"}]},"sessionId":"builtin:1b2b5d61-92e8-4e35-9bc4-d5e353af0fe2","seq":28}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 29, 'session:update', '{"type":"session:update","entry":{"type":"plan","entryId":"33ecffef-92fa-4a57-8fe9-70d953d78ca5","turnId":"6ab52c80-8896-485c-9096-67dd7423eab9","content":"- [x] Write the steps down\n- [x] Work through them one by one\n- [ ] Look back at what was done","items":[{"content":"Write the steps down","priority":"high","status":"completed"},{"content":"Work through them one by one","priority":"medium","status":"completed"},{"content":"Look back at what was done","priority":"low","status":"in_progress"}]},"sessionId":"builtin:1b2b5d61-92e8-4e35-9bc4-d5e353af0fe2","seq":29}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 30, 'session:update', '{"type":"session:update","entry":{"type":"plan","entryId":"33ecffef-92fa-4a57-8fe9-70d953d78ca5","turnId":"6ab52c80-8896-485c-9096-67dd7423eab9","content":"- [x] Write the steps down\n- [x] Work through them one by one\n- [x] Look back at what was done","items":[{"content":"Write the steps down","priority":"high","status":"completed"},{"content":"Work through them one by one","priority":"medium","status":"completed"},{"content":"Look back at what was done","priority":"low","status":"completed"}]},"sessionId":"builtin:1b2b5d61-92e8-4e35-9bc4-d5e353af0fe2","seq":30}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 31, 'session:update', '{"type":"session:update","entry":{"entryId":"855d791d-c741-4f3b-871e-fca0c97cb06e","turnId":"6ab52c80-8896-485c-9096-67dd7423eab9","content":"Done.","timestamp":"2026-11-19T21:40:29.271Z","messageId":"msg_7b7356b2-0138-4454-ad14-6fff415ca55d","type":"assistant"},"sessionId":"builtin:1b2b5d61-92e8-4e35-9bc4-d5e353af0fe2","seq":31}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 32, 'session:complete', '{"type":"session:complete","entryId":"855d791d-c741-4f3b-871e-fca0c97cb06e","sessionId":"builtin:1b2b5d61-92e8-4e35-9bc4-d5e353af0fe2","seq":32}');
INSERT INTO fact (session_key, seq, type, json) VALUES (1, 33, 'session:turn', '{"type":"session:turn","turn":{"state":"idle","turnId":"6ab52c80-8896-485c-9096-67dd7423eab9","startedAt":"2026-11-19T21:40:28.986Z","stopReason":"end_turn"},"sessionId":"builtin:1b2b5d61-92e8-4e35-9bc4-d5e353af0fe2","seq":33}');
INSERT INTO fact (session_key, seq, type, json) VALUES (2, 1, 'session:config', '{"type":"session:config","config":{"options":[],"commands":[{"name":"help","description":"Shows this page."},{"name":"list","description":"Lists the files of this directory (without .git and node_modules).","hint":"[directory]"},{"name":"read","description":"Reads a file of this directory.","hint":"<file>"},{"name":"search","description":"Looks for a text in the files of this directory.","hint":"<text>"},{"name":"edit","description":"Replaces a text in a file, after showing you the diff.","hint":"<file> \"<old>\" \"<new>\""},{"name":"run","description":"Runs a shell command here, after asking you.","hint":"<command>"},{"name":"plan","description":"Makes a plan of three steps and works through it."},{"name":"think","description":"Thinks aloud for a moment, then answers."},{"name":"ask","description":"Asks you something with a form, or asks you to visit a page.","hint":"url"},{"name":"image","description":"Paints a small picture."},{"name":"stream","description":"Streams numbered words, as fast as it can or at a steady rate.","hint":"<n> words at <m>/s"},{"name":"sleep","description":"Waits for a number of seconds, or until you cancel.","hint":"[seconds]"},{"name":"all","description":"Sends one of every kind of update, and asks one of every kind of request."},{"name":"fail","description":"Answers with an error, to see what that looks like."},{"name":"crash","description":"Ends this agent''s process in the middle of a turn."}],"usage":null},"sessionId":"builtin:5c5077ea-ecfe-4515-a17d-c80ccc57639a","seq":1}');
INSERT INTO fact (session_key, seq, type, json) VALUES (2, 2, 'session:config', '{"type":"session:config","config":{"options":[{"id":"mode","name":"Permissions","description":"When the guide asks before it changes something.","category":"mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask first","description":"Asks before each edit and each command."},{"value":"edits","name":"Allow edits","description":"Edits files without asking; asks before commands."},{"value":"all","name":"Allow everything","description":"Edits files and runs commands without asking."},{"value":"read","name":"Read only","description":"Refuses edits and commands."}]},{"id":"voice","name":"Voice","description":"How detailed the answers are.","category":"_voice","type":"select","currentValue":"brief","options":[{"value":"brief","name":"Brief","description":"Short answers."},{"value":"detailed","name":"Detailed","description":"Answers with examples and background."}]},{"id":"thoughts","name":"Think aloud","description":"Shows a thought before each answer.","type":"boolean","currentValue":false}],"commands":[{"name":"help","description":"Shows this page."},{"name":"list","description":"Lists the files of this directory (without .git and node_modules).","hint":"[directory]"},{"name":"read","description":"Reads a file of this directory.","hint":"<file>"},{"name":"search","description":"Looks for a text in the files of this directory.","hint":"<text>"},{"name":"edit","description":"Replaces a text in a file, after showing you the diff.","hint":"<file> \"<old>\" \"<new>\""},{"name":"run","description":"Runs a shell command here, after asking you.","hint":"<command>"},{"name":"plan","description":"Makes a plan of three steps and works through it."},{"name":"think","description":"Thinks aloud for a moment, then answers."},{"name":"ask","description":"Asks you something with a form, or asks you to visit a page.","hint":"url"},{"name":"image","description":"Paints a small picture."},{"name":"stream","description":"Streams numbered words, as fast as it can or at a steady rate.","hint":"<n> words at <m>/s"},{"name":"sleep","description":"Waits for a number of seconds, or until you cancel.","hint":"[seconds]"},{"name":"all","description":"Sends one of every kind of update, and asks one of every kind of request."},{"name":"fail","description":"Answers with an error, to see what that looks like."},{"name":"crash","description":"Ends this agent''s process in the middle of a turn."}],"usage":null},"sessionId":"builtin:5c5077ea-ecfe-4515-a17d-c80ccc57639a","seq":2}');
INSERT INTO fact (session_key, seq, type, json) VALUES (2, 3, 'session:config', '{"type":"session:config","config":{"options":[{"id":"mode","name":"Permissions","description":"When the guide asks before it changes something.","category":"mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask first","description":"Asks before each edit and each command."},{"value":"edits","name":"Allow edits","description":"Edits files without asking; asks before commands."},{"value":"all","name":"Allow everything","description":"Edits files and runs commands without asking."},{"value":"read","name":"Read only","description":"Refuses edits and commands."}]},{"id":"voice","name":"Voice","description":"How detailed the answers are.","category":"_voice","type":"select","currentValue":"brief","options":[{"value":"brief","name":"Brief","description":"Short answers."},{"value":"detailed","name":"Detailed","description":"Answers with examples and background."}]},{"id":"thoughts","name":"Think aloud","description":"Shows a thought before each answer.","type":"boolean","currentValue":false}],"commands":[{"name":"help","description":"Shows this page."},{"name":"list","description":"Lists the files of this directory (without .git and node_modules).","hint":"[directory]"},{"name":"read","description":"Reads a file of this directory.","hint":"<file>"},{"name":"search","description":"Looks for a text in the files of this directory.","hint":"<text>"},{"name":"edit","description":"Replaces a text in a file, after showing you the diff.","hint":"<file> \"<old>\" \"<new>\""},{"name":"run","description":"Runs a shell command here, after asking you.","hint":"<command>"},{"name":"plan","description":"Makes a plan of three steps and works through it."},{"name":"think","description":"Thinks aloud for a moment, then answers."},{"name":"ask","description":"Asks you something with a form, or asks you to visit a page.","hint":"url"},{"name":"image","description":"Paints a small picture."},{"name":"stream","description":"Streams numbered words, as fast as it can or at a steady rate.","hint":"<n> words at <m>/s"},{"name":"sleep","description":"Waits for a number of seconds, or until you cancel.","hint":"[seconds]"},{"name":"all","description":"Sends one of every kind of update, and asks one of every kind of request."},{"name":"fail","description":"Answers with an error, to see what that looks like."},{"name":"crash","description":"Ends this agent''s process in the middle of a turn."}],"usage":null,"abilities":{"image":true,"audio":false,"embeddedContext":true,"steering":true}},"sessionId":"builtin:5c5077ea-ecfe-4515-a17d-c80ccc57639a","seq":3}');
INSERT INTO fact (session_key, seq, type, json) VALUES (2, 4, 'session:title-updated', '{"type":"session:title-updated","title":"stream 100000 words at 200/s","source":"derived","sessionId":"builtin:5c5077ea-ecfe-4515-a17d-c80ccc57639a","seq":4}');
INSERT INTO fact (session_key, seq, type, json) VALUES (2, 5, 'session:update', '{"type":"session:update","entry":{"type":"user","entryId":"20bd8b66-a1e0-46f2-8a7b-9c55f4948e6a","turnId":"c09c4c54-cb35-46fd-9463-433ca8975ae7","content":"stream 100000 words at 200/s","timestamp":"2026-11-19T21:40:29.341Z","commandId":"3d40381b-13d2-44fa-8785-bde3fd8a81c8"},"sessionId":"builtin:5c5077ea-ecfe-4515-a17d-c80ccc57639a","seq":5}');
INSERT INTO fact (session_key, seq, type, json) VALUES (2, 6, 'session:turn', '{"type":"session:turn","turn":{"state":"running","turnId":"c09c4c54-cb35-46fd-9463-433ca8975ae7","startedAt":"2026-11-19T21:40:29.341Z"},"sessionId":"builtin:5c5077ea-ecfe-4515-a17d-c80ccc57639a","seq":6}');
INSERT INTO fact (session_key, seq, type, json) VALUES (2, 7, 'session:update', '{"type":"session:update","entry":{"entryId":"e189f805-38b6-4586-a0d0-9830d30c8244","turnId":"c09c4c54-cb35-46fd-9463-433ca8975ae7","content":"w1 ","timestamp":"2026-11-19T21:40:29.428Z","messageId":"msg_142e058a-229a-44ff-bd11-7014222e92bd","type":"assistant"},"sessionId":"builtin:5c5077ea-ecfe-4515-a17d-c80ccc57639a","seq":7}');
INSERT INTO fact (session_key, seq, type, json) VALUES (2, 8, 'session:chunk', '{"type":"session:chunk","entryId":"e189f805-38b6-4586-a0d0-9830d30c8244","content":"w2 w3 w4 ","sessionId":"builtin:5c5077ea-ecfe-4515-a17d-c80ccc57639a","seq":8}');
INSERT INTO fact (session_key, seq, type, json) VALUES (2, 9, 'session:chunk', '{"type":"session:chunk","entryId":"e189f805-38b6-4586-a0d0-9830d30c8244","content":"w5 ","sessionId":"builtin:5c5077ea-ecfe-4515-a17d-c80ccc57639a","seq":9}');
INSERT INTO fact (session_key, seq, type, json) VALUES (2, 10, 'session:chunk', '{"type":"session:chunk","entryId":"e189f805-38b6-4586-a0d0-9830d30c8244","content":"w6 w7 w8 w9 ","sessionId":"builtin:5c5077ea-ecfe-4515-a17d-c80ccc57639a","seq":10}');
INSERT INTO fact (session_key, seq, type, json) VALUES (2, 11, 'session:chunk', '{"type":"session:chunk","entryId":"e189f805-38b6-4586-a0d0-9830d30c8244","content":"w10 w11 w12 ","sessionId":"builtin:5c5077ea-ecfe-4515-a17d-c80ccc57639a","seq":11}');
INSERT INTO fact (session_key, seq, type, json) VALUES (3, 1, 'session:config', '{"type":"session:config","config":{"options":[],"commands":[{"name":"help","description":"Shows this page."},{"name":"list","description":"Lists the files of this directory (without .git and node_modules).","hint":"[directory]"},{"name":"read","description":"Reads a file of this directory.","hint":"<file>"},{"name":"search","description":"Looks for a text in the files of this directory.","hint":"<text>"},{"name":"edit","description":"Replaces a text in a file, after showing you the diff.","hint":"<file> \"<old>\" \"<new>\""},{"name":"run","description":"Runs a shell command here, after asking you.","hint":"<command>"},{"name":"plan","description":"Makes a plan of three steps and works through it."},{"name":"think","description":"Thinks aloud for a moment, then answers."},{"name":"ask","description":"Asks you something with a form, or asks you to visit a page.","hint":"url"},{"name":"image","description":"Paints a small picture."},{"name":"stream","description":"Streams numbered words, as fast as it can or at a steady rate.","hint":"<n> words at <m>/s"},{"name":"sleep","description":"Waits for a number of seconds, or until you cancel.","hint":"[seconds]"},{"name":"all","description":"Sends one of every kind of update, and asks one of every kind of request."},{"name":"fail","description":"Answers with an error, to see what that looks like."},{"name":"crash","description":"Ends this agent''s process in the middle of a turn."}],"usage":null},"sessionId":"builtin:cdc81c31-3fec-47f7-8dba-f4b19fa871d3","seq":1}');
INSERT INTO fact (session_key, seq, type, json) VALUES (3, 2, 'session:config', '{"type":"session:config","config":{"options":[{"id":"mode","name":"Permissions","description":"When the guide asks before it changes something.","category":"mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask first","description":"Asks before each edit and each command."},{"value":"edits","name":"Allow edits","description":"Edits files without asking; asks before commands."},{"value":"all","name":"Allow everything","description":"Edits files and runs commands without asking."},{"value":"read","name":"Read only","description":"Refuses edits and commands."}]},{"id":"voice","name":"Voice","description":"How detailed the answers are.","category":"_voice","type":"select","currentValue":"brief","options":[{"value":"brief","name":"Brief","description":"Short answers."},{"value":"detailed","name":"Detailed","description":"Answers with examples and background."}]},{"id":"thoughts","name":"Think aloud","description":"Shows a thought before each answer.","type":"boolean","currentValue":false}],"commands":[{"name":"help","description":"Shows this page."},{"name":"list","description":"Lists the files of this directory (without .git and node_modules).","hint":"[directory]"},{"name":"read","description":"Reads a file of this directory.","hint":"<file>"},{"name":"search","description":"Looks for a text in the files of this directory.","hint":"<text>"},{"name":"edit","description":"Replaces a text in a file, after showing you the diff.","hint":"<file> \"<old>\" \"<new>\""},{"name":"run","description":"Runs a shell command here, after asking you.","hint":"<command>"},{"name":"plan","description":"Makes a plan of three steps and works through it."},{"name":"think","description":"Thinks aloud for a moment, then answers."},{"name":"ask","description":"Asks you something with a form, or asks you to visit a page.","hint":"url"},{"name":"image","description":"Paints a small picture."},{"name":"stream","description":"Streams numbered words, as fast as it can or at a steady rate.","hint":"<n> words at <m>/s"},{"name":"sleep","description":"Waits for a number of seconds, or until you cancel.","hint":"[seconds]"},{"name":"all","description":"Sends one of every kind of update, and asks one of every kind of request."},{"name":"fail","description":"Answers with an error, to see what that looks like."},{"name":"crash","description":"Ends this agent''s process in the middle of a turn."}],"usage":null},"sessionId":"builtin:cdc81c31-3fec-47f7-8dba-f4b19fa871d3","seq":2}');
INSERT INTO fact (session_key, seq, type, json) VALUES (3, 3, 'session:config', '{"type":"session:config","config":{"options":[{"id":"mode","name":"Permissions","description":"When the guide asks before it changes something.","category":"mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask first","description":"Asks before each edit and each command."},{"value":"edits","name":"Allow edits","description":"Edits files without asking; asks before commands."},{"value":"all","name":"Allow everything","description":"Edits files and runs commands without asking."},{"value":"read","name":"Read only","description":"Refuses edits and commands."}]},{"id":"voice","name":"Voice","description":"How detailed the answers are.","category":"_voice","type":"select","currentValue":"brief","options":[{"value":"brief","name":"Brief","description":"Short answers."},{"value":"detailed","name":"Detailed","description":"Answers with examples and background."}]},{"id":"thoughts","name":"Think aloud","description":"Shows a thought before each answer.","type":"boolean","currentValue":false}],"commands":[{"name":"help","description":"Shows this page."},{"name":"list","description":"Lists the files of this directory (without .git and node_modules).","hint":"[directory]"},{"name":"read","description":"Reads a file of this directory.","hint":"<file>"},{"name":"search","description":"Looks for a text in the files of this directory.","hint":"<text>"},{"name":"edit","description":"Replaces a text in a file, after showing you the diff.","hint":"<file> \"<old>\" \"<new>\""},{"name":"run","description":"Runs a shell command here, after asking you.","hint":"<command>"},{"name":"plan","description":"Makes a plan of three steps and works through it."},{"name":"think","description":"Thinks aloud for a moment, then answers."},{"name":"ask","description":"Asks you something with a form, or asks you to visit a page.","hint":"url"},{"name":"image","description":"Paints a small picture."},{"name":"stream","description":"Streams numbered words, as fast as it can or at a steady rate.","hint":"<n> words at <m>/s"},{"name":"sleep","description":"Waits for a number of seconds, or until you cancel.","hint":"[seconds]"},{"name":"all","description":"Sends one of every kind of update, and asks one of every kind of request."},{"name":"fail","description":"Answers with an error, to see what that looks like."},{"name":"crash","description":"Ends this agent''s process in the middle of a turn."}],"usage":null,"abilities":{"image":true,"audio":false,"embeddedContext":true,"steering":true}},"sessionId":"builtin:cdc81c31-3fec-47f7-8dba-f4b19fa871d3","seq":3}');
INSERT INTO fact (session_key, seq, type, json) VALUES (3, 4, 'session:title-updated', '{"type":"session:title-updated","title":"stream 1 words","source":"derived","sessionId":"builtin:cdc81c31-3fec-47f7-8dba-f4b19fa871d3","seq":4}');
INSERT INTO fact (session_key, seq, type, json) VALUES (3, 5, 'session:update', '{"type":"session:update","entry":{"type":"user","entryId":"14672992-3741-4c44-8740-69ccd0f646bd","turnId":"0777019c-b74e-4ddc-8e60-f7d77c0dd905","content":"stream 1 words","timestamp":"2026-11-19T21:40:29.456Z","commandId":"e9173b3c-ab65-43c4-9e45-40aa47f5f6ed"},"sessionId":"builtin:cdc81c31-3fec-47f7-8dba-f4b19fa871d3","seq":5}');
INSERT INTO fact (session_key, seq, type, json) VALUES (3, 6, 'session:turn', '{"type":"session:turn","turn":{"state":"running","turnId":"0777019c-b74e-4ddc-8e60-f7d77c0dd905","startedAt":"2026-11-19T21:40:29.456Z"},"sessionId":"builtin:cdc81c31-3fec-47f7-8dba-f4b19fa871d3","seq":6}');
INSERT INTO fact (session_key, seq, type, json) VALUES (3, 7, 'session:update', '{"type":"session:update","entry":{"entryId":"00638cb0-233d-478b-91a5-b6adf18aa2f5","turnId":"0777019c-b74e-4ddc-8e60-f7d77c0dd905","content":"w1","timestamp":"2026-11-19T21:40:29.473Z","messageId":"msg_b31fc125-9f9b-4676-a4a3-705fd3260934","type":"assistant"},"sessionId":"builtin:cdc81c31-3fec-47f7-8dba-f4b19fa871d3","seq":7}');
INSERT INTO fact (session_key, seq, type, json) VALUES (3, 8, 'session:complete', '{"type":"session:complete","entryId":"00638cb0-233d-478b-91a5-b6adf18aa2f5","sessionId":"builtin:cdc81c31-3fec-47f7-8dba-f4b19fa871d3","seq":8}');
INSERT INTO fact (session_key, seq, type, json) VALUES (3, 9, 'session:turn', '{"type":"session:turn","turn":{"state":"idle","turnId":"0777019c-b74e-4ddc-8e60-f7d77c0dd905","startedAt":"2026-11-19T21:40:29.456Z","stopReason":"end_turn"},"sessionId":"builtin:cdc81c31-3fec-47f7-8dba-f4b19fa871d3","seq":9}');
INSERT INTO fact (session_key, seq, type, json) VALUES (3, 10, 'session:archived', '{"type":"session:archived","sessionId":"builtin:cdc81c31-3fec-47f7-8dba-f4b19fa871d3","seq":10}');
INSERT INTO entry (session_key, position, entry_id, agent_id, json) VALUES (1, 1, '134c7804-5caf-4442-a1e8-880690898167', NULL, '{"type":"user","entryId":"134c7804-5caf-4442-a1e8-880690898167","turnId":"b9f71efb-dc0e-4d6c-b762-7841af78aae8","content":"stream 3 words","timestamp":"2026-11-19T21:40:28.826Z","commandId":"b25fb26a-6b1f-4ecd-a0b6-ddaf5a6af617"}');
INSERT INTO entry (session_key, position, entry_id, agent_id, json) VALUES (1, 2, '3cd7afbc-2566-44e4-8f27-5cf5bbcdc329', 'msg_0c531fae-dceb-409e-a8fb-0e032bbaae73', '{"entryId":"3cd7afbc-2566-44e4-8f27-5cf5bbcdc329","turnId":"b9f71efb-dc0e-4d6c-b762-7841af78aae8","content":"w1 w2 w3","timestamp":"2026-11-19T21:40:28.909Z","messageId":"msg_0c531fae-dceb-409e-a8fb-0e032bbaae73","type":"assistant"}');
INSERT INTO entry (session_key, position, entry_id, agent_id, json) VALUES (1, 3, 'e777d6b1-3cdd-4a27-bdfc-584aa3aa7f3e', NULL, '{"type":"user","entryId":"e777d6b1-3cdd-4a27-bdfc-584aa3aa7f3e","turnId":"499d4d0b-5a60-4cf2-a260-a9b909d5c975","content":"run echo hi","timestamp":"2026-11-19T21:40:28.918Z","commandId":"a4949285-62ce-4536-9440-f04204794cce"}');
INSERT INTO entry (session_key, position, entry_id, agent_id, json) VALUES (1, 4, '6b5140ca-de8f-4d8d-9d03-bfa792d35626', 'call_043265dc-b651-47bc-9699-7cf5b495082d', '{"type":"tool-call","entryId":"6b5140ca-de8f-4d8d-9d03-bfa792d35626","turnId":"499d4d0b-5a60-4cf2-a260-a9b909d5c975","toolCallId":"call_043265dc-b651-47bc-9699-7cf5b495082d","name":"echo hi","status":"complete","content":"","startedAt":"2026-11-19T21:40:28.957Z","kind":"execute","input":{"command":"echo hi","cwd":"/sample/projects/9a7b4fb5-24ec-414b-9062-72a66ef58bff"},"waitedMs":4,"parts":[{"type":"terminal","terminalId":"21ecaa5b-a0cd-4611-84ed-efef58670aef"}],"output":{"truncated":false,"exitCode":0},"result":"hi\n","endedAt":"2026-11-19T21:40:28.977Z"}');
INSERT INTO entry (session_key, position, entry_id, agent_id, json) VALUES (1, 5, '20ae4775-26cb-424f-bcff-57b0cb3fd3f3', 'msg_0f80c449-bf8e-4451-9452-59ddc96bffc2', '{"entryId":"20ae4775-26cb-424f-bcff-57b0cb3fd3f3","turnId":"499d4d0b-5a60-4cf2-a260-a9b909d5c975","content":"The command succeeded.","timestamp":"2026-11-19T21:40:28.978Z","messageId":"msg_0f80c449-bf8e-4451-9452-59ddc96bffc2","type":"assistant"}');
INSERT INTO entry (session_key, position, entry_id, agent_id, json) VALUES (1, 6, '07e574a1-c616-4dcb-9127-8619b46f0e1c', NULL, '{"type":"user","entryId":"07e574a1-c616-4dcb-9127-8619b46f0e1c","turnId":"6ab52c80-8896-485c-9096-67dd7423eab9","content":"plan","timestamp":"2026-11-19T21:40:28.986Z","commandId":"ec430f31-8881-4925-91a4-d6904ab47c9e"}');
INSERT INTO entry (session_key, position, entry_id, agent_id, json) VALUES (1, 7, 'cbde0852-b88c-42c6-b300-fb56984107b9', 'msg_f15cfa8f-f3d3-4076-a329-a632e05ff101', '{"entryId":"cbde0852-b88c-42c6-b300-fb56984107b9","turnId":"6ab52c80-8896-485c-9096-67dd7423eab9","content":"Here is my plan.","timestamp":"2026-11-19T21:40:29.027Z","messageId":"msg_f15cfa8f-f3d3-4076-a329-a632e05ff101","type":"assistant"}');
INSERT INTO entry (session_key, position, entry_id, agent_id, json) VALUES (1, 8, '33ecffef-92fa-4a57-8fe9-70d953d78ca5', NULL, '{"type":"plan","entryId":"33ecffef-92fa-4a57-8fe9-70d953d78ca5","turnId":"6ab52c80-8896-485c-9096-67dd7423eab9","content":"- [x] Write the steps down\n- [x] Work through them one by one\n- [x] Look back at what was done","items":[{"content":"Write the steps down","priority":"high","status":"completed"},{"content":"Work through them one by one","priority":"medium","status":"completed"},{"content":"Look back at what was done","priority":"low","status":"completed"}]}');
INSERT INTO entry (session_key, position, entry_id, agent_id, json) VALUES (1, 9, '855d791d-c741-4f3b-871e-fca0c97cb06e', 'msg_7b7356b2-0138-4454-ad14-6fff415ca55d', '{"entryId":"855d791d-c741-4f3b-871e-fca0c97cb06e","turnId":"6ab52c80-8896-485c-9096-67dd7423eab9","content":"Done.","timestamp":"2026-11-19T21:40:29.271Z","messageId":"msg_7b7356b2-0138-4454-ad14-6fff415ca55d","type":"assistant"}');
INSERT INTO entry (session_key, position, entry_id, agent_id, json) VALUES (3, 1, '14672992-3741-4c44-8740-69ccd0f646bd', NULL, '{"type":"user","entryId":"14672992-3741-4c44-8740-69ccd0f646bd","turnId":"0777019c-b74e-4ddc-8e60-f7d77c0dd905","content":"stream 1 words","timestamp":"2026-11-19T21:40:29.456Z","commandId":"e9173b3c-ab65-43c4-9e45-40aa47f5f6ed"}');
INSERT INTO entry (session_key, position, entry_id, agent_id, json) VALUES (3, 2, '00638cb0-233d-478b-91a5-b6adf18aa2f5', 'msg_b31fc125-9f9b-4676-a4a3-705fd3260934', '{"entryId":"00638cb0-233d-478b-91a5-b6adf18aa2f5","turnId":"0777019c-b74e-4ddc-8e60-f7d77c0dd905","content":"w1","timestamp":"2026-11-19T21:40:29.473Z","messageId":"msg_b31fc125-9f9b-4676-a4a3-705fd3260934","type":"assistant"}');
INSERT INTO policy_mode (scope, target, mode) VALUES ('agent', 'builtin', 'ask');
INSERT INTO policy_mode (scope, target, mode) VALUES ('session', 'builtin:1b2b5d61-92e8-4e35-9bc4-d5e353af0fe2', 'edits');
INSERT INTO policy_rule (key, id, scope, target, json) VALUES (1, '357ecc86-85c1-472f-8fbb-695b350069a9', 'session', 'builtin:1b2b5d61-92e8-4e35-9bc4-d5e353af0fe2', '{"effect":"allow","kind":"execute","command":"git status","id":"357ecc86-85c1-472f-8fbb-695b350069a9","createdAt":"2026-11-19T21:40:29.483Z"}');
INSERT INTO policy_rule (key, id, scope, target, json) VALUES (2, '32362765-536e-4447-ba3c-3d9aa68463dc', 'project', '3151bd5a-afd0-4d19-ad15-db9855661b60', '{"effect":"allow","kind":"execute","command":"npm test","id":"32362765-536e-4447-ba3c-3d9aa68463dc","createdAt":"2026-11-19T21:40:29.491Z"}');
INSERT INTO policy_rule (key, id, scope, target, json) VALUES (3, 'bdbc03f7-e032-4139-b539-d3aae102dd41', 'agent', 'builtin', '{"effect":"allow","kind":"execute","command":"ls","id":"bdbc03f7-e032-4139-b539-d3aae102dd41","createdAt":"2026-11-19T21:40:29.495Z"}');
INSERT INTO permission_record (key, session_key, permission_id, asked_at, tool_call, options, answered, answered_by, answered_at, why) VALUES (1, 1, 'ef6ebaee-9a24-469b-873a-e49b6e7fd847-11', '2026-11-19T21:40:28.961Z', '{"toolCallId":"call_043265dc-b651-47bc-9699-7cf5b495082d","name":"echo hi","kind":"execute","input":{"command":"echo hi","cwd":"/sample/projects/9a7b4fb5-24ec-414b-9062-72a66ef58bff"}}', '[{"optionId":"allow-once","name":"Allow once","kind":"allow_once"},{"optionId":"allow-always","name":"Always allow commands in this session","kind":"allow_always"},{"optionId":"reject-once","name":"Reject","kind":"reject_once"}]', 'allowed', 'user', '2026-11-19T21:40:28.965Z', NULL);
INSERT INTO search_text (key, session_key, entry_id, kind, at) VALUES (1000000000001, 1, '', 'title', NULL);
INSERT INTO search_text (key, session_key, entry_id, kind, at) VALUES (1000000000002, 1, '134c7804-5caf-4442-a1e8-880690898167', 'user', '2026-11-19T21:40:28.826Z');
INSERT INTO search_text (key, session_key, entry_id, kind, at) VALUES (1000000000003, 1, '3cd7afbc-2566-44e4-8f27-5cf5bbcdc329', 'assistant', '2026-11-19T21:40:28.909Z');
INSERT INTO search_text (key, session_key, entry_id, kind, at) VALUES (1000000000004, 1, 'e777d6b1-3cdd-4a27-bdfc-584aa3aa7f3e', 'user', '2026-11-19T21:40:28.918Z');
INSERT INTO search_text (key, session_key, entry_id, kind, at) VALUES (1000000000005, 1, '6b5140ca-de8f-4d8d-9d03-bfa792d35626', 'tool-call', '2026-11-19T21:40:28.957Z');
INSERT INTO search_text (key, session_key, entry_id, kind, at) VALUES (1000000000006, 1, '20ae4775-26cb-424f-bcff-57b0cb3fd3f3', 'assistant', '2026-11-19T21:40:28.978Z');
INSERT INTO search_text (key, session_key, entry_id, kind, at) VALUES (1000000000007, 1, '07e574a1-c616-4dcb-9127-8619b46f0e1c', 'user', '2026-11-19T21:40:28.986Z');
INSERT INTO search_text (key, session_key, entry_id, kind, at) VALUES (1000000000008, 1, 'cbde0852-b88c-42c6-b300-fb56984107b9', 'assistant', '2026-11-19T21:40:29.027Z');
INSERT INTO search_text (key, session_key, entry_id, kind, at) VALUES (1000000000009, 1, '33ecffef-92fa-4a57-8fe9-70d953d78ca5', 'plan', '2026-11-19T21:40:29.271Z');
INSERT INTO search_text (key, session_key, entry_id, kind, at) VALUES (1000000000010, 1, '855d791d-c741-4f3b-871e-fca0c97cb06e', 'assistant', '2026-11-19T21:40:29.271Z');
INSERT INTO search_text (key, session_key, entry_id, kind, at) VALUES (1000000000011, 2, '', 'title', NULL);
INSERT INTO search_text (key, session_key, entry_id, kind, at) VALUES (1000000000012, 3, '', 'title', NULL);
INSERT INTO search_text (key, session_key, entry_id, kind, at) VALUES (1000000000013, 3, '14672992-3741-4c44-8740-69ccd0f646bd', 'user', '2026-11-19T21:40:29.456Z');
INSERT INTO search_text (key, session_key, entry_id, kind, at) VALUES (1000000000014, 3, '00638cb0-233d-478b-91a5-b6adf18aa2f5', 'assistant', '2026-11-19T21:40:29.473Z');
INSERT INTO search_index (rowid, text) VALUES (1000000000001, 'stream 3 words');
INSERT INTO search_index (rowid, text) VALUES (1000000000002, 'stream 3 words');
INSERT INTO search_index (rowid, text) VALUES (1000000000003, 'w1 w2 w3');
INSERT INTO search_index (rowid, text) VALUES (1000000000004, 'run echo hi');
INSERT INTO search_index (rowid, text) VALUES (1000000000005, 'echo hi
/sample/projects/9a7b4fb5-24ec-414b-9062-72a66ef58bff
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
INSERT INTO agent_session (cli_type, agent_session_id, session_key) VALUES ('builtin', 'guide_346f543a-56a5-49ee-a303-f21951fc02bb', 2);
INSERT INTO agent_session (cli_type, agent_session_id, session_key) VALUES ('builtin', 'guide_94be8755-1543-4047-ba72-132edcf3234c', 1);
INSERT INTO agent_session (cli_type, agent_session_id, session_key) VALUES ('builtin', 'guide_df2a3a2a-140e-456f-b1cc-58c0138a2f56', 3);
INSERT INTO device (id, secret_hash, token_mark, name, created_at, last_seen_at, revoked, person_id) VALUES ('program5b096f6545e5', 'CdIgsCS7rY6cJeq46pPBcF7DZElJQSHFrAdbrIGcWdM', 'BGsJijT140c8', 'Bun', '2026-11-19T21:40:29.497Z', '2026-11-19T21:40:29.497Z', 0, NULL);
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
PRAGMA user_version = 19;
