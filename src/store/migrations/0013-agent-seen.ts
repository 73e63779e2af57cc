/** Until when the agent's own copy of the conversation is known to be in the transcript; null when nobody knows. */
export const AGENT_SEEN_SCHEMA = `
ALTER TABLE session ADD COLUMN agent_seen_at TEXT;
`;
