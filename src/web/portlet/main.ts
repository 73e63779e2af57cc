import "../zod-jitless.ts";
import { SessionFrame } from "./session-frame.tsx";

new SessionFrame(window).open();
