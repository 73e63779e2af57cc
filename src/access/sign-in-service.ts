import { createCipheriv, createDecipheriv, createHmac } from "node:crypto";
import { z } from "zod/mini";
import { parseJson } from "../lib/parse-json.ts";
import { RefusalError } from "../protocol/errors.ts";
import { PersonEmail, PersonName } from "../protocol/people.ts";
import type { AccountDetails, Checks, OpenIdConnect } from "./openid-connect.ts";
import type { People, Person } from "./people.ts";
import { isSameSecret } from "./secrets.ts";
import { ServiceTrouble, type Trouble } from "./service-trouble.ts";

/** From the button to the way back, with whatever the service asks in between. */
export const VISIT_MS = 10 * 60_000;
/** Larger than any that we made. */
const SEALED_CHARS_MAX = 2_000;
const RUNNING_MAX = 20;
/** As many ways back are remembered as used. */
const USED_MAX = 1_000;
/** A service that did not answer is not asked again for so long. */
const RETRY_MS = 3_000;
const CIPHER = "aes-256-gcm";
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** `oidc` of config.json. */
export interface ServiceSetting {
  readonly issuer: string;
  readonly clientId: string;
  /** Looked up when the service is asked; null: there is none. */
  readonly clientSecret: () => { readonly secret: string | null } | { readonly reason: string };
  /** Of this server, as the browsers of people reach it; null: as those of its own machine do. */
  readonly address: string | null;
  readonly scopes: readonly string[];
  /** As people call the service. */
  readonly name: string;
  /** Who may come in without having been added: e-mail addresses, and domains with an @ before them. */
  readonly allow: readonly string[];
}

interface SignInServiceOptions {
  readonly setting: ServiceSetting;
  /** Of the app: what is sealed with it can be opened by every server of a team. */
  readonly token: string;
  readonly people: People;
  /** Milliseconds since 1970: servers of a team have no other clock in common. */
  readonly now: () => number;
  readonly monotonicMs: () => number;
  readonly newSecret: () => string;
  readonly warn: (text: string) => void;
}

/** For the person who wanted to sign in. */
export class SignInFailure extends Error {
  override readonly name = "SignInFailure";
  readonly status: number;
  /** It may have been a guess. */
  readonly isCounted: boolean;

  constructor(status: number, words: string, isCounted = false) {
    super(words);
    this.status = status;
    this.isCounted = isCounted;
  }
}

const Visit = z.strictObject({ state: z.string(), nonce: z.string(), verifier: z.string(), endsAtMs: z.number() });

/** People sign in with the accounts that they have at their company. Nothing is loaded or asked before the first one does. */
export class SignInService {
  readonly #options: SignInServiceOptions;
  readonly #key: Buffer;
  readonly #used = new Set<string>();
  #running = 0;
  #link: Promise<OpenIdConnect> | null = null;
  #failed: { readonly failure: SignInFailure; readonly untilMs: number } | null = null;

  constructor(options: SignInServiceOptions) {
    this.#options = options;
    this.#key = createHmac("sha256", options.token).update("visits to the sign-in service").digest();
  }

  get name(): string {
    return this.#options.setting.name;
  }

  get address(): string | null {
    return this.#options.setting.address;
  }

  /** Where the browser has to go, and what it has to bring back besides: sealed, so that only we can read it. */
  async begin(returnTo: string, asksAgain: boolean): Promise<{ readonly location: string; readonly visit: string }> {
    const { now, newSecret } = this.#options;
    const checks = { state: newSecret(), nonce: newSecret(), verifier: newSecret() };
    const location = await this.#asked((link) => link.addressFor(checks, returnTo, asksAgain));
    return { location, visit: this.#seal({ ...checks, endsAtMs: now() + VISIT_MS }) };
  }

  /** Who came back. `visit`: what the browser got when it left. Throws a `SignInFailure`. */
  async finish(returned: URL, visit: string): Promise<Person> {
    const checks = this.#opened(visit);
    if (checks === null || !isSameSecret(checks.state, returned.searchParams.get("state") ?? "") || !this.#use(checks))
      throw new SignInFailure(
        400,
        "This sign-in was begun too long ago or in another browser, or it was finished already. Start again.",
        true,
      );
    return this.#asked(async (link) => {
      const { subject, details } = await link.accountOf(returned, checks);
      return this.#options.people.withSubject(subject) ?? (await this.#newcomer(subject, await details()));
    }).then((person) => this.#active(person));
  }

  /** Nothing is waited for until the person is known: two sign-ins of one account find one person. */
  #newcomer(subject: string, { name, email, isEmailVerified }: AccountDetails): Person | Promise<Person> {
    const { people, setting } = this.#options;
    const known = people.withSubject(subject);
    if (known) return known;
    const { data: address } = PersonEmail.safeParse(email);
    if (address === undefined)
      throw new SignInFailure(
        403,
        `${this.name} does not say your e-mail address. Ask an owner of this server for an invitation, or to check "scopes" in its settings.`,
      );
    if (!isEmailVerified)
      throw new SignInFailure(
        403,
        `${this.name} has not verified that ${address} is yours. Verify the address there and sign in again, or ask an owner of this server for an invitation.`,
      );
    const invited = people.withEmail(address);
    if (invited?.subject)
      throw new SignInFailure(
        403,
        `${address} belongs to ${invited.name}, who signs in with another account of ${this.name}. Sign in with that one, or ask an owner of this server to let it go: liminal people email.`,
      );
    if (invited) {
      const person = this.#active(invited);
      return people.bind(person.id, subject).then(() => person);
    }
    if (!isAllowed(address, setting.allow))
      throw new SignInFailure(
        403,
        `Nobody here has the e-mail address ${address}. Ask an owner of this server to add you with it: Settings › People.`,
      );
    return people.add({ name: this.#freeName(name, address), role: "member", email: address }, subject);
  }

  #active(person: Person): Person {
    if (person.isDisabled)
      throw new SignInFailure(403, `${person.name} was disabled here. Ask an owner of this server to enable you.`);
    return person;
  }

  /** Two people of one name could not be told apart; two of one address there are not. */
  #freeName(name: string | null, email: string): string {
    const { people, newSecret } = this.#options;
    const wanted = [name, email.replace(/@.*/, ""), email].map((one) => PersonName.safeParse(one).data);
    const free = wanted.find((one) => one !== undefined && !people.hasName(one));
    return free ?? `Person ${newSecret().slice(0, 8)}`;
  }

  async #asked<Answer>(ask: (link: OpenIdConnect) => Promise<Answer>): Promise<Answer> {
    const { monotonicMs, warn } = this.#options;
    if (this.#failed && monotonicMs() < this.#failed.untilMs) throw this.#failed.failure;
    if (this.#running >= RUNNING_MAX)
      throw new SignInFailure(503, "Too many people are signing in now. Try again in a moment.");
    this.#running += 1;
    try {
      this.#link ??= this.#connected();
      return await ask(await this.#link);
    } catch (error) {
      if (error instanceof SignInFailure) throw error;
      if (error instanceof RefusalError) throw new SignInFailure(403, error.message);
      warn(`Signing in by ${this.name} failed: ${error instanceof Error ? error.message : String(error)}`);
      throw error instanceof ServiceTrouble ? this.#failure(error.trouble) : new SignInFailure(500, UNFINISHED);
    } finally {
      this.#running -= 1;
    }
  }

  async #connected(): Promise<OpenIdConnect> {
    const { setting } = this.#options;
    const found = setting.clientSecret();
    if ("reason" in found) throw new ServiceTrouble("client", found.reason);
    const { OpenIdConnect: Service } = await import("./openid-connect.ts");
    return Service.discover(setting, found.secret);
  }

  /** After a failure that is not of one person, the service is asked anew for its addresses and keys. */
  #failure(trouble: Trouble): SignInFailure {
    const isOfVisit = trouble === "denied" || trouble === "used";
    if (!isOfVisit) this.#link = null;
    const failure = new SignInFailure(STATUS[trouble], WORDS[trouble](this.name), isOfVisit);
    if (trouble === "unreachable") this.#failed = { failure, untilMs: this.#options.monotonicMs() + RETRY_MS };
    return failure;
  }

  /** False: somebody came back with it before. */
  #use({ state }: Checks): boolean {
    if (this.#used.has(state)) return false;
    this.#used.add(state);
    for (const oldest of [...this.#used].slice(0, -USED_MAX)) this.#used.delete(oldest);
    return true;
  }

  #seal(visit: z.infer<typeof Visit>): string {
    const iv = Buffer.from(this.#options.newSecret(), "base64url").subarray(0, IV_BYTES);
    const cipher = createCipheriv(CIPHER, this.#key, iv);
    const sealed = Buffer.concat([cipher.update(JSON.stringify(visit), "utf8"), cipher.final()]);
    return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString("base64url");
  }

  /** Null: it is not ours, or too old. */
  #opened(visit: string): Checks | null {
    const bytes = Buffer.from(visit.slice(0, SEALED_CHARS_MAX), "base64url");
    if (bytes.length <= IV_BYTES + TAG_BYTES) return null;
    try {
      const decipher = createDecipheriv(CIPHER, this.#key, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES });
      decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
      const text = decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES), undefined, "utf8") + decipher.final("utf8");
      const { data } = Visit.safeParse(parseJson(text));
      return data !== undefined && this.#options.now() < data.endsAtMs ? data : null;
    } catch {
      return null;
    }
  }
}

const UNFINISHED =
  "This server could not finish your sign-in. Try again in a moment; if it stays so, an owner finds the reason in its log.";

const STATUS: Readonly<Record<Trouble, number>> = {
  ...{ unreachable: 502, client: 502, clock: 502, unverifiable: 502 },
  ...{ denied: 403, used: 400 },
};

const WORDS: Readonly<Record<Trouble, (name: string) => string>> = {
  unreachable: (name) =>
    `${name} does not answer this server. Try again in a moment; if it stays so, an owner finds the reason with liminal doctor.`,
  client: (name) =>
    `${name} does not accept this server. An owner has to correct "oidc" in config.json; liminal doctor and the log say what is wrong.`,
  clock: (name) =>
    `The clocks of ${name} and of this server differ. An owner has to set the clock of this server; then sign in again.`,
  unverifiable: (name) =>
    `What ${name} said about you could not be verified. Sign in again; if it stays so, an owner finds the reason in the log of this server.`,
  denied: (name) => `${name} did not let you in. Start again, and sign in there with an account that may.`,
  used: (name) => `${name} does not know this sign-in any more. Start again.`,
};

function isAllowed(email: string, allow: readonly string[]): boolean {
  return allow.includes(email) || allow.includes(email.slice(email.lastIndexOf("@")));
}
