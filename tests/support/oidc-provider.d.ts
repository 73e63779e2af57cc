/** What the tests use of the package, which comes without types. */
declare module "oidc-provider" {
  import type { RequestListener } from "node:http";

  interface Grant {
    addOIDCScope(scope: string): void;
    save(): Promise<string>;
  }
  interface Context {
    readonly oidc: {
      readonly client: { readonly clientId: string };
      readonly session: { readonly accountId: string };
      readonly provider: {
        readonly Grant: new (of: { readonly clientId: string; readonly accountId: string }) => Grant;
      };
    };
  }
  interface Configuration {
    readonly clients: readonly object[];
    readonly jwks: { readonly keys: readonly object[] };
    readonly cookies: { readonly keys: readonly string[] };
    readonly claims: Readonly<Record<string, readonly string[]>>;
    readonly conformIdTokenClaims: boolean;
    readonly findAccount: (
      context: Context,
      id: string,
    ) => { readonly accountId: string; readonly claims: () => object } | undefined;
    readonly loadExistingGrant: (context: Context) => Promise<Grant>;
  }
  export default class Provider {
    constructor(issuer: string, configuration: Configuration);
    callback(): RequestListener;
  }
}
