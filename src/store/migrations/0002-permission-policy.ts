/** Modes and rules by session, project and agent, and a record of every request for permission and how it ended. */
export const PERMISSION_POLICY_SCHEMA = `
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
`;
