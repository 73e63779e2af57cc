/** Where a later server goes on with the agent process that outlived the one before it. */
export const CONTINUATION_SCHEMA = `
ALTER TABLE session ADD COLUMN process_id TEXT;
ALTER TABLE session ADD COLUMN heard INTEGER NOT NULL DEFAULT 0;
ALTER TABLE session ADD COLUMN cancelling TEXT;
CREATE INDEX session_by_process ON session (process_id) WHERE process_id IS NOT NULL;
`;
