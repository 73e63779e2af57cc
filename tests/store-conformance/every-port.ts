import { describeApiTokenStore } from "./api-token-store.ts";
import { describeBranchStore } from "./branch-store.ts";
import { describeAgentChoices, describeToolChoices } from "./choices.ts";
import { describeDelegationStore } from "./delegation-store.ts";
import { describeDeviceStore } from "./device-store.ts";
import { describeHookStore } from "./hook-store.ts";
import { describeNoticeStore } from "./notice-store.ts";
import type { OpenStores } from "./open-scene.ts";
import { describePeopleStore } from "./people-store.ts";
import { describePolicyStore } from "./policy-store.ts";
import { describeProjectStore } from "./project-store.ts";
import { describePushStore } from "./push-store.ts";
import { describeScheduleStore } from "./schedule-store.ts";
import { describeSearchIndex } from "./search-index.ts";
import { describeSessionLog } from "./session-log.ts";
import { describeSnippetStore } from "./snippet-store.ts";
import { describeStorage } from "./storage.ts";
import { describeTransferStore } from "./transfer-store.ts";
import { describeUsageStore } from "./usage-store.ts";

/** The suites of all store ports: each states one contract, and knows no implementation. */
export function describeEveryPort(name: string, open: OpenStores): void {
  for (const describePort of [
    describeSessionLog,
    describePolicyStore,
    describeTransferStore,
    describeProjectStore,
    describeDeviceStore,
    describePeopleStore,
    describeDelegationStore,
    describeNoticeStore,
    describeScheduleStore,
    describeSnippetStore,
    describeUsageStore,
    describeSearchIndex,
    describeAgentChoices,
    describeToolChoices,
    describeApiTokenStore,
    describeHookStore,
    describePushStore,
    describeBranchStore,
    describeStorage,
  ])
    describePort(name, open);
}
