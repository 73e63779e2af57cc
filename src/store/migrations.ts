/**
 * The steps that bring a database to the newest schema, in order. A released step is never edited: a new one is appended,
 * then `npm run keep-schema` writes what a program of that schema leaves behind as a fixture.
 */
export const MIGRATIONS: readonly string[] = [
  // 1: Projects, sessions, their facts and settled entries, and the receipts of commands.
  `
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
) STRICT;
CREATE INDEX session_by_project ON session (project_id, last_active_at DESC);
CREATE INDEX session_unfinished ON session (unfinished) WHERE unfinished = 1;

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
CREATE INDEX entry_by_agent_id ON entry (session_key, agent_id) WHERE agent_id IS NOT NULL;

CREATE TABLE receipt (
  command_id TEXT PRIMARY KEY,
  answer TEXT NOT NULL,
  at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX receipt_by_time ON receipt (at);
`,
  // 2: Modes and rules by session, project and agent, and a record of every request for permission and how it ended.
  `
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
CREATE INDEX policy_rule_by_target ON policy_rule (scope, target);
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
CREATE INDEX permission_record_automatic ON permission_record (key) WHERE answered_by = 'policy';
`,
  // 3: Words of everything that has settled, the files it touched, and how far each session was read. The words of a
  // deleted session lose their owner first and are taken out in small steps after that.
  `
CREATE TABLE search_text (
  key INTEGER PRIMARY KEY,
  session_key INTEGER REFERENCES session (key) ON DELETE SET NULL,
  entry_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  at TEXT
) STRICT;
CREATE UNIQUE INDEX search_text_by_entry ON search_text (session_key, entry_id) WHERE session_key IS NOT NULL;
CREATE INDEX search_text_ownerless ON search_text (key) WHERE session_key IS NULL;

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
INSERT INTO search_backlog (session_key, before_position) SELECT key, next_position FROM session;

ALTER TABLE session ADD COLUMN attention_seq INTEGER NOT NULL DEFAULT 0;
ALTER TABLE session ADD COLUMN seen_seq INTEGER NOT NULL DEFAULT 0;
`,
  // 4: Texts too long for their entries, the context size and cost of a session, and the last choices per agent.
  `
CREATE TABLE output_piece (
  session_key INTEGER NOT NULL REFERENCES session (key) ON DELETE CASCADE,
  entry_id TEXT NOT NULL,
  part INTEGER NOT NULL,
  start INTEGER NOT NULL,
  chars INTEGER NOT NULL,
  json TEXT NOT NULL,
  UNIQUE (session_key, entry_id, part, start)
) STRICT;

ALTER TABLE session ADD COLUMN usage TEXT;

CREATE TABLE agent_choice (
  cli_type TEXT NOT NULL,
  config_id TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (cli_type, config_id)
) STRICT, WITHOUT ROWID;
`,
  // 5: What is attached to a message that is not sent yet: large, and changed less often than the text beside it.
  `
CREATE TABLE draft_attachments (
  session_key INTEGER PRIMARY KEY REFERENCES session (key) ON DELETE CASCADE,
  json TEXT NOT NULL
) STRICT;
`,
  // 6: Which agent sessions are ours already, so that none is adopted twice: those of today, and by the triggers
  // those that come, whoever writes them. And which files were read into which session.
  `
CREATE TABLE agent_session (
  cli_type TEXT NOT NULL,
  agent_session_id TEXT NOT NULL,
  session_key INTEGER NOT NULL REFERENCES session (key) ON DELETE CASCADE,
  PRIMARY KEY (cli_type, agent_session_id)
) STRICT, WITHOUT ROWID;
INSERT OR IGNORE INTO agent_session (cli_type, agent_session_id, session_key)
  SELECT cli_type, agent_session_id, key FROM session WHERE agent_session_id <> '' ORDER BY key;
CREATE TRIGGER agent_session_of_new AFTER INSERT ON session WHEN NEW.agent_session_id <> '' BEGIN
  INSERT OR IGNORE INTO agent_session VALUES (NEW.cli_type, NEW.agent_session_id, NEW.key);
END;
CREATE TRIGGER agent_session_of_bound AFTER UPDATE OF agent_session_id ON session WHEN NEW.agent_session_id <> '' BEGIN
  INSERT OR IGNORE INTO agent_session VALUES (NEW.cli_type, NEW.agent_session_id, NEW.key);
END;

ALTER TABLE session ADD COLUMN adopted INTEGER NOT NULL DEFAULT 0;

CREATE TABLE imported_file (
  project_id TEXT NOT NULL REFERENCES project (id),
  digest TEXT NOT NULL,
  session_key INTEGER NOT NULL REFERENCES session (key) ON DELETE CASCADE,
  PRIMARY KEY (project_id, digest)
) STRICT, WITHOUT ROWID;
`,
  // 7: Which session was started for which, what each has spent, and which are to be woken.
  `
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
CREATE INDEX delegation_by_parent ON delegation (parent_id, session_key);
CREATE INDEX delegation_by_root ON delegation (root_id);
ALTER TABLE session ADD COLUMN armed_waits INTEGER NOT NULL DEFAULT 0;
CREATE INDEX session_waiting ON session (armed_waits) WHERE armed_waits > 0;
`,
  // 8: Where a later server goes on with the agent process that outlived the one before it.
  `
ALTER TABLE session ADD COLUMN process_id TEXT;
ALTER TABLE session ADD COLUMN heard INTEGER NOT NULL DEFAULT 0;
ALTER TABLE session ADD COLUMN cancelling TEXT;
CREATE INDEX session_by_process ON session (process_id) WHERE process_id IS NOT NULL;
`,
  // 9: Which tool servers the user has switched on or off in a project.
  `
CREATE TABLE tool_choice (
  project_id TEXT NOT NULL,
  name TEXT NOT NULL,
  enabled INTEGER NOT NULL,
  PRIMARY KEY (project_id, name)
) STRICT, WITHOUT ROWID;
`,
  // 10: Browsers that are signed in, each by a secret of its own, of which only a hash is here.
  `
CREATE TABLE device (
  id TEXT PRIMARY KEY,
  secret_hash TEXT NOT NULL,
  token_mark TEXT NOT NULL,
  name TEXT NOT NULL,
  created_at TEXT NOT NULL,
  last_seen_at TEXT NOT NULL,
  revoked INTEGER NOT NULL DEFAULT 0
) STRICT;
`,
  // 11: Agent sessions that stood behind a session deleted here: their agents may list them for as long as they like.
  `
CREATE TABLE forgotten_session (
  cli_type TEXT NOT NULL,
  agent_session_id TEXT NOT NULL,
  PRIMARY KEY (cli_type, agent_session_id)
) STRICT, WITHOUT ROWID;
`,
  // 12: Until when the agent's own copy of the conversation is known to be in the transcript; null when nobody knows.
  `
ALTER TABLE session ADD COLUMN agent_seen_at TEXT;
`,
  // 13: Which agents the user runs with one process for all sessions, and which with one per session.
  `
CREATE TABLE agent_process (
  cli_type TEXT NOT NULL PRIMARY KEY,
  process TEXT NOT NULL
) STRICT, WITHOUT ROWID;
`,
  // 14: How much of a session's work on files is neither reviewed nor committed, as JSON.
  `
ALTER TABLE session ADD COLUMN changes TEXT;
`,
  // 15: The worktree that a session works in, and answers that its agent may not have yet, both as JSON.
  `
ALTER TABLE session ADD COLUMN worktree TEXT;
ALTER TABLE session ADD COLUMN answers TEXT;
`,
  // 16: Where the user let a new session of a project work the last time.
  `
ALTER TABLE project ADD COLUMN last_place TEXT;
`,
  // 17: Pauses for usage limits, conversations that are away in a terminal, attempts, branches (`inherited`: the last
  // position that was copied from their source; `copying`: not all is there yet) with what their agents were told
  // (`pack`; no entry: it goes with the next message), snippets, schedules with their runs, notices that were sent, and tokens
  // of programs, of which only a hash is here. How the user keeps sessions in order; what each turn has used, which
  // outlives its session; where devices get notices.
  `
ALTER TABLE session ADD COLUMN pinned INTEGER NOT NULL DEFAULT 0;
ALTER TABLE session ADD COLUMN labels TEXT;
ALTER TABLE session ADD COLUMN dismissed INTEGER NOT NULL DEFAULT 0;
ALTER TABLE session ADD COLUMN marked_unread INTEGER NOT NULL DEFAULT 0;
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
CREATE INDEX turn_usage_at ON turn_usage (at);
CREATE TABLE push_subscription (
  endpoint TEXT PRIMARY KEY,
  device_id TEXT NOT NULL REFERENCES device (id) ON DELETE CASCADE,
  public_key TEXT NOT NULL,
  auth TEXT NOT NULL,
  created_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
ALTER TABLE session ADD COLUMN pause TEXT;
ALTER TABLE session ADD COLUMN away TEXT;
ALTER TABLE session ADD COLUMN origin TEXT;
ALTER TABLE session ADD COLUMN attempt TEXT;
ALTER TABLE session ADD COLUMN inherited INTEGER NOT NULL DEFAULT 0;
ALTER TABLE session ADD COLUMN copying INTEGER NOT NULL DEFAULT 0;
ALTER TABLE session ADD COLUMN sub_agents INTEGER NOT NULL DEFAULT 0;
CREATE INDEX session_with_sub_agents ON session (sub_agents) WHERE sub_agents > 0;
CREATE INDEX session_by_origin ON session (json_extract(origin, '$.sessionId')) WHERE origin IS NOT NULL;
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
CREATE INDEX schedule_run_open ON schedule_run (due_at) WHERE ended_at IS NULL;
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
CREATE INDEX notice_by_target ON notice (target_id, at);
CREATE TRIGGER notice_of_session AFTER DELETE ON session BEGIN
  DELETE FROM notice WHERE subject = OLD.id;
END;
CREATE TRIGGER notice_of_run AFTER DELETE ON schedule_run BEGIN
  DELETE FROM notice WHERE subject = 'schedule:' || OLD.schedule_id || ':' || OLD.due_at;
END;
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
`,
  // 18: People, their roles in projects, and whose a device or token is (nobody's: the owner's).
  `
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
ALTER TABLE device ADD COLUMN person_id TEXT;
ALTER TABLE api_token ADD COLUMN person_id TEXT;
`,
  // 19: By which e-mail address the sign-in service knows a person.
  `
ALTER TABLE person ADD COLUMN email TEXT;
CREATE UNIQUE INDEX person_by_email ON person (email);
`,
];

/** The schema that this program makes and knows. */
export const SCHEMA_VERSION = MIGRATIONS.length;
