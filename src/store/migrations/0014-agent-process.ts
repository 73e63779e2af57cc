/** Which agents the user runs with one process for all sessions, and which with one per session. */
export const AGENT_PROCESS_SCHEMA = `
CREATE TABLE agent_process (
  cli_type TEXT NOT NULL PRIMARY KEY,
  process TEXT NOT NULL
) STRICT, WITHOUT ROWID;
`;
