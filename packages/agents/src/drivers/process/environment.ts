/**
 * The environment of an agent's program. In a folder that is not trusted it holds only the variables that a
 * program needs to run, and those that configure agents. Pure.
 */

import { agentOf, READABLE_AGENTS } from "@continuo/native";

const NAMES: readonly string[] = [
  "PATH",
  "HOME",
  "USER",
  "LOGNAME",
  "SHELL",
  "TERM",
  "COLORTERM",
  "NO_COLOR",
  "LANG",
  "LANGUAGE",
  "TZ",
  "TMPDIR",
  "PWD",
  "OLDPWD",
  "SHLVL",
  "_",
  "EDITOR",
  "VISUAL",
  "PAGER",
  "DISPLAY",
  "WAYLAND_DISPLAY",
  "LS_COLORS",
  // Terminals and shells set these. If they were held back, every start would report them.
  "TERM_PROGRAM",
  "TERM_PROGRAM_VERSION",
  "TERM_SESSION_ID",
  "TMUX",
  "TMUX_PANE",
  "STY",
  "WINDOWID",
  "PS1",
  "HISTFILE",
  "HOSTNAME",
  "MAIL",
  "MANPATH",
  "SSH_AUTH_SOCK",
  "SSL_CERT_FILE",
  "SSL_CERT_DIR",
  "NODE_EXTRA_CA_CERTS",
  "HTTP_PROXY",
  "HTTPS_PROXY",
  "ALL_PROXY",
  "NO_PROXY",
  "http_proxy",
  "https_proxy",
  "all_proxy",
  "no_proxy",
  // Windows needs these.
  "SystemRoot",
  "APPDATA",
  "LOCALAPPDATA",
  "USERPROFILE",
  "PATHEXT",
];

/** Each agent adds its own prefix. */
const PREFIXES: readonly string[] = [
  "LC_",
  "XDG_",
  "ANTHROPIC_",
  "OPENAI_",
  "GOOGLE_",
  "OPENROUTER_",
  "AZURE_",
  "AWS_",
  "MISTRAL_",
  "GROQ_",
  "XAI_",
  "DEEPSEEK_",
  "DISABLE_",
];

/**
 * Variables that an agent sets for the programs that it starts. An agent that inherits them would act as a part of the
 * other one.
 */
const OF_ANOTHER_AGENT =
  /^(CLAUDECODE|CLAUDE_CODE_(ENTRYPOINT|SSE_PORT|SESSION_ID|CHILD_SESSION)|CODEX_(SANDBOX.*|THREAD_ID)|GEMINI_CLI|OPENCODE|OPENCODE_PID)$/u;

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * `listed`: the variables of the list; `all`: every variable, except those that another agent sets for its children.
 */
export type Inheritance = "listed" | "all";

/** Adds the variables of `extra`, from the configuration; `undefined` there removes a variable. */
export function environmentOf(
  inherited: Environment,
  extra: Environment = {},
  inheritance: Inheritance = "listed",
): Record<string, string> {
  const environment: Record<string, string> = {};
  for (const [name, value] of Object.entries(inherited)) {
    if (value !== undefined && isInherited(name, inheritance)) environment[name] = value;
  }
  for (const [name, value] of Object.entries(extra)) {
    if (value === undefined) delete environment[name];
    else environment[name] = value;
  }
  return environment;
}

/** The sorted names of variables that are not inherited because they are neither on the list nor in `extra`. */
export function heldBackNames(inherited: Environment, extra: Environment = {}): readonly string[] {
  return Object.keys(inherited)
    .filter((name) => inherited[name] !== undefined && !Object.hasOwn(extra, name))
    .filter((name) => isInherited(name, "all") && !isInherited(name, "listed"))
    .sort();
}

function isInherited(name: string, inheritance: Inheritance): boolean {
  if (OF_ANOTHER_AGENT.test(name)) return false;
  if (inheritance === "all") return true;
  const prefixes = [...PREFIXES, ...READABLE_AGENTS.map((agent) => agentOf(agent).variablePrefix)];
  return NAMES.includes(name) || prefixes.some((prefix) => name.startsWith(prefix));
}
