import type { PostgresDatabase, Queries } from "./database.ts";

/**
 * The steps that bring a database to the newest schema, in order. A released step is never edited, and a step only adds:
 * what a release no longer needs is removed one release later.
 *
 * Times and names are ordered by their bytes, as in SQLite, whatever language the database was made for.
 * Unlike in SQLite, no statement looks into JSON: what is asked for stands in columns. Every number that the program
 * reads as such is `integer` or `double precision`.
 */
const MIGRATIONS: readonly string[] = [
  // 1: All that the store in SQLite has.
  `
CREATE TABLE owner (
  -- Of the server that may write. A later one raises it, and everything the earlier one still sends is refused.
  epoch integer NOT NULL,
  name text COLLATE "C",
  beats integer NOT NULL DEFAULT 0
);
INSERT INTO owner (epoch) VALUES (0);

CREATE TABLE project (
  id text COLLATE "C" PRIMARY KEY,
  path text NOT NULL UNIQUE,
  name text COLLATE "C" NOT NULL,
  added_at text NOT NULL,
  position integer NOT NULL,
  removed integer NOT NULL DEFAULT 0,
  last_place text
);

CREATE TABLE session (
  key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id text COLLATE "C" NOT NULL UNIQUE,
  project_id text NOT NULL REFERENCES project (id),
  cli_type text NOT NULL,
  title text NOT NULL,
  created_at text COLLATE "C" NOT NULL,
  last_active_at text COLLATE "C" NOT NULL,
  archived integer NOT NULL DEFAULT 0,
  turn text NOT NULL,
  unfinished integer NOT NULL DEFAULT 0,
  parent_id text,
  agent_session_id text NOT NULL,
  agent_session_at text NOT NULL,
  cwd text NOT NULL,
  agent_state text NOT NULL,
  agent_state_at text NOT NULL,
  adopted integer NOT NULL DEFAULT 0,
  last_seq integer NOT NULL DEFAULT 0,
  -- Of the burst that was stored last: a commit whose answer was lost is found by it.
  commit_id text,
  kept_from_seq integer NOT NULL DEFAULT 1,
  snapshot_seq integer NOT NULL DEFAULT 0,
  snapshot text,
  next_position integer NOT NULL DEFAULT 1,
  draft text NOT NULL DEFAULT '',
  attention_seq integer NOT NULL DEFAULT 0,
  seen_seq integer NOT NULL DEFAULT 0,
  marked_unread boolean NOT NULL DEFAULT false,
  usage text,
  armed_waits integer NOT NULL DEFAULT 0,
  process_id text,
  heard integer NOT NULL DEFAULT 0,
  cancelling text,
  agent_seen_at text,
  changes text,
  worktree text,
  answers text,
  pinned integer NOT NULL DEFAULT 0,
  labels text,
  dismissed integer NOT NULL DEFAULT 0,
  pause text,
  away text,
  origin text,
  -- The session in \`origin\`.
  origin_id text,
  attempt text,
  inherited integer NOT NULL DEFAULT 0,
  copying integer NOT NULL DEFAULT 0,
  sub_agents integer NOT NULL DEFAULT 0
);
CREATE INDEX session_by_project ON session (project_id, last_active_at DESC);
CREATE INDEX session_unfinished ON session (unfinished) WHERE unfinished = 1;
CREATE INDEX session_with_sub_agents ON session (sub_agents) WHERE sub_agents > 0;
CREATE INDEX session_waiting ON session (armed_waits) WHERE armed_waits > 0;
CREATE INDEX session_by_process ON session (process_id) WHERE process_id IS NOT NULL;
CREATE INDEX session_by_origin ON session (origin_id) WHERE origin_id IS NOT NULL;

-- Without a reference, which would be checked for every fact: the statement that writes facts finds their session itself,
-- and what deletes a session deletes them.
CREATE TABLE fact (
  session_key bigint NOT NULL,
  seq integer NOT NULL,
  type text NOT NULL,
  json text NOT NULL,
  PRIMARY KEY (session_key, seq)
);
CREATE INDEX fact_resolved ON fact (session_key, seq) WHERE type = 'permission:resolved';

CREATE TABLE entry (
  session_key bigint NOT NULL REFERENCES session (key) ON DELETE CASCADE,
  position integer NOT NULL,
  entry_id text NOT NULL,
  agent_id text,
  type text NOT NULL,
  turn_id text,
  -- 1: it was said within a tool call; by the user in the middle of a turn.
  inner_one integer NOT NULL DEFAULT 0,
  steered integer NOT NULL DEFAULT 0,
  json text NOT NULL,
  PRIMARY KEY (session_key, position),
  UNIQUE (session_key, entry_id)
);
CREATE INDEX entry_by_agent_id ON entry (session_key, md5(agent_id)) WHERE agent_id IS NOT NULL;
CREATE INDEX entry_of_user ON entry (session_key, position) WHERE type = 'user';

CREATE TABLE receipt (
  command_id text PRIMARY KEY,
  answer text NOT NULL,
  at text COLLATE "C" NOT NULL
);
CREATE INDEX receipt_by_time ON receipt (at);

CREATE TABLE policy_mode (
  scope text NOT NULL,
  target text NOT NULL,
  mode text NOT NULL,
  PRIMARY KEY (scope, target)
);
CREATE TABLE policy_rule (
  key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id text COLLATE "C" NOT NULL UNIQUE,
  scope text NOT NULL,
  target text NOT NULL,
  json text NOT NULL
);
CREATE INDEX policy_rule_by_target ON policy_rule (scope, target);
CREATE TABLE permission_record (
  key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  session_key bigint NOT NULL REFERENCES session (key) ON DELETE CASCADE,
  permission_id text NOT NULL,
  asked_at text NOT NULL,
  tool_call text NOT NULL,
  options text NOT NULL,
  answered text,
  answered_by text,
  answered_at text,
  why text,
  UNIQUE (session_key, permission_id)
);
CREATE INDEX permission_record_automatic ON permission_record (key) WHERE answered_by = 'policy';

-- Words of all that has settled; a title has an empty entry. The newest has the highest key: what is indexed later
-- although it is older counts downwards.
CREATE SEQUENCE search_newer;
CREATE SEQUENCE search_older;
CREATE TABLE search_text (
  key bigint PRIMARY KEY DEFAULT nextval('search_newer'),
  session_key bigint NOT NULL REFERENCES session (key) ON DELETE CASCADE,
  entry_id text NOT NULL,
  kind text NOT NULL,
  at text COLLATE "C",
  text text NOT NULL,
  words tsvector NOT NULL,
  UNIQUE (session_key, entry_id)
);
CREATE INDEX search_text_by_word ON search_text USING gin (words);
CREATE TABLE search_file (
  session_key bigint NOT NULL,
  entry_id text NOT NULL,
  path text NOT NULL,
  FOREIGN KEY (session_key, entry_id) REFERENCES search_text (session_key, entry_id) ON DELETE CASCADE
);
CREATE INDEX search_file_of_text ON search_file (session_key, entry_id);
CREATE TABLE search_backlog (
  session_key bigint PRIMARY KEY REFERENCES session (key) ON DELETE CASCADE,
  before_position integer NOT NULL
);

CREATE TABLE output_piece (
  session_key bigint NOT NULL REFERENCES session (key) ON DELETE CASCADE,
  entry_id text NOT NULL,
  part integer NOT NULL,
  start integer NOT NULL,
  chars integer NOT NULL,
  json text NOT NULL,
  UNIQUE (session_key, entry_id, part, start)
);

CREATE TABLE agent_choice (
  cli_type text NOT NULL,
  config_id text COLLATE "C" NOT NULL,
  value text NOT NULL,
  PRIMARY KEY (cli_type, config_id)
);
CREATE TABLE agent_process (
  cli_type text PRIMARY KEY,
  process text NOT NULL
);
CREATE TABLE tool_choice (
  project_id text NOT NULL,
  name text COLLATE "C" NOT NULL,
  enabled integer NOT NULL,
  PRIMARY KEY (project_id, name)
);
CREATE TABLE model_favourite (
  cli_type text NOT NULL,
  model text COLLATE "C" NOT NULL,
  PRIMARY KEY (cli_type, model)
);
CREATE TABLE agent_limits (
  cli_type text PRIMARY KEY,
  limits text NOT NULL
);

CREATE TABLE draft_attachments (
  session_key bigint PRIMARY KEY REFERENCES session (key) ON DELETE CASCADE,
  json text NOT NULL
);

-- Which agent sessions are ours already, so that none is adopted twice, and which stood behind deleted sessions.
CREATE TABLE agent_session (
  cli_type text NOT NULL,
  agent_session_id text NOT NULL,
  session_key bigint NOT NULL REFERENCES session (key) ON DELETE CASCADE,
  PRIMARY KEY (cli_type, agent_session_id)
);
CREATE INDEX agent_session_by_session ON agent_session (session_key);
CREATE TABLE forgotten_session (
  cli_type text NOT NULL,
  agent_session_id text NOT NULL,
  PRIMARY KEY (cli_type, agent_session_id)
);
CREATE TABLE imported_file (
  project_id text NOT NULL REFERENCES project (id),
  digest text NOT NULL,
  session_key bigint NOT NULL REFERENCES session (key) ON DELETE CASCADE,
  PRIMARY KEY (project_id, digest)
);

CREATE TABLE delegation (
  session_key bigint PRIMARY KEY REFERENCES session (key) ON DELETE CASCADE,
  child_id text NOT NULL UNIQUE,
  parent_id text,
  root_id text,
  depth integer NOT NULL,
  budget text NOT NULL,
  last_turn_id text,
  turns integer NOT NULL DEFAULT 0,
  tokens double precision NOT NULL DEFAULT 0,
  cost double precision NOT NULL DEFAULT 0,
  work_ms double precision NOT NULL DEFAULT 0
);
CREATE INDEX delegation_by_parent ON delegation (parent_id, session_key);
CREATE INDEX delegation_by_root ON delegation (root_id);

CREATE TABLE turn_usage (
  session_id text NOT NULL,
  turn_id text NOT NULL,
  project_id text NOT NULL,
  cli_type text NOT NULL,
  account text,
  at text COLLATE "C" NOT NULL,
  tokens double precision NOT NULL,
  cost double precision NOT NULL,
  currency text,
  PRIMARY KEY (session_id, turn_id)
);
CREATE INDEX turn_usage_at ON turn_usage (at);

CREATE TABLE pack (
  session_id text NOT NULL,
  -- Empty: it goes with the next message.
  entry_id text NOT NULL,
  content text NOT NULL,
  PRIMARY KEY (session_id, entry_id)
);

CREATE TABLE device (
  id text COLLATE "C" PRIMARY KEY,
  secret_hash text NOT NULL,
  token_mark text NOT NULL,
  name text COLLATE "C" NOT NULL,
  created_at text COLLATE "C" NOT NULL,
  last_seen_at text NOT NULL,
  revoked integer NOT NULL DEFAULT 0
);
CREATE TABLE push_subscription (
  endpoint text PRIMARY KEY,
  device_id text NOT NULL REFERENCES device (id) ON DELETE CASCADE,
  public_key text NOT NULL,
  auth text NOT NULL,
  created_at text COLLATE "C" NOT NULL
);
CREATE TABLE snippet (
  id text COLLATE "C" PRIMARY KEY,
  name text COLLATE "C" NOT NULL,
  body text NOT NULL,
  project_id text,
  updated_at text NOT NULL
);
CREATE TABLE schedule (
  id text COLLATE "C" PRIMARY KEY,
  project_id text NOT NULL,
  definition text NOT NULL,
  enabled integer NOT NULL,
  created_at text COLLATE "C" NOT NULL,
  settled_until text COLLATE "C" NOT NULL
);
CREATE TABLE schedule_run (
  schedule_id text NOT NULL REFERENCES schedule (id) ON DELETE CASCADE,
  due_at text COLLATE "C" NOT NULL,
  session_id text,
  state text NOT NULL,
  detail text,
  started_at text NOT NULL,
  ended_at text COLLATE "C",
  spent_before text,
  PRIMARY KEY (schedule_id, due_at)
);
CREATE INDEX schedule_run_open ON schedule_run (due_at) WHERE ended_at IS NULL;
CREATE TABLE notice (
  -- A session, or a run of a schedule that has none.
  subject text NOT NULL,
  target_id text NOT NULL,
  seq integer NOT NULL,
  state text NOT NULL,
  tries integer NOT NULL,
  at text COLLATE "C" NOT NULL,
  problem text,
  PRIMARY KEY (subject, target_id)
);
CREATE INDEX notice_by_target ON notice (target_id, at);
CREATE TABLE api_token (
  id text COLLATE "C" PRIMARY KEY,
  secret_hash text NOT NULL,
  token_mark text NOT NULL,
  name text COLLATE "C" NOT NULL,
  scope text NOT NULL,
  project_id text,
  created_at text COLLATE "C" NOT NULL,
  last_used_at text
);
CREATE TABLE hook (
  name text COLLATE "C" PRIMARY KEY,
  secret_hash text NOT NULL,
  definition text NOT NULL
);

CREATE FUNCTION note_agent_session() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO agent_session VALUES (NEW.cli_type, NEW.agent_session_id, NEW.key) ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
CREATE TRIGGER agent_session_of_new AFTER INSERT ON session
  FOR EACH ROW WHEN (NEW.agent_session_id <> '') EXECUTE FUNCTION note_agent_session();
CREATE TRIGGER agent_session_of_bound AFTER UPDATE OF agent_session_id ON session
  FOR EACH ROW WHEN (NEW.agent_session_id <> '' AND NEW.agent_session_id <> OLD.agent_session_id)
  EXECUTE FUNCTION note_agent_session();

CREATE FUNCTION drop_notices_of_session() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM notice WHERE subject = OLD.id;
  RETURN NULL;
END $$;
CREATE TRIGGER notice_of_session AFTER DELETE ON session
  FOR EACH ROW EXECUTE FUNCTION drop_notices_of_session();
CREATE FUNCTION drop_notices_of_run() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM notice WHERE subject = 'schedule:' || OLD.schedule_id || ':' || OLD.due_at;
  RETURN NULL;
END $$;
CREATE TRIGGER notice_of_run AFTER DELETE ON schedule_run
  FOR EACH ROW EXECUTE FUNCTION drop_notices_of_run();
`,
  // 2: Servers of a team: one has the database, the others stand by.
  `
CREATE TABLE replica (
  id text COLLATE "C" PRIMARY KEY,
  name text COLLATE "C" NOT NULL,
  -- Where the others reach it, and the certificate that it shows there.
  origin text NOT NULL,
  certificate text,
  version text NOT NULL,
  beats integer NOT NULL DEFAULT 0
);
-- Which replica has the database; none if its server is not of a team.
ALTER TABLE owner ADD COLUMN replica_id text;
-- As which server all of the team are known to the runners of places.
ALTER TABLE owner ADD COLUMN team_id text;
`,
  // 3: People, their roles in projects, and whose a device or token is (nobody's: the owner's).
  `
CREATE TABLE person (
  id text COLLATE "C" PRIMARY KEY,
  name text NOT NULL,
  role text NOT NULL,
  disabled integer NOT NULL DEFAULT 0,
  created_at text COLLATE "C" NOT NULL,
  -- Who it is to the sign-in service.
  subject text UNIQUE
);
CREATE TABLE person_role (
  person_id text COLLATE "C" NOT NULL REFERENCES person (id) ON DELETE CASCADE,
  project_id text COLLATE "C" NOT NULL,
  role text NOT NULL,
  PRIMARY KEY (person_id, project_id)
);
ALTER TABLE device ADD COLUMN person_id text;
ALTER TABLE api_token ADD COLUMN person_id text;
`,
  // 19: By which e-mail address the sign-in service knows a person.
  `
ALTER TABLE person ADD COLUMN email text UNIQUE;
`,
];

/**
 * Programs that know no step after this one can use the newest schema: servers of the release before go on beside those
 * of this one. A step that removes something raises it.
 */
const FITS_FROM = 2;

/** The database was written by a newer program, or its server is too old; nothing was changed. */
export class UnfitDatabaseError extends Error {
  override readonly name = "UnfitDatabaseError";
}

const VERSION_NUM_MIN = 150_000;
/** Any number that other programs in the same database do not use for a lock. */
const MIGRATION_LOCK = 4_242_115;

/** Brings the schema to the newest version. Servers that start at once do it one after the other, so it happens once. */
export async function migrate(db: PostgresDatabase): Promise<void> {
  const { name, isTooOld } = await serverVersion(db);
  if (isTooOld) throw new UnfitDatabaseError(`PostgreSQL ${name} is too old. Use PostgreSQL 15 or newer.`);
  await db.transaction(async (tx) => {
    await tx.run("SELECT pg_advisory_xact_lock($1)", [MIGRATION_LOCK]);
    await tx.run("CREATE TABLE IF NOT EXISTS schema_version (version integer NOT NULL)");
    const { version: found, fitsFrom } = await versionIn(tx);
    if (found > MIGRATIONS.length && fitsFrom <= MIGRATIONS.length) return;
    if (found > MIGRATIONS.length)
      throw new UnfitDatabaseError(
        `The database was made by a newer version of Liminal Builder (schema ${found}, this version supports ${MIGRATIONS.length}). Update Liminal Builder, or use another database. Nothing was changed.`,
      );
    for (const step of MIGRATIONS.slice(found)) await tx.run(step);
    if (found === MIGRATIONS.length && fitsFrom === FITS_FROM) return;
    await tx.run("ALTER TABLE schema_version ADD COLUMN IF NOT EXISTS fits_from integer");
    const versions = [MIGRATIONS.length, FITS_FROM];
    if (found === 0) await tx.run("INSERT INTO schema_version (version, fits_from) VALUES ($1, $2)", versions);
    else await tx.run("UPDATE schema_version SET version = $1, fits_from = $2", versions);
  });
}

interface SchemaVersion {
  /** 0: nothing was ever stored there. */
  readonly version: number;
  /** Programs that know the schema up to this step can use it, too. */
  readonly fitsFrom: number;
}

async function versionIn(db: Queries): Promise<SchemaVersion> {
  const row = await db.row(
    "SELECT version, (to_jsonb(schema_version) ->> 'fits_from')::integer AS fits_from FROM schema_version",
  );
  const version = Number(row?.["version"] ?? 0);
  return { version, fitsFrom: Number(row?.["fits_from"] ?? version) };
}

/** Of PostgreSQL itself. */
export async function serverVersion(db: Queries): Promise<{ readonly name: string; readonly isTooOld: boolean }> {
  const server = await db.row(
    "SELECT current_setting('server_version_num') AS number, current_setting('server_version') AS name",
  );
  return { name: String(server?.["name"]), isTooOld: Number(server?.["number"]) < VERSION_NUM_MIN };
}

/** The schema that this program makes and knows. */
export const POSTGRES_SCHEMA_VERSION = MIGRATIONS.length;

export async function schemaVersionOf(db: Queries): Promise<SchemaVersion> {
  const row = await db.row("SELECT to_regclass('schema_version') IS NOT NULL AS is_there");
  return row?.["is_there"] === true ? await versionIn(db) : { version: 0, fitsFrom: 0 };
}
