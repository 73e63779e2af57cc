import { expect, test } from "bun:test";
import { useChromium } from "../e2e/use-chromium.ts";
import { launchChromium } from "../support/chromium.ts";
import { expectSoon } from "../support/expect-soon.ts";
import { startTestServer } from "../support/test-server.ts";
import { DEADLINE_MS } from "../support/wait-for.ts";

const chromium = useChromium();

/** What markup that came in by some hole would try. Each gives what happened. */
const ATTEMPTS = `(async () => {
  const outcome = async (act) => { try { return await act(); } catch (error) { return error.name; } };
  // Code that a debugger runs may evaluate text; what it leaves for later is the page's own.
  const later = (act) => new Promise((resolve) => setTimeout(() => resolve(outcome(act))));
  const ran = () => Reflect.get(window, "ran") ?? "inert";
  const inline = () => {
    const script = document.createElement("script");
    script.append("window.ran = 'inline'");
    document.head.append(script);
    return ran();
  };
  const handler = () => {
    const button = document.createElement("button");
    button.setAttribute("onclick", "window.ran = 'handler'");
    document.body.append(button);
    button.click();
    button.remove();
    return ran();
  };
  const remote = () => new Promise((resolve) => {
    const image = new Image();
    image.onload = () => resolve("loaded");
    image.onerror = () => resolve("blocked");
    image.src = "http://127.0.0.1:9/track.png";
  });
  const frame = () => {
    const made = document.createElement("iframe");
    made.src = "data:text/html,<script>top.ran='frame'</script>";
    document.body.append(made);
    made.remove();
    return ran();
  };
  const base = () => {
    const made = document.createElement("base");
    made.href = "http://127.0.0.1:9/";
    document.head.append(made);
    const moved = document.baseURI;
    made.remove();
    return moved.includes(":9/") ? "moved" : "inert";
  };
  return {
    inline: await outcome(inline),
    handler: await outcome(handler),
    innerHTML: await outcome(() => { document.createElement("div").innerHTML = "<b>x</b>"; return "written"; }),
    insert: await outcome(() => { document.body.insertAdjacentHTML("beforeend", "<i></i>"); return "written"; }),
    write: await outcome(() => { document.write("x"); return "written"; }),
    scriptUrl: await outcome(() => { document.createElement("script").src = "/assets/x.js"; return "written"; }),
    worker: await outcome(() => { new Worker("/assets/x.js"); return "started"; }),
    sharedWorker: await outcome(() => { new SharedWorker("/assets/x.js"); return "started"; }),
    policy: await outcome(() => { trustedTypes.createPolicy("mine", { createHTML: (text) => text }); return "made"; }),
    evaluate: await later(() => (0, eval)("'evaluated'")),
    fromText: await later(() => new Function("return 'made'")()),
    elsewhere: await outcome(() => fetch("http://127.0.0.1:9/steal").then(() => "sent")),
    remote: await outcome(remote),
    frame: await outcome(frame),
    base: await outcome(base),
  };
})()`;

const INERT = {
  inline: "inert",
  handler: "TypeError",
  innerHTML: "TypeError",
  insert: "TypeError",
  write: "TypeError",
  scriptUrl: "TypeError",
  worker: "TypeError",
  sharedWorker: "TypeError",
  policy: "TypeError",
  evaluate: "EvalError",
  fromText: "EvalError",
  elsewhere: "TypeError",
  remote: "blocked",
  frame: "inert",
  base: "inert",
};

test("NFR-5 script and markup that got into the page do not run, load, call out or move it: CSP and Trusted Types", async () => {
  await using browser = await launchChromium();
  await using server = await startTestServer();
  const page = await browser.newPage();
  page.setDefaultTimeout(DEADLINE_MS);
  await page.goto(server.url);
  await page.getByRole("navigation", { name: "Projects" }).waitFor();
  expect(await page.evaluate<object>(ATTEMPTS)).toEqual(INERT);
  await page.goto(`${server.origin}/portlet`);
  expect(await page.evaluate<object>(ATTEMPTS)).toEqual(INERT);
});

test("NFR-5 an ordinary session breaks no rule of the policy", async () => {
  await using server = await startTestServer();
  await using app = await chromium.open(server);
  await app.addProject(await server.directory("demo"));
  const session = await app.newSession("demo");
  await session.ask("help", "help");
  await app.refresh();
});

test("X-16 the shell and its frames hear nobody but each other: foreign source, own origin, right and wrong words", async () => {
  await using server = await startTestServer();
  await using app = await chromium.open(server);
  await app.addProject(await server.directory("demo"));
  const session = await app.newSession("demo");
  await session.ask("help", "help");
  const before = app.sent().length;
  const forged = [
    { type: "portlet:show", what: "permissions" },
    { type: "portlet:key", key: "?", modifiers: { alt: false, ctrl: false, meta: false, shift: true } },
    { type: "session:send", content: "forged", commandId: "forged" },
    { type: "session:cancel" },
    { type: "portlet:ready" },
    null,
    "portlet:show",
    7,
    { type: "__proto__" },
  ];
  // From the window itself, then from a frame of the same origin that is none of ours.
  await app.page.evaluate(async (messages) => {
    for (const message of messages) window.postMessage(message, location.origin);
    const stranger = document.createElement("iframe");
    stranger.src = "/healthz";
    const loaded = new Promise((resolve) => stranger.addEventListener("load", resolve));
    document.body.append(stranger);
    await loaded;
    const arrived = new Promise<void>((resolve) => {
      addEventListener("message", ({ data }) => data === "last" && resolve());
    });
    Reflect.set(window, "arrived", arrived);
  }, forged);
  const stranger = app.page.frames().find((frame) => frame.url().endsWith("/healthz"));
  await stranger?.evaluate(
    (messages) => {
      for (const message of messages) parent.postMessage(message, location.origin);
    },
    [...forged, "last"],
  );
  await app.page.evaluate(() => Reflect.get(window, "arrived"));
  // The session's own frame hears its parent alone: not itself, and not a frame beside it.
  await stranger?.evaluate((messages) => {
    for (let index = 0; index < parent.length; index++)
      for (const message of messages) parent[index]?.postMessage(message, location.origin);
  }, forged);
  await expectSoon(() => app.page.getByRole("dialog").count()).toBe(0);
  // What the page tells on its own, once a turn has ended or the server was silent, is not an answer to any of this.
  const told = app.sent().slice(before);
  expect(told.filter(({ type }) => !["session:seen", "session:draft", "ping"].includes(type))).toEqual([]);
  await expectSoon(() => session.texts("user")).toHaveLength(1);
});
