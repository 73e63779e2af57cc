import { afterAll, afterEach, beforeAll, beforeEach, expect } from "bun:test";
import { type OpenPortlet, openPortlet } from "./open-portlet.ts";
import { SESSION } from "./scene.ts";

/** One browser for all tests of a file, a new frame with an idle session for each. A test whose page has problems fails. */
export function usePortlet(): Omit<OpenPortlet, keyof AsyncDisposable> {
  let own: OpenPortlet;
  beforeAll(async () => {
    own = await openPortlet();
  });
  beforeEach(async () => {
    await own.reload();
    await own.show(SESSION, { type: "agent:status", status: "connected" });
  });
  afterEach(async () => expect(await own.problems()).toEqual([]));
  afterAll(() => own[Symbol.asyncDispose]());
  return {
    get page() {
      return own.page;
    },
    get frame() {
      return own.frame;
    },
    reload: () => own.reload(),
    problems: () => own.problems(),
    post: (...messages) => own.post(...messages),
    show: (...messages) => own.show(...messages),
    said: (type) => own.said(type),
    heard: (type, count) => own.heard(type, count),
  };
}
