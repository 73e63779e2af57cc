import "../ui/zod-jitless.ts";
import { guardClicks } from "../ui/guard-clicks.ts";
import { SessionFrame } from "./session-frame.tsx";

guardClicks(document);
new SessionFrame(window).open();
