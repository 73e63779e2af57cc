import type { ShownBranch } from "../../../protocol/portlet-messages.ts";
import { createElement } from "../../../ui/create-element.ts";
import { createIcon } from "../../../ui/icons/create-icon.ts";

/** The chip where other sessions began. The frame opens the one, or the list of them, by its data attribute. */
export function createBranchPoint(branches: readonly ShownBranch[], isStart: boolean): HTMLElement {
  const words = branches.length === 1 ? "1 branch" : `${branches.length} branches`;
  const [only] = branches;
  const isOne = branches.length === 1 && only !== undefined;
  const chip = createElement("button", "chip", createIcon("fork", "icon-sm"), words);
  chip.type = "button";
  chip.dataset["branches"] = isStart ? "" : (only?.entryId ?? "");
  if (isOne) {
    chip.title = `Open “${only.title}”`;
    chip.setAttribute("aria-label", `${words}: open ${only.title}`);
  } else {
    chip.append(createIcon("down", "icon-sm"));
    chip.setAttribute("aria-haspopup", "menu");
    chip.setAttribute("aria-expanded", "false");
  }
  return createElement("div", "branch-point", chip);
}
