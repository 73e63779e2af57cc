import { useEffect, useRef, useState } from "preact/hooks";
import { ignore } from "../../lib/ignore.ts";
import { ShownInvitation } from "../../protocol/devices.ts";
import type { ProjectId } from "../../protocol/ids.ts";
import {
  type ChangedPerson,
  type NewPerson,
  PERSON_EMAIL_CHARS_MAX,
  PERSON_NAME_CHARS_MAX,
  PeopleList,
  PersonEmail,
  type ProjectRole,
  type ServerRole,
  type ShownPerson,
} from "../../protocol/people.ts";
import type { PersonId } from "../../protocol/person-ref.ts";
import type { Project } from "../../protocol/server-messages.ts";
import { Icon } from "../../ui/icons/icon.tsx";
import { askJson } from "../ask-json.ts";
import { Choice } from "../controls/choice.tsx";
import { PairPanel } from "../devices/devices-section.tsx";
import type { Shell } from "../state/shell.ts";
import { runsServer } from "../state/standing.ts";
import { ListWithForm, SettingsForm } from "./list-with-form.tsx";
import { useAttempt } from "./use-attempt.ts";

const ROLE_WORDS: Readonly<Record<ServerRole, string>> = {
  member: "Member: what their roles in projects allow",
  owner: "Owner: everything, in every project",
};
const PROJECT_ROLE_WORDS: Readonly<Record<ProjectRole | "none", string>> = {
  none: "Sees nothing",
  viewer: "Viewer",
  member: "Member",
  owner: "Owner",
};
const REFRESH_MS = 3_000;

/** The people who use this server, their roles, and links that let them in. */
export function PeopleSection({ shell }: { shell: Shell }) {
  const { people, service, problem, ask } = usePeople();
  const [inviting, setInviting] = useState<ShownPerson | null>(null);
  const state = shell.server.value;
  const isOwner = runsServer(state);
  const own = state.person;
  const mayGiveRoles = ({ id }: Project) =>
    isOwner || own?.roles.some(({ projectId, role }) => projectId === id && role === "owner") === true;
  const projects = state.projects.filter(mayGiveRoles);
  const row = (person: ShownPerson, edit: () => void, leave: () => void) => (
    <PersonRow
      key={person.id}
      person={person}
      service={service}
      projects={projects}
      isOwner={isOwner}
      isInviting={inviting?.id === person.id}
      onEdit={edit}
      onInvite={() => setInviting(person)}
      onChange={(change) => void ask(() => changePerson({ personId: person.id, ...change }))}
      onRole={(projectId, role) => void ask(() => giveRole(person.id, projectId, role))}
      onRemove={() => {
        if (inviting?.id === person.id) setInviting(null);
        leave();
        void ask(() => removePerson(person.id));
      }}
    />
  );
  // A person who assigns roles in a project cannot add people.
  if (!isOwner)
    return (
      <>
        <ul class="notice-targets" aria-labelledby="settings-people">
          {people?.map((person) =>
            row(person, ignore("only an owner edits people"), ignore("only an owner removes people")),
          )}
        </ul>
        {problem !== "" && (
          <p class="error-text" role="alert">
            {problem}
          </p>
        )}
        <p class="hint">{ROLES_HINT}</p>
      </>
    );
  return (
    <ListWithForm
      headingId="settings-people"
      items={people}
      keyOf={({ id }) => id}
      addWords="Add a person"
      row={(person, { edit, leave }) => row(person, edit, leave)}
      between={(done) =>
        inviting && (
          <PairPanel
            key={inviting.id}
            label={`Invite ${inviting.name}`}
            isNamed
            make={() => invitePerson(inviting.id)}
            onClose={() => {
              setInviting(null);
              done();
            }}
          />
        )
      }
      form={(person, form) => (
        <PersonForm
          person={person}
          service={service}
          onCancel={form.cancel}
          onSave={(wanted) =>
            form.save(() =>
              ask(() => (person === null ? addPerson(newPerson(wanted)) : changePerson(changeOf(person, wanted)))),
            )
          }
        />
      )}
      problem={problem}
      hint={`Whoever has the server's token is an owner. ${ROLES_HINT}`}
    />
  );
}

const ROLES_HINT =
  "Without a role, a person sees nothing of a project. Viewers look, members work, owners also decide about the project. Whoever works can run commands with the rights of the server's account, or of the account at the place.";

interface PersonRowProps {
  readonly person: ShownPerson;
  /** The company's sign-in service; null without one. */
  readonly service: string | null;
  /** The projects in which this reader assigns roles. */
  readonly projects: readonly Project[];
  readonly isOwner: boolean;
  readonly isInviting: boolean;
  readonly onEdit: () => void;
  readonly onInvite: () => void;
  readonly onChange: (change: Omit<ChangedPerson, "personId">) => void;
  readonly onRole: (projectId: ProjectId, role: ProjectRole | null) => void;
  readonly onRemove: () => void;
}

function PersonRow(props: PersonRowProps) {
  const { person, service, projects, isOwner, isInviting, onEdit, onInvite, onChange, onRole, onRemove } = props;
  const { name, role, disabled, devices, isConnected, isThis, roles, email } = person;
  const [isRemoving, setRemoving] = useState(false);
  const counted = devices === 1 ? "1 device" : `${devices} devices`;
  const standing = [
    disabled ? "disabled" : role,
    devices === 0 ? "not signed in yet" : counted,
    ...(isConnected ? ["connected now"] : []),
    ...(email === undefined || service === null ? [] : [email]),
  ];
  return (
    <li class="person">
      <span class="notice-words">
        <span class="notice-address">
          {name}
          {isThis && <span class="device-this">you</span>}
        </span>
        <span class="muted">{standing.join(" · ")}</span>
      </span>
      {isOwner && (
        <span class="notice-actions">
          {!disabled && !isThis && (
            <button type="button" class="button small" aria-expanded={isInviting} onClick={onInvite}>
              <span class="visually-hidden">{name}: </span>Invite
            </button>
          )}
          <button type="button" class="button small" onClick={onEdit}>
            <span class="visually-hidden">{name}: </span>Edit
          </button>
          {!isThis && (
            <>
              <button type="button" class="button small" onClick={() => onChange({ disabled: !disabled })}>
                <span class="visually-hidden">{name}: </span>
                {disabled ? "Enable" : "Disable"}
              </button>
              <button type="button" class="button small" aria-expanded={isRemoving} onClick={() => setRemoving(true)}>
                <span class="visually-hidden">{name}: </span>Remove
              </button>
            </>
          )}
        </span>
      )}
      {isRemoving && <RemoveQuestion name={name} onKeep={() => setRemoving(false)} onRemove={onRemove} />}
      {role === "member" && projects.length > 0 && (
        <fieldset class="person-roles">
          <legend class="visually-hidden">Roles of {name}</legend>
          {projects.map((project) => (
            <div key={project.id} class="person-role">
              <span class="truncate" title={project.path}>
                {project.name}
              </span>
              <Choice
                label={`Role of ${name} in ${project.name}`}
                words={PROJECT_ROLE_WORDS}
                value={roles.find(({ projectId }) => projectId === project.id)?.role ?? "none"}
                onChoose={(chosen) => onRole(project.id, chosen === "none" ? null : chosen)}
              />
            </div>
          ))}
        </fieldset>
      )}
    </li>
  );
}

function RemoveQuestion({ name, onKeep, onRemove }: { name: string; onKeep: () => void; onRemove: () => void }) {
  const keep = useRef<HTMLButtonElement>(null);
  useEffect(() => keep.current?.focus(), []);
  return (
    // biome-ignore lint/a11y/useSemanticElements: no fields here, a question with two answers
    <section class="revoke-all" role="group" aria-label={`Remove ${name}`}>
      <p>Remove {name}? They are signed out everywhere at once. What they wrote stays, with their name.</p>
      <div class="row">
        <button type="button" class="button" ref={keep} onClick={onKeep}>
          Keep this person
        </button>
        <button type="button" class="button danger" onClick={onRemove}>
          <Icon name="trash" class="icon-sm" />
          Remove
        </button>
      </div>
    </section>
  );
}

interface PersonFormProps {
  /** Null: a new one. */
  readonly person: ShownPerson | null;
  readonly service: string | null;
  readonly onSave: (wanted: WantedPerson) => void;
  readonly onCancel: () => void;
}

interface WantedPerson {
  readonly name: string;
  readonly role: ServerRole;
  /** Null: none. */
  readonly email: string | null;
}

const newPerson = ({ email, ...rest }: WantedPerson): NewPerson => ({ ...rest, ...(email !== null && { email }) });

const changeOf = (person: ShownPerson, { email, ...rest }: WantedPerson): ChangedPerson => ({
  personId: person.id,
  ...rest,
  ...(email !== (person.email ?? null) && { email }),
});

function PersonForm({ person, service, onSave, onCancel }: PersonFormProps) {
  const [name, setName] = useState(person?.name ?? "");
  const [role, setRole] = useState<ServerRole>(person?.role ?? "member");
  const [address, setAddress] = useState(person?.email ?? "");
  const [isTried, setTried] = useState(false);
  const email = address.trim() === "" ? null : PersonEmail.safeParse(address).data;
  const wrong = {
    name: name.trim() === "" ? "Enter a name, as the others know this person." : "",
    email: email === undefined ? "Enter an e-mail address such as ann@example.com, or none." : "",
  };
  const problem = isTried ? wrong.name || wrong.email : "";
  return (
    <SettingsForm
      label={person === null ? "Add a person" : `Edit ${person.name}`}
      problemId="person-problem"
      problem={problem}
      saveWords={person === null ? "Add" : "Save"}
      onSubmit={() => {
        setTried(true);
        if (wrong.name === "" && email !== undefined) onSave({ name: name.trim(), role, email });
      }}
      onCancel={onCancel}
    >
      <label for="person-name">
        Name
        <div class="field">
          <input
            id="person-name"
            value={name}
            maxLength={PERSON_NAME_CHARS_MAX}
            autocomplete="off"
            spellcheck={false}
            aria-invalid={isTried && wrong.name !== ""}
            aria-describedby="person-problem"
            onInput={(event) => setName(event.currentTarget.value)}
          />
        </div>
      </label>
      {service !== null && (
        <label for="person-email">
          E-mail at {service}
          <div class="field">
            <input
              id="person-email"
              inputMode="email"
              value={address}
              maxLength={PERSON_EMAIL_CHARS_MAX}
              autocomplete="off"
              spellcheck={false}
              placeholder="None: signs in by links alone"
              aria-invalid={isTried && wrong.email !== ""}
              aria-describedby="person-problem"
              onInput={(event) => setAddress(event.currentTarget.value)}
            />
          </div>
        </label>
      )}
      {!person?.isThis && (
        <div class="setting">
          <span>May do</span>
          <Choice label="May do" words={ROLE_WORDS} value={role} onChoose={setRole} />
        </div>
      )}
    </SettingsForm>
  );
}

/** The people, refreshed while in view. */
function usePeople() {
  const [people, setPeople] = useState<readonly ShownPerson[] | null>(null);
  const [service, setService] = useState<string | null>(null);
  const { problem, attempt } = useAttempt();
  const read = async () => {
    const listed = PeopleList.parse(await askJson("/api/v1/people"));
    setPeople(listed.people);
    setService(listed.service ?? null);
  };
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isShown = true;
    const again = () => {
      if (isShown) timer = setTimeout(look, REFRESH_MS);
    };
    // An unreachable server is reported elsewhere in the page.
    const look = () => void read().then(again, again);
    look();
    return () => {
      isShown = false;
      clearTimeout(timer);
    };
  }, []);
  return {
    people,
    service,
    problem,
    /** False when it was refused. */
    ask: async (change: () => Promise<unknown>): Promise<boolean> => {
      const isDone = await attempt(async () => {
        await change();
        await read();
        return true;
      });
      return isDone === true;
    },
  };
}

const addressOf = (id: PersonId) => `/api/v1/people/${encodeURIComponent(id)}`;

function addPerson(wanted: NewPerson): Promise<unknown> {
  return askJson("/api/v1/people", { method: "POST", body: JSON.stringify(wanted) });
}

function changePerson({ personId, ...change }: ChangedPerson): Promise<unknown> {
  return askJson(addressOf(personId), { method: "PATCH", body: JSON.stringify(change) });
}

function removePerson(id: PersonId): Promise<unknown> {
  return askJson(addressOf(id), { method: "DELETE" });
}

function giveRole(id: PersonId, projectId: ProjectId, role: ProjectRole | null): Promise<unknown> {
  return askJson(`${addressOf(id)}/roles`, { method: "POST", body: JSON.stringify({ projectId, role }) });
}

async function invitePerson(id: PersonId): Promise<ShownInvitation> {
  return ShownInvitation.parse(await askJson(`${addressOf(id)}/invitation`, { method: "POST", body: "{}" }));
}
