import { RPC_CODE, RpcError } from "../wire/rpc-error.ts";
import { isEmpty, type Skill } from "./skill.ts";

/** A turn that ends in a JSON-RPC error. */
export const fail: Skill = {
  name: "fail",
  usage: "fail",
  summary: "Answers with an error, to see what that looks like.",
  accepts: isEmpty,
  run() {
    throw new RpcError(RPC_CODE.internal, "The guide failed, as you asked.");
  },
};
