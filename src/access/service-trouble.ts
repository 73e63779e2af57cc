/** Why a sign-in by a service failed, as far as people have to do different things about it. */
export type Trouble = "unreachable" | "client" | "clock" | "denied" | "used" | "unverifiable";

/** `message`: what happened, for the log. */
export class ServiceTrouble extends Error {
  override readonly name = "ServiceTrouble";
  readonly trouble: Trouble;

  constructor(trouble: Trouble, message: string) {
    super(message);
    this.trouble = trouble;
  }
}
