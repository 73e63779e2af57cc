/** What is attached to a message that is not sent yet: large, and changed less often than the text beside it. */
export const DRAFT_ATTACHMENTS_SCHEMA = `
CREATE TABLE draft_attachments (
  session_key INTEGER PRIMARY KEY REFERENCES session (key) ON DELETE CASCADE,
  json TEXT NOT NULL
) STRICT;
`;
