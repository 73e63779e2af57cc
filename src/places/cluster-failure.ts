import { PlaceError } from "./place-error.ts";

const SHOWN_CHARS_MAX = 300;

interface Symptom {
  readonly said: RegExp;
  /** `detail` is what the first group of the pattern found. */
  readonly words: (place: string, detail: string) => string;
  readonly isMissing?: boolean;
}

const NO_PROGRAM: Symptom["words"] = (place) =>
  `The container of ${place} has no Liminal Builder: use an image in which it is installed, or correct places.${place}.program in config.json.`;

/** What `kubectl` and what it starts print, and what the user does about it. The first that fits is told. */
const KNOWN: readonly Symptom[] = [
  {
    // A path that is missing in the container is no path of this machine.
    said: /exec: "[^"]*": (?:stat [^\n]*no such file|executable file not found)/i,
    words: NO_PROGRAM,
    isMissing: true,
  },
  {
    said: /context "?([^"\s]+)"? does not exist|(?:for specified context|no context exists with the name): "?([^"\s]+)/i,
    words: (place, context) =>
      `The kubeconfig has no context ${context}: correct places.${place}.context in config.json.`,
  },
  {
    said: /(?:kubeconfig|config file|stat|open) .*no such file or directory|invalid configuration: no configuration/i,
    words: (place) =>
      `The kubeconfig of ${place} is missing: correct places.${place}.kubeconfig in config.json, or set KUBECONFIG.`,
  },
  {
    said: /unauthorized|must be logged in|provide credentials|getting credentials|invalid bearer token/i,
    words: (place) =>
      `The cluster of ${place} does not accept your sign-in: sign in to it again, and try "kubectl get pods".`,
  },
  {
    said: /cannot (\S+ resource "[^"]+"(?: in API group "[^"]*")?(?: in the namespace "[^"]+")?)/i,
    words: (place, what) =>
      `The cluster of ${place} forbids it (${what.replace(/ in API group "[^"]*"/, "")}): give the account of your kubeconfig this right (docs/places.md lists all that are needed).`,
  },
  {
    said: /forbidden: (exceeded quota: [^\n]*)/i,
    words: (place, what) => `The namespace of ${place} is full (${what}): raise its quota, or archive sessions.`,
  },
  {
    said: /forbidden[:,] ([^\n]*)|(admission webhook [^\n]*)/i,
    words: (place, what) =>
      `The cluster of ${place} refuses the pod (${what}): change the template, or what the cluster allows.`,
  },
  {
    said: /namespaces? "([^"]+)" not found/i,
    words: (place, namespace) =>
      `The cluster has no namespace ${namespace}: create it, or correct places.${place}.namespace in config.json.`,
  },
  {
    said: /no matches for kind "?SandboxClaim|the server doesn't have a resource type "?sandboxclaims/i,
    words: (place) =>
      `The cluster of ${place} has no SandboxClaim (v1beta1): install agent-sandbox there, or set places.${place}.pod instead of sandbox.`,
  },
  {
    said: /(?:connection to the server|dial tcp|i\/o timeout|no such host|connection refused|unable to connect|network is unreachable|tls handshake|context deadline exceeded)/i,
    words: (place) =>
      `The cluster of ${place} does not answer: check with "kubectl get pods" that it runs, and which one the kubeconfig names.`,
  },
  {
    said: /container ([^\n]*?)(?: is)? not (?:found|valid)/i,
    words: (place, name) =>
      `The pod has no container ${name.replace(/^name /, "")}: correct places.${place}.container in config.json.`,
  },
  {
    said: /(?:is invalid|strict decoding error|error validating|cannot be handled as a|badrequest)[:\s]*([^\n]*)/i,
    words: (place, what) => `The cluster refuses the pod template of ${place} (${what}): correct it.`,
  },
  {
    said: /executable file not found|no such file or directory|: not found/i,
    words: NO_PROGRAM,
    isMissing: true,
  },
  {
    said: /container not found \("([^"]+)"\)|pods? "?([^"\s]+)"? not found|unable to upgrade connection/i,
    words: (place) => `The pod at ${place} is not there any more: send a message, and a new one is made.`,
  },
];

/** Why the cluster of a place did not do it, in one sentence with the fix; null for what nobody has written about. */
export function clusterFailure(place: string, said: string): PlaceError | null {
  for (const { said: pattern, words, isMissing = false } of KNOWN) {
    const found = pattern.exec(said);
    if (found) return new PlaceError(words(place, shortened(found[1] ?? found[2] ?? "")), { isMissing });
  }
  return null;
}

/** The same of a command of ours, for everything it may print. */
export function kubectlFailure(place: string, said: string, code: number | null): PlaceError {
  const last = said.trim().split("\n").at(-1) ?? "";
  const shown = shortened(last) || (code === null ? "no answer in time" : `exit code ${code}`);
  return (
    clusterFailure(place, said) ??
    new PlaceError(`kubectl failed for ${place} (${shown}): try "kubectl get pods" with the same settings.`)
  );
}

export function shortened(text: string): string {
  return text.trim().slice(0, SHOWN_CHARS_MAX);
}
