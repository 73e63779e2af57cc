/** Which tool servers the user has switched on or off in a project. */
export const TOOL_CHOICES_SCHEMA = `
CREATE TABLE tool_choice (
  project_id TEXT NOT NULL,
  name TEXT NOT NULL,
  enabled INTEGER NOT NULL,
  PRIMARY KEY (project_id, name)
) STRICT, WITHOUT ROWID;
`;
