import { afterAll, afterEach, beforeAll, expect } from "bun:test";
import type { Browser } from "playwright-core";
import { launchChromium } from "../support/chromium.ts";
import type { TestServer } from "../support/test-server.ts";
import { type AppPage, type OpenOptions, openApp } from "./app-page.ts";

export interface Chromium {
  /** `await using app = await chromium.open(server)`; `browser` is another one than the file's own. */
  open(server: TestServer, options?: OpenOptions & { readonly browser?: Browser }): Promise<AppPage>;
}

/** One browser for all tests of a file. A test whose pages had any error fails. */
export function useChromium(): Chromium {
  let own: Browser;
  const problems: string[] = [];
  beforeAll(async () => {
    own = await launchChromium();
  });
  afterEach(() => expect(problems.splice(0)).toEqual([]));
  afterAll(() => own.close());
  return {
    open: (server, { browser = own, ...options } = {}) =>
      openApp(browser, server, { ...options, onProblem: (words) => problems.push(words) }),
  };
}
