import type { Locator } from "playwright-core";
import type { AppPage } from "../e2e/app-page.ts";
import type { TestServer, TestServerOptions } from "../support/test-server.ts";
import type { SeedOptions } from "./seed-workspace.ts";

/** Where a state is reached: a page that has just been opened on a server of its own. */
export interface GalleryStage {
  readonly server: TestServer;
  readonly app: AppPage;
}

/** One thing a person can see, and the way there. Its name is its picture's; a new view is one more of these. */
export interface GalleryState {
  readonly name: string;
  /** For the index, and for the names of tests. */
  readonly shows: string;
  readonly reach: (stage: GalleryStage) => Promise<void>;
  /** Stays at the top of what scrolls it, in every width. */
  readonly atTop?: (stage: GalleryStage) => Locator;
  /** On top of the agents that every state has. */
  readonly server?: Pick<TestServerOptions, "agents" | "env">;
  /** Puts files into the data directory before the server starts. */
  readonly prepare?: TestServerOptions["prepare"];
  /** What the store holds before the server starts; nothing at all with "empty". */
  readonly seed?: SeedOptions | "empty";
  /** It is about the sidebar, which waits in a drawer in a narrow window: no pictures of that. */
  readonly isWide?: boolean;
  /** It exists in a narrow window only, and is reached in one. */
  readonly isNarrow?: boolean;
  /** It is reached on a phone: narrow, and touched. */
  readonly isPhone?: boolean;
  /** It is about one size of the window, and pictured in that alone. */
  readonly viewport?: { readonly width: number; readonly height: number };
  /** It takes the server away. */
  readonly losesServer?: boolean;
  /** The server refuses the page. */
  readonly isRefused?: boolean;
  /** The server shows a certificate of its own. */
  readonly hasOwnCertificate?: boolean;
  /** Closing dialogs and tabs does not lead out of it: no other state is reached on the same page after it. */
  readonly isLast?: boolean;
  /** Why it cannot be reached on this machine. */
  readonly absentBecause?: string | null;
}
