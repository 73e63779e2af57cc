import { gradientPng } from "./gradient-png.ts";
import { isEmpty, type Skill } from "./skill.ts";

/** A picture made on the spot. */
export const image: Skill = {
  name: "image",
  usage: "image",
  summary: "Paints a small picture.",
  accepts: isEmpty,
  run(turn) {
    turn.say("Dawn, in 160 by 96 pixels:\n\n");
    turn.sayBlock({ type: "image", mimeType: "image/png", data: gradientPng(160, 96).toString("base64") });
  },
};
