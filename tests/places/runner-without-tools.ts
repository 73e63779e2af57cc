import { CONTROL, encodeFrame, FrameReader } from "../../src/places/frames.ts";
import { START } from "../support/test-server.ts";

/** `liminal runner` of a release that knows nothing of our tools: it is never told that the server has some. */
export const RUNNER_WITHOUT_TOOLS = [process.execPath, import.meta.path];

if (import.meta.main) {
  const runner = Bun.spawn([...START, "runner"], { stdin: "pipe", stdout: "inherit", stderr: "inherit" });
  const frames = new FrameReader(({ channel, bytes }) => {
    if (channel !== CONTROL) runner.stdin.write(encodeFrame({ channel, bytes }));
    else {
      const { tools: _, ...message } = JSON.parse(new TextDecoder().decode(bytes));
      runner.stdin.write(encodeFrame({ channel, bytes: new TextEncoder().encode(JSON.stringify(message)) }));
    }
    runner.stdin.flush();
  });
  for await (const chunk of Bun.stdin.stream()) frames.push(chunk);
  await runner.stdin.end();
  process.exit(await runner.exited);
}
