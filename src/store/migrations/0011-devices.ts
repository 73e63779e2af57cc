/** Browsers that are signed in, each by a secret of its own, of which only a hash is here. */
export const DEVICES_SCHEMA = `
CREATE TABLE device (
  id TEXT PRIMARY KEY,
  secret_hash TEXT NOT NULL,
  token_mark TEXT NOT NULL,
  name TEXT NOT NULL,
  created_at TEXT NOT NULL,
  last_seen_at TEXT NOT NULL,
  revoked INTEGER NOT NULL DEFAULT 0
) STRICT;
`;
