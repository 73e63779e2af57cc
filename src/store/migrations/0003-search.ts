/**
 * Words of everything that has settled, the files it touched, and how far each session was read.
 * The words of a deleted session lose their owner first and are taken out in small steps after that.
 */
export const SEARCH_SCHEMA = `
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
`;
