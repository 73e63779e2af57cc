import encodeQR from "qr";
import { LiminalApiError } from "../client/http-client.ts";
import {
  PersonEmail,
  type PersonInvitation,
  PROJECT_ROLES,
  ProjectRole,
  type ShownPerson,
} from "../protocol/people.ts";
import { type CommandLine, wrongSubcommand, wrongUsage } from "./command-line.ts";
import { CliError, EXIT, type ExitCode } from "./exit-codes.ts";
import { findProject } from "./find-project.ts";
import { print } from "./print.ts";
import { connect, type ServerLink } from "./server-link.ts";
import { type Column, CUT, type Styled, table } from "./terminal.ts";

const COLUMNS: readonly Column[] = [
  { title: "ID", style: "cyan" },
  { title: "NAME", ...CUT },
  { title: "ROLE" },
  { title: "DEVICES" },
  { title: "ROLES IN PROJECTS", ...CUT },
];
const ID_CHARS_SHOWN = 8;
const VERBS = ["list", "add", "invite", "role", "email", "disable", "enable", "remove"] as const;
type Verb = (typeof VERBS)[number];
/** How many words follow. */
const WORDS: Readonly<Record<Verb, number>> = {
  ...{ list: 0, add: 1, invite: 1, role: 2, email: 2, disable: 1, enable: 1, remove: 1 },
};

/** The people of a server: listed, added, invited, given roles and removed. */
export async function people(line: CommandLine): Promise<ExitCode> {
  const [first = "list", name = "", role = ""] = line.args;
  const verb = VERBS.find((one) => one === first);
  const given = Math.max(line.args.length - 1, 0);
  if (verb === undefined || given !== WORDS[verb]) throw wrongSubcommand(line, VERBS);
  using link = await connect(line.env);
  switch (verb) {
    case "list":
      await list(line, link);
      break;
    case "add":
      await add(line, link, name);
      break;
    case "invite":
      await invite(line, link, name);
      break;
    case "role":
      await giveRole(line, link, name, role);
      break;
    case "email":
      await changeEmail(line, link, name, role);
      break;
    case "disable":
    case "enable": {
      const { id } = await find(link, name);
      const changed = await asked(link.server.api.call("changePerson", { personId: id, disabled: verb === "disable" }));
      print(line, changed, `${changed.person.name} is ${verb}d.`);
      break;
    }
    case "remove": {
      const found = await find(link, name);
      const removed = await asked(link.server.api.call("removePerson", { personId: found.id }));
      print(line, removed, `Removed ${found.name}.`);
      break;
    }
    default:
      verb satisfies never;
  }
  return EXIT.done;
}

async function list(line: CommandLine, link: ServerLink): Promise<void> {
  const known = await listPeople(link);
  const isAlone = known.length === 1 && known[0]?.roles.length === 0 && known[0].role === "owner";
  const hint = "There is nobody but you. Add a person with: liminal people add <name>";
  print(line, { people: known }, isAlone ? hint : listed(line, link, known));
}

async function add(line: CommandLine, link: ServerLink, name: string): Promise<void> {
  const role = line.has("owner") ? "owner" : "member";
  const email = line.text("email");
  const wanted = { name, role, ...(email !== undefined && { email: emailIn(line, email) }) } as const;
  const added = await asked(link.server.api.call("addPerson", wanted));
  const next = `Invite them with: liminal people invite ${JSON.stringify(name)}`;
  const roles = `Without a role they see nothing: liminal people role ${JSON.stringify(name)} member -p <project>`;
  print(line, added, [`Added ${added.person.name}.`, ...(role === "owner" ? [] : [roles]), next].join("\n"));
}

/** From then on the account with this address at the sign-in service is theirs, and no other. */
async function changeEmail(line: CommandLine, link: ServerLink, name: string, wanted: string): Promise<void> {
  const email = wanted === "none" ? null : emailIn(line, wanted);
  const { id } = await find(link, name);
  const changed = await asked(link.server.api.call("changePerson", { personId: id, email }));
  const words = email === null ? "has no e-mail address any more" : `has the e-mail address ${email}`;
  print(line, changed, `${changed.person.name} ${words}.`);
}

function emailIn(line: CommandLine, given: string): string {
  const { data } = PersonEmail.safeParse(given);
  if (data === undefined) throw wrongUsage(line, "email: expected an e-mail address, for example ann@example.com.");
  return data;
}

async function invite(line: CommandLine, link: ServerLink, name: string): Promise<void> {
  const { id } = await find(link, name);
  const made = await asked(link.server.api.call("invitePerson", { personId: id }));
  print(line, made, invitationWords(made));
}

function invitationWords({ person, links, expiresAt, isReachable, certificate }: PersonInvitation): string {
  const [url = "", ...others] = links;
  return [
    encodeQR(url, "ascii", { ecc: "low", border: 2 }),
    url,
    ...(others.length > 0 ? ["Or use another address:", ...others.map((other) => `  ${other}`)] : []),
    `For ${person.name} alone. It works once, until ${new Date(expiresAt).toLocaleString()}, and ends with this server.`,
    ...(certificate
      ? [`If the browser warns about the certificate, compare its SHA-256 fingerprint:\n${certificate.fingerprint}`]
      : []),
    ...(isReachable
      ? []
      : ["Only this machine can open it. For other devices, start the server with: liminal serve --host 0.0.0.0"]),
  ].join("\n");
}

async function giveRole(line: CommandLine, link: ServerLink, name: string, wanted: string): Promise<void> {
  const role = wanted === "none" ? null : (ProjectRole.safeParse(wanted).data ?? undefined);
  if (role === undefined) throw wrongUsage(line, `role: expected ${[...PROJECT_ROLES, "none"].join(", ")}.`);
  const { id } = await find(link, name);
  const project = findProject(link, line.text("project") ?? ".");
  const given = await asked(link.server.api.call("giveRole", { personId: id, projectId: project.id, role }));
  const words = role === null ? "sees nothing of" : `is ${role} in`;
  print(line, given, `${given.person.name} ${words} ${project.name}.`);
}

export async function listPeople({ server }: ServerLink): Promise<readonly ShownPerson[]> {
  return (await asked(server.api.call("listPeople", {}))).people;
}

/** By id, a unique beginning of one, or by name. */
async function find(link: ServerLink, wanted: string): Promise<ShownPerson> {
  const known = await listPeople(link);
  const same = known.filter(({ id, name }) => id === wanted || name.toLowerCase() === wanted.toLowerCase());
  const found = same.length > 0 ? same : known.filter(({ id }) => id.startsWith(wanted));
  const [only] = found;
  if (only && found.length === 1) return only;
  const words =
    found.length > 1 ? `"${wanted}" matches ${found.length} people. Type more of the id.` : `No person "${wanted}".`;
  throw new CliError(EXIT.failed, `${words} List people with: liminal people`, "PERSON_NOT_FOUND");
}

/** A refusal ends the command with the server's words. */
async function asked<Answer>(answer: Promise<Answer>): Promise<Answer> {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof LiminalApiError)) throw error;
    throw new CliError(EXIT.failed, error.message, error.code);
  }
}

function listed({ screen }: CommandLine, { hello }: ServerLink, known: readonly ShownPerson[]): Styled {
  const projectName = (id: string) => hello.projects.find((project) => project.id === id)?.name ?? id;
  const rows = known.map(({ id, name, role, disabled, roles, devices, isThis }) => [
    id.slice(0, ID_CHARS_SHOWN),
    isThis ? `${name} (you)` : name,
    disabled ? "disabled" : role,
    String(devices),
    role === "owner" ? "all" : roles.map((one) => `${projectName(one.projectId)}: ${one.role}`).join(", ") || "none",
  ]);
  return table(COLUMNS, rows, screen);
}
