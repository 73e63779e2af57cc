import { describe, expect, it } from "bun:test";
import { ClientMessage } from "../protocol/client-messages.ts";
import { API_OPERATIONS, type OperationId } from "../protocol/http-api.ts";
import { ProjectId } from "../protocol/ids.ts";
import type { ProjectRole } from "../protocol/people.ts";
import { PLAIN_TYPES } from "../protocol/server-messages.ts";
import { audienceOf, decisionOf, HTTP_ROUTES, httpDecisionOf, ownOperationNeeds } from "./decisions.ts";
import { ACTIONS, type Action, may, type PersonRights } from "./may.ts";

const [HERE, ELSEWHERE] = [ProjectId.parse("here"), ProjectId.parse("elsewhere")];

function member(role: ProjectRole | null): PersonRights {
  return { role: "member", isDisabled: false, roles: new Map(role === null ? [] : [[HERE, role]]) };
}

const PEOPLE: Readonly<Record<string, PersonRights | null>> = {
  nobody: null,
  disabled: { role: "owner", isDisabled: true, roles: new Map([[HERE, "owner"]]) },
  stranger: member(null),
  viewer: member("viewer"),
  member: member("member"),
  "project owner": member("owner"),
  owner: { role: "owner", isDisabled: false, roles: new Map() },
};

/** Who may do what in the project, and whether that is so in another one, or in none. */
const MAY: Readonly<Record<string, { readonly here: readonly Action[]; readonly elsewhere: readonly Action[] }>> = {
  nobody: { here: [], elsewhere: [] },
  disabled: { here: [], elsewhere: [] },
  stranger: { here: ["connect"], elsewhere: ["connect"] },
  viewer: { here: ["connect", "look"], elsewhere: ["connect"] },
  member: { here: ["connect", "look", "work", "contribute"], elsewhere: ["connect", "contribute"] },
  "project owner": { here: ["connect", "look", "work", "manage", "contribute"], elsewhere: ["connect", "contribute"] },
  owner: { here: ACTIONS, elsewhere: ACTIONS },
};

describe("[SC-38] may", () => {
  it.each(Object.keys(PEOPLE))("%s: every action, in the project, in another one and in none", (name) => {
    const person = PEOPLE[name] ?? null;
    const allowed = (project: ProjectId | null) => ACTIONS.filter((action) => may(person, action, project));
    expect(allowed(HERE)).toEqual([...(MAY[name]?.here ?? [])]);
    expect(allowed(ELSEWHERE)).toEqual([...(MAY[name]?.elsewhere ?? [])]);
    expect(allowed(null)).toEqual([...(MAY[name]?.elsewhere ?? [])]);
  });

  it("an unknown action is refused to everyone but the owner", () => {
    for (const [name, person] of Object.entries(PEOPLE))
      expect(may(person, "something new" as Action, HERE)).toBe(name === "owner");
  });
});

/** Written by hand, and separate from the table of decisions: a change of one must be checked against the other. */
const VIEWERS = `ping project:list session:list session:children session:open session:page session:output session:pack session:close
  session:seen session:results search inbox:list usage:get files:search files:list files:read changes:open changes:close changes:patch
  checkpoint:list checkpoint:preview attempts:compare worktree:list worktree:options merge:preview publish:preview schedule:list
  schedule:runs schedule:preview snippet:list terminal:list terminal:detach terminal:ack service:list service:consents mcp:list
  agent:list agent:options policy:get policy:preview policy:audit`;
const MEMBERS = `session:create session:branch session:discard session:mark session:draft session:send session:elsewhere session:steer
  session:queue-edit session:queue-resume session:send-now session:retry session:resume-limit session:dismiss-limit session:cancel
  session:stop-subagent session:kill session:wait-cancel session:archive session:unarchive session:rename session:organize
  session:handback session:configure session:reconnect permission:respond elicitation:respond changes:decide changes:cancel
  changes:undo changes:viewed workdir:commit checkpoint:restore checkpoint:settle attempts:start attempts:keep worktree:remove
  worktree:return worktree:purge worktree:repair worktree:setup worktree:move-session merge:run merge:commit merge:ask-agent
  publish:run schedule:save schedule:enable schedule:remove schedule:run snippet:save snippet:remove terminal:open terminal:attach
  terminal:input terminal:resize terminal:close service:start service:stop service:restart service:revoke agent:choose
  agent:favourite`;
const PROJECT_OWNERS = "project:remove session:delete mcp:choose import:list import:start import:cancel policy:set";
/** Sorted. */
const words = (text: string): readonly string[] =>
  text
    .split(/\s+/)
    .filter((word) => word !== "")
    .toSorted();

describe("[SC-38] [SC-39] decisions", () => {
  const types = ClientMessage.def.options.flatMap(({ shape }) => shape.type.def.values);
  const typesFor = (person: PersonRights | null): readonly string[] =>
    types.filter((type) => {
      const { named } = decisionOf({ type, ...(type.startsWith("policy:") && { scope: "project" }) } as {
        type: typeof type;
      });
      return may(person, named, HERE);
    });

  it("every message of the protocol has one, by role", () => {
    const [viewers, members, owners] = [words(VIEWERS), words(MEMBERS), words(PROJECT_OWNERS)];
    expect(typesFor(PEOPLE["viewer"] ?? null).toSorted()).toEqual([...viewers]);
    expect(typesFor(PEOPLE["member"] ?? null).toSorted()).toEqual([...viewers, ...members].toSorted());
    expect(typesFor(PEOPLE["project owner"] ?? null).toSorted()).toEqual(
      [...viewers, ...members, ...owners].toSorted(),
    );
    expect(typesFor(PEOPLE["owner"] ?? null)).toEqual([...types]);
    expect(typesFor(PEOPLE["nobody"] ?? null)).toEqual([]);
    expect(typesFor(PEOPLE["disabled"] ?? null)).toEqual([]);
  });

  it("without a role in any project, only what shows nothing of a project is left", () => {
    const left = typesFor(PEOPLE["stranger"] ?? null);
    expect(left.toSorted()).toEqual([
      ...words(
        "ping session:close changes:close terminal:detach terminal:ack agent:list agent:options schedule:preview",
      ),
    ]);
  });

  it("a message of a type without a decision is only for owners, in both directions", () => {
    const unknown = decisionOf({ type: "something:new" as "ping" });
    expect(unknown).toEqual({ named: "run", unnamed: "run" });
    expect(audienceOf({ type: "something:new" as "ok" })).toBe("owners");
  });

  it("every message of the server has an audience", () => {
    const everybody: readonly string[] = PLAIN_TYPES.filter((type) => audienceOf({ type }) === "everybody");
    expect(everybody.toSorted()).toEqual([
      ...words("agent:limits agent:list agent:options ok person:standing schedule:preview storage:state"),
    ]);
  });

  it("every operation of HTTP is a message or has its own, and only owners touch people, hooks and the server", () => {
    const own = Object.entries(API_OPERATIONS).flatMap(([id, operation]) =>
      "command" in operation ? [] : [[id as OperationId, "isForUser" in operation] as const],
    );
    const needs = (wanted: Action | null): readonly string[] =>
      own.flatMap(([id]) => (ownOperationNeeds(id) === wanted ? [id] : []));
    expect(needs("run").toSorted()).toEqual([
      ...words("listHooks saveHook changeHook testHook removeHook addPerson changePerson removePerson invitePerson"),
    ]);
    expect(needs("connect").toSorted()).toEqual([
      ...words("listSessions listTokens createToken revokeToken listPeople"),
    ]);
    // These decide by their parameters.
    expect(needs(null).toSorted()).toEqual([...words("readSession followSession giveRole")]);
  });

  it("an address without a decision is not served", () => {
    expect(httpDecisionOf("/api/something-new")).toBeNull();
    expect(httpDecisionOf("/constructor")).toBeNull();
    const open = Object.keys(HTTP_ROUTES).filter((path) => httpDecisionOf(path) === "anyone");
    expect(open.toSorted()).toEqual([
      ...words(
        "/ /portlet /healthz /manifest.webmanifest /service-worker.js /sign-in /sign-in/service /sign-in/service/return /pair /api/openapi.json /api/socket-schema.json",
      ),
    ]);
  });
});
