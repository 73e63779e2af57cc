/** Agent sessions that stood behind a session deleted here: their agents may list them for as long as they like. */
export const FORGOTTEN_SESSIONS_SCHEMA = `
CREATE TABLE forgotten_session (
  cli_type TEXT NOT NULL,
  agent_session_id TEXT NOT NULL,
  PRIMARY KEY (cli_type, agent_session_id)
) STRICT, WITHOUT ROWID;
`;
