import { useEffect, useState } from "preact/hooks";
import { ignore } from "../../lib/ignore.ts";
import type { ClientMessage } from "../../protocol/client-messages.ts";
import type { CliType } from "../../protocol/ids.ts";
import type { PlainServerMessage } from "../../protocol/server-messages.ts";
import type { ConfigOption } from "../../protocol/session-parts.ts";
import type { Shell } from "../state/shell.ts";

type Told = Extract<PlainServerMessage, { type: "agent:options" }>;

/** The options of an agent, with the user's favourites among its models. */
export interface AgentModels {
  /** Null until the server has answered. */
  readonly options: readonly ConfigOption[] | null;
  readonly favourites: readonly string[];
  readonly lastModel: string | undefined;
  readonly read: () => void;
  readonly choose: (configId: string, value: string) => void;
  readonly favour: (model: string, favourite: boolean) => void;
}

const NOTHING: readonly string[] = [];

/** Requests them when the agent changes. Answers for an earlier agent and outdated answers are ignored. */
export function useAgentOptions(shell: Shell, cliType: CliType): AgentModels {
  const [told, setTold] = useState<{ readonly of: CliType; readonly answer: Told | null } | null>(null);
  const [asked] = useState({ count: 0 });
  const ask = async (message: ClientMessage, isQuiet: boolean) => {
    asked.count += 1;
    const own = asked.count;
    const answer = await shell.attempt(message, ...(isQuiet ? [ignore("the session shows its options")] : []));
    if (own !== asked.count) return;
    if (answer?.type === "agent:options") setTold({ of: cliType, answer });
    else setTold((before) => (before?.of === cliType ? before : { of: cliType, answer: null }));
  };
  // Shown until the server has answered: the choice must not jump back when the form is drawn meanwhile.
  const [wanted, setWanted] = useState<ReadonlyMap<string, string>>(new Map());
  const choose = async (configId: string, value: string) => {
    setWanted((known) => new Map(known).set(configId, value));
    await ask({ type: "agent:choose", cliType, configId, value }, false);
    setWanted((known) => new Map([...known].filter(([id, latest]) => id !== configId || latest !== value)));
  };
  const read = () => void ask({ type: "agent:options", cliType }, true);
  useEffect(() => {
    read();
    return () => {
      asked.count += 1;
      setWanted(new Map());
    };
  }, [shell, cliType]);
  const isAnswered = told?.of === cliType;
  const answer = isAnswered ? told.answer : null;
  return {
    options: isAnswered ? (answer?.options ?? []).map((option) => withWanted(option, wanted.get(option.id))) : null,
    favourites: answer?.favourites ?? NOTHING,
    lastModel: answer?.lastModel,
    read,
    choose: (configId, value) => void choose(configId, value),
    favour: (model, favourite) => void ask({ type: "agent:favourite", cliType, model, favourite }, false),
  };
}

function withWanted(option: ConfigOption, value: string | undefined): ConfigOption {
  return value === undefined || option.type !== "select" ? option : { ...option, currentValue: value };
}
