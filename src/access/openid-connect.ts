import {
  AuthorizationResponseError,
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  type ClientAuth,
  ClientError,
  ClientSecretBasic,
  ClientSecretPost,
  type Configuration,
  calculatePKCECodeChallenge,
  clockTolerance,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
  None,
  ResponseBodyError,
  WWWAuthenticateChallengeError,
} from "openid-client";
import { z } from "zod/mini";
import { ServiceTrouble, type Trouble } from "./service-trouble.ts";

const ANSWER_S_MAX = 10;
const CLOCKS_APART_S_MAX = 30;
const CLAIM_CHARS_MAX = 500;

export interface ServiceAddress {
  readonly issuer: string;
  readonly clientId: string;
  readonly scopes: readonly string[];
}

/** What was sent along with a person, and has to come back with them. */
export interface Checks {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

export interface Account {
  /** Of one account at one service, for good: `issuer subject`. */
  readonly subject: string;
  /** Asks the service again if the token did not say it. */
  readonly details: () => Promise<AccountDetails>;
}

export interface AccountDetails {
  readonly name: string | null;
  /** In lower case. */
  readonly email: string | null;
  readonly isEmailVerified: boolean;
}

const Claim = z.catch(z.nullish(z.string().check(z.trim(), z.minLength(1), z.maxLength(CLAIM_CHARS_MAX))), null);
const Details = z.object({
  name: Claim,
  email: Claim,
  // Some services send a text.
  email_verified: z.catch(z.nullish(z.union([z.boolean(), z.stringbool()])), null),
});

/** A company's sign-in service that speaks OpenID Connect: authorization code flow with PKCE. Loaded with the setting. */
export class OpenIdConnect {
  readonly #config: Configuration;
  readonly #scopes: readonly string[];

  private constructor(config: Configuration, scopes: readonly string[]) {
    this.#config = config;
    this.#scopes = scopes;
  }

  /** Asks the service where its addresses and keys are. */
  static async discover({ issuer, clientId, scopes }: ServiceAddress, secret: string | null): Promise<OpenIdConnect> {
    const server = new URL(issuer);
    const config = await told(() =>
      discovery(server, clientId, { [clockTolerance]: CLOCKS_APART_S_MAX }, secretAs(secret), {
        timeout: ANSWER_S_MAX,
        // The setting allows that on this machine alone.
        execute: [enableNonRepudiationChecks, ...(server.protocol === "http:" ? [allowInsecureRequests] : [])],
      }),
    );
    return new OpenIdConnect(config, scopes);
  }

  /** That its keys can be read, without which no token can be verified. */
  async checkKeys(): Promise<void> {
    const { jwks_uri: address } = this.#config.serverMetadata();
    if (address === undefined) throw new ServiceTrouble("unverifiable", "it does not say where its keys are");
    const answer = await told(() => fetch(address, { signal: AbortSignal.timeout(ANSWER_S_MAX * 1_000) }));
    if (!answer.ok)
      throw new ServiceTrouble("unreachable", `its keys at ${address} are answered with ${answer.status}`);
  }

  /** Where the browser has to go. `asksAgain`: also whoever is signed in there has to say who they are. */
  async addressFor({ state, nonce, verifier }: Checks, returnTo: string, asksAgain: boolean): Promise<string> {
    const parameters = {
      redirect_uri: returnTo,
      scope: this.#scopes.join(" "),
      code_challenge: await calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
      state,
      nonce,
      ...(asksAgain && { prompt: "login" }),
    };
    return buildAuthorizationUrl(this.#config, parameters).href;
  }

  /** Whose account it is with which the browser came back; issuer, audience, times, nonce and signature are checked. */
  async accountOf(returned: URL, { state, nonce, verifier }: Checks): Promise<Account> {
    const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true };
    const tokens = await told(() => authorizationCodeGrant(this.#config, returned, checks));
    const claims = tokens.claims();
    if (claims === undefined) throw new ServiceTrouble("unverifiable", "there is no ID token");
    const details = async () => {
      const isAsked = claims["email"] === undefined && this.#config.serverMetadata().userinfo_endpoint !== undefined;
      const more = isAsked ? await told(() => fetchUserInfo(this.#config, tokens.access_token, claims.sub)) : {};
      const { name, email, email_verified } = Details.parse({ ...claims, ...more });
      return { name: name ?? null, email: email?.toLowerCase() ?? null, isEmailVerified: email_verified === true };
    };
    return { subject: `${claims.iss} ${claims.sub}`, details };
  }
}

/** In the way that the service knows; without another word of it, in the header. */
function secretAs(secret: string | null): ClientAuth {
  if (secret === null) return None();
  const [inHeader, inBody] = [ClientSecretBasic(secret), ClientSecretPost(secret)];
  return (server, ...request) => {
    const known = server.token_endpoint_auth_methods_supported ?? [];
    const isInBody = known.includes("client_secret_post") && !known.includes("client_secret_basic");
    return (isInBody ? inBody : inHeader)(server, ...request);
  };
}

async function told<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  try {
    return await ask();
  } catch (error) {
    throw new ServiceTrouble(troubleOf(error), wordsOf(error));
  }
}

/** Nothing came, or nothing that a sign-in service sends. */
const NO_ANSWER: readonly unknown[] = [
  undefined,
  "OAUTH_TIMEOUT",
  "OAUTH_ABORT",
  "OAUTH_RESPONSE_IS_NOT_CONFORM",
  "OAUTH_RESPONSE_IS_NOT_JSON",
  "OAUTH_PARSE_ERROR",
];

function troubleOf(error: unknown): Trouble {
  if (error instanceof AuthorizationResponseError) return "denied";
  if (error instanceof WWWAuthenticateChallengeError) return "client";
  if (error instanceof ResponseBodyError) {
    if (error.error === "invalid_grant") return "used";
    return error.status >= 500 ? "unreachable" : "client";
  }
  if (!(error instanceof ClientError)) return "unreachable";
  if (error.code === "OAUTH_JWT_TIMESTAMP_CHECK_FAILED") return "clock";
  return NO_ANSWER.includes(error.code) ? "unreachable" : "unverifiable";
}

/** With what lies behind it, and without the content of tokens. */
function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof WWWAuthenticateChallengeError)
    return `it refuses this client (${error.cause.map(({ parameters }) => parameters.error ?? "no reason").join(", ")})`;
  const said = error instanceof ResponseBodyError || error instanceof AuthorizationResponseError;
  const more = said ? ` (${error.error}${error.error_description ? `: ${error.error_description}` : ""})` : "";
  const behind = error.cause instanceof Error ? `: ${error.cause.message}` : "";
  return `${error.message}${more}${said ? "" : behind}`;
}
