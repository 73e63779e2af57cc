import { useEffect, useState } from "preact/hooks";
import {
  API_TOKEN_NAME_CHARS_MAX,
  type ApiScope,
  ApiTokenList,
  CreatedApiToken,
  type NewApiToken,
  type ShownApiToken,
} from "../../protocol/api-tokens.ts";
import { ageWords } from "../../ui/words/time-words.ts";
import { askJson } from "../ask-json.ts";
import { Choice } from "../controls/choice.tsx";
import type { Shell } from "../state/shell.ts";
import { ListWithForm, SettingsForm } from "./list-with-form.tsx";
import { ShownSecret } from "./shown-secret.tsx";
import { useAttempt } from "./use-attempt.ts";

const SCOPE_WORDS: Readonly<Record<ApiScope, string>> = {
  read: "Read only",
  act: "Read and act in sessions",
  admin: "Everything",
};
const ALL_PROJECTS = "";

/** Tokens for programs that use the HTTP API. */
export function TokensSection({ shell }: { shell: Shell }) {
  const { tokens, problem, create, revoke } = useTokens();
  const [made, setMade] = useState<CreatedApiToken | null>(null);
  const { projects } = shell.server.value;
  return (
    <ListWithForm
      headingId="settings-tokens"
      items={tokens}
      keyOf={({ id }) => id}
      addWords="New token"
      row={(token, list) => (
        <TokenRow
          key={token.id}
          token={token}
          project={projects.find(({ id }) => id === token.projectId)?.name}
          nowMs={shell.nowMs.value}
          onRevoke={() => {
            if (made?.token.id === token.id) setMade(null);
            void revoke(token.id);
            list.leave();
          }}
        />
      )}
      between={(done) =>
        made && (
          <ShownSecret
            key={made.token.id}
            label="Token"
            secret={made.secret}
            onClose={() => {
              setMade(null);
              done();
            }}
          >
            This is the token “{made.token.name}”.
          </ShownSecret>
        )
      }
      form={(_token, form) => (
        <TokenForm
          projects={projects}
          onCancel={form.cancel}
          onCreate={(wanted) =>
            form.save(async () => {
              const created = await create(wanted);
              if (created) setMade(created);
              return created !== null;
            })
          }
        />
      )}
      problem={problem}
      hint="For scripts and other programs that use the HTTP API. Only a hash is stored. A revoked token stops working
        immediately."
    />
  );
}

interface TokenRowProps {
  readonly token: ShownApiToken;
  readonly project: string | undefined;
  readonly nowMs: number;
  readonly onRevoke: () => void;
}

function TokenRow({ token, project, nowMs, onRevoke }: TokenRowProps) {
  const { name, scope, projectId, createdAt, lastUsedAt } = token;
  const where = projectId === undefined ? "all projects" : (project ?? "a removed project");
  const used = lastUsedAt === undefined ? "never used" : `used ${ageWords(lastUsedAt, nowMs)}`;
  return (
    <li>
      <span class="notice-words">
        <span class="notice-address">{name}</span>
        <span class="muted">
          {SCOPE_WORDS[scope]} · {where}
        </span>
        <span class="muted">
          Created {ageWords(createdAt, nowMs)} · {used}
        </span>
      </span>
      <span class="notice-actions">
        <button type="button" class="button small" aria-label={`Revoke ${name}`} onClick={onRevoke}>
          Revoke
        </button>
      </span>
    </li>
  );
}

interface TokenFormProps {
  readonly projects: readonly { readonly id: NonNullable<NewApiToken["projectId"]>; readonly name: string }[];
  readonly onCreate: (wanted: NewApiToken) => void;
  readonly onCancel: () => void;
}

function TokenForm({ projects, onCreate, onCancel }: TokenFormProps) {
  const [name, setName] = useState("");
  const [scope, setScope] = useState<ApiScope>("read");
  const [project, setProject] = useState(ALL_PROJECTS);
  const [isTried, setTried] = useState(false);
  const problem = isTried && name.trim() === "" ? "Enter a name, for example the program that will use it." : "";
  const projectWords = Object.fromEntries([
    [ALL_PROJECTS, "All projects"],
    ...projects.map(({ id, name }) => [id, name]),
  ]);
  const projectId = projects.find(({ id }) => id === project)?.id;
  return (
    <SettingsForm
      label="New token"
      problemId="token-problem"
      problem={problem}
      saveWords="Create"
      onSubmit={() => {
        setTried(true);
        if (name.trim() !== "") onCreate({ name: name.trim(), scope, ...(projectId && { projectId }) });
      }}
      onCancel={onCancel}
    >
      <label for="token-name">
        Name
        <div class="field">
          <input
            id="token-name"
            value={name}
            maxLength={API_TOKEN_NAME_CHARS_MAX}
            autocomplete="off"
            spellcheck={false}
            aria-invalid={problem !== ""}
            aria-describedby="token-problem"
            onInput={(event) => setName(event.currentTarget.value)}
          />
        </div>
      </label>
      <div class="setting">
        <span>May do</span>
        <Choice label="May do" words={SCOPE_WORDS} value={scope} onChoose={setScope} />
      </div>
      <div class="setting">
        <span>Project</span>
        <Choice label="Project" words={projectWords} value={project} onChoose={setProject} />
      </div>
    </SettingsForm>
  );
}

function useTokens() {
  const [tokens, setTokens] = useState<readonly ShownApiToken[] | null>(null);
  const { problem, attempt } = useAttempt();
  const read = async () => {
    const list = await attempt(async () => ApiTokenList.parse(await askJson("/api/v1/tokens")).tokens);
    if (list) setTokens(list);
  };
  useEffect(() => void read(), []);
  return {
    tokens,
    problem,
    create: async (wanted: NewApiToken) => {
      const body = JSON.stringify(wanted);
      const made = await attempt(async () =>
        CreatedApiToken.parse(await askJson("/api/v1/tokens", { method: "POST", body })),
      );
      if (made) await read();
      return made;
    },
    revoke: async (id: string) => {
      await attempt(() => askJson(`/api/v1/tokens/${encodeURIComponent(id)}`, { method: "DELETE" }));
      await read();
    },
  };
}
