import { TaskQueue } from "../lib/task-queue.ts";
import type { PeopleStore, StoredPerson } from "../ports/people-store.ts";
import { isoTime, type World } from "../ports/world.ts";
import { REFUSE, RefusalError } from "../protocol/errors.ts";
import type { ProjectId } from "../protocol/ids.ts";
import {
  type ChangedPerson,
  type NewPerson,
  OWNER_ID,
  type OwnStanding,
  PEOPLE_MAX,
  type ProjectRole,
} from "../protocol/people.ts";
import { PersonId, type PersonRef } from "../protocol/person-ref.ts";
import { type Action, may, type PersonRights } from "./may.ts";

const OWNER_NAME = "Owner";

/** A person with all stored data. */
export interface Person extends PersonRights {
  readonly id: PersonId;
  readonly name: string;
  /** Absent for an owner without a name. */
  readonly createdAt?: string;
  readonly email: string | null;
  readonly subject: string | null;
}

interface PeopleOptions {
  readonly store: PeopleStore;
  readonly world: World;
}

/**
 * The people who use this server. There is always the owner, whoever has the token; while there is only the owner,
 * nothing else here is used. Rights are decided in memory, and a change takes effect before it is stored.
 */
export class People {
  readonly #options: PeopleOptions;
  readonly #known: Map<PersonId, StoredPerson>;
  readonly #roles: Map<PersonId, Map<ProjectId, ProjectRole>>;
  readonly #onChanged = new Set<(id: PersonId) => void>();
  /** What changes in memory is stored in the same order. */
  readonly #writes = new TaskQueue();

  static async open(options: PeopleOptions): Promise<People> {
    const [people, roles] = await Promise.all([options.store.list(), options.store.roles()]);
    const byPerson = new Map<PersonId, Map<ProjectId, ProjectRole>>();
    for (const { personId, projectId, role } of roles)
      byPerson.set(personId, (byPerson.get(personId) ?? new Map()).set(projectId, role));
    return new People(options, people, byPerson);
  }

  private constructor(
    options: PeopleOptions,
    people: readonly StoredPerson[],
    roles: Map<PersonId, Map<ProjectId, ProjectRole>>,
  ) {
    this.#options = options;
    this.#known = new Map(people.map((person) => [person.id, person]));
    this.#roles = roles;
  }

  /** There is only the owner, so no names are shown. */
  get isAlone(): boolean {
    return this.#known.size === 0 || (this.#known.size === 1 && this.#known.has(OWNER_ID));
  }

  /** The owner first, then the oldest. */
  list(): readonly Person[] {
    const others = [...this.#known.keys()].filter((id) => id !== OWNER_ID);
    return [OWNER_ID, ...others].flatMap((id) => this.get(id) ?? []);
  }

  get(id: PersonId): Person | null {
    const stored = this.#known.get(id);
    if (stored) return { ...stored, roles: this.#roles.get(id) ?? new Map() };
    return id === OWNER_ID
      ? { id, name: OWNER_NAME, role: "owner", isDisabled: false, roles: new Map(), email: null, subject: null }
      : null;
  }

  /** Who has this name at the sign-in service. */
  withSubject(subject: string): Person | null {
    const found = [...this.#known.values()].find((person) => person.subject === subject);
    return found ? this.get(found.id) : null;
  }

  /** Whom the sign-in service knows by this address, in lower case. */
  withEmail(email: string): Person | null {
    const found = [...this.#known.values()].find((person) => person.email === email);
    return found ? this.get(found.id) : null;
  }

  hasName(name: string): boolean {
    return this.#named(name, null) !== undefined;
  }

  /** Is there, and was not disabled. */
  isActive(id: PersonId): boolean {
    return this.get(id)?.isDisabled === false;
  }

  may(id: PersonId, action: Action, project: ProjectId | null): boolean {
    return may(this.get(id), action, project);
  }

  /** May do everything, so that no lookup is needed. */
  isUnlimited(id: PersonId): boolean {
    const person = this.get(id);
    return person?.role === "owner" && !person.isDisabled;
  }

  /** The projects that they may look at; null: all. */
  within(id: PersonId): readonly ProjectId[] | null {
    const person = this.get(id);
    if (this.isUnlimited(id)) return null;
    return [...(person?.roles.keys() ?? [])].filter((project) => may(person, "look", project));
  }

  /** For facts; undefined while there is only the owner. */
  named(id: PersonId): PersonRef | undefined {
    const person = this.isAlone ? null : this.get(id);
    return person ? { id: person.id, name: person.name } : undefined;
  }

  /** For the hello of a client; undefined while there is only the owner. */
  standing(id: PersonId): OwnStanding | undefined {
    const person = this.isAlone ? null : this.get(id);
    if (!person) return undefined;
    const roles = [...person.roles].map(([projectId, role]) => ({ projectId, role }));
    return { id: person.id, name: person.name, role: person.role, roles };
  }

  /** Called with each person whose rights have changed. */
  onChanged(listener: (id: PersonId) => void): void {
    this.#onChanged.add(listener);
  }

  async add({ name, role = "member", email }: NewPerson, subject: string | null = null): Promise<Person> {
    if (this.#known.size >= PEOPLE_MAX) throw new RefusalError(REFUSE.limitExceeded("people", PEOPLE_MAX));
    this.#refuseName(name, null);
    this.#refuseEmail(email ?? null, null);
    const wasAlone = this.isAlone;
    const { world } = this.#options;
    const person: StoredPerson = {
      id: PersonId.parse(world.newId()),
      name,
      role,
      isDisabled: false,
      createdAt: isoTime(world),
      email: email ?? null,
      subject,
    };
    // Added at once, so that a duplicate name is detected.
    this.#known.set(person.id, person);
    try {
      await this.#writes.run(() => this.#options.store.put(person));
    } catch (error) {
      this.#known.delete(person.id);
      throw error;
    }
    // Clients of the owner are notified that there are others.
    if (wasAlone) this.#tell(OWNER_ID);
    return { ...person, roles: new Map() };
  }

  async change({ personId, name, role, disabled, email: wanted }: ChangedPerson): Promise<Person> {
    const known = this.#find(personId);
    if (personId === OWNER_ID && ((role !== undefined && role !== "owner") || disabled))
      throw new RefusalError(REFUSE.ownerStays());
    if (name !== undefined) this.#refuseName(name, personId);
    const email = wanted === undefined ? known.email : wanted;
    this.#refuseEmail(email, personId);
    const next: StoredPerson = {
      id: personId,
      name: name ?? known.name,
      role: role ?? known.role,
      isDisabled: disabled ?? known.isDisabled,
      createdAt: known.createdAt ?? isoTime(this.#options.world),
      email,
      subject: email === known.email ? known.subject : null,
    };
    this.#known.set(personId, next);
    this.#tell(personId);
    await this.#writes.run(() => this.#options.store.put(next));
    return this.#find(personId);
  }

  /** From then on this person can sign in by the service, too. */
  async bind(personId: PersonId, subject: string): Promise<void> {
    const known = this.#find(personId);
    const next = { ...known, createdAt: known.createdAt ?? isoTime(this.#options.world), subject };
    const { roles: _, ...stored } = next;
    this.#known.set(personId, stored);
    await this.#writes.run(() => this.#options.store.put(stored));
  }

  /** Their access ends now; what they did keeps their name. */
  async remove(personId: PersonId): Promise<void> {
    if (personId === OWNER_ID) throw new RefusalError(REFUSE.ownerStays());
    this.#find(personId);
    this.#known.delete(personId);
    this.#roles.delete(personId);
    this.#tell(personId);
    if (this.isAlone) this.#tell(OWNER_ID);
    await this.#writes.run(() => this.#options.store.delete(personId));
  }

  /** `role: null`: they no longer see the project. */
  async giveRole(personId: PersonId, projectId: ProjectId, role: ProjectRole | null): Promise<Person> {
    const known = this.#find(personId);
    if (known.role === "owner") throw new RefusalError(REFUSE.ownerHasAllRoles(known.name));
    const roles = new Map(known.roles);
    if (role === null) roles.delete(projectId);
    else roles.set(projectId, role);
    this.#roles.set(personId, roles);
    this.#tell(personId);
    const { store } = this.#options;
    await this.#writes.run(() =>
      role === null ? store.deleteRole(personId, projectId) : store.putRole({ personId, projectId, role }),
    );
    return this.#find(personId);
  }

  #find(id: PersonId): Person {
    const found = this.get(id);
    if (!found) throw new RefusalError(REFUSE.personNotFound());
    return found;
  }

  /** Two people with one name could not be distinguished in a transcript. */
  #refuseName(name: string, own: PersonId | null): void {
    if (this.#named(name, own)) throw new RefusalError(REFUSE.nameTaken(name));
  }

  #named(name: string, own: PersonId | null): Person | undefined {
    return this.list().find((one) => one.id !== own && one.name.toLowerCase() === name.toLowerCase());
  }

  #refuseEmail(email: string | null, own: PersonId | null): void {
    const same = email === null ? null : this.withEmail(email);
    if (same && same.id !== own) throw new RefusalError(REFUSE.emailTaken(same.name));
  }

  #tell(id: PersonId): void {
    for (const listener of this.#onChanged) listener(id);
  }
}
