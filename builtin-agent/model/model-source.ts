import type { ModelBackend } from "../agent/run-turn.ts";
import { RPC_CODE, RpcError } from "../wire/rpc-error.ts";
import type { Orchestrator } from "./orchestrator.ts";
import { chooseModel } from "./settings.ts";

/** The model as it is set now: the user may change it while this process runs. */
export class ModelSource {
  readonly #env: Parameters<typeof chooseModel>[0];
  #orchestrator: Orchestrator | undefined;

  constructor(env: Parameters<typeof chooseModel>[0]) {
    this.#env = env;
  }

  get isSet(): boolean {
    return chooseModel(this.#env).state !== "none";
  }

  /** Tool servers are of use with a model, which may be set later. */
  get mayBeSet(): boolean {
    return this.isSet || Boolean(this.#env["LIMINAL_MODEL_FILE"]);
  }

  /** Its code is imported with the first prompt for it: the plain guide starts in a few milliseconds. */
  async open(): Promise<ModelBackend | undefined> {
    const choice = chooseModel(this.#env);
    if (choice.state === "none") return undefined;
    if (choice.state === "ready") {
      const { Orchestrator } = await import("./orchestrator.ts");
      this.#orchestrator ??= new Orchestrator(choice.settings);
      this.#orchestrator.use(choice.settings);
      return this.#orchestrator;
    }
    const refuse = () => Promise.reject(new RpcError(RPC_CODE.internal, `The model cannot be used. ${choice.problem}`));
    return { answer: refuse, compactNow: refuse };
  }
}
