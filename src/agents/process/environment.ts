/** What an agent's program inherits: what a program needs to live, what agents are configured by, no more. Pure. */

const NAMES: readonly string[] = [
  "PATH",
  "HOME",
  "USER",
  "LOGNAME",
  "SHELL",
  "TERM",
  "COLORTERM",
  "LANG",
  "LANGUAGE",
  "TZ",
  "TMPDIR",
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
  // Windows
  "SystemRoot",
  "APPDATA",
  "LOCALAPPDATA",
  "USERPROFILE",
  "PATHEXT",
];

const PREFIXES: readonly string[] = [
  "LC_",
  "XDG_",
  "ANTHROPIC_",
  "CLAUDE_",
  "OPENAI_",
  "CODEX_",
  "GEMINI_",
  "GOOGLE_",
  "PI_",
  "OPENCODE_",
  "OPENROUTER_",
  "AZURE_",
  "AWS_",
  "MISTRAL_",
  "GROQ_",
  "XAI_",
  "DEEPSEEK_",
  "DISABLE_",
];

/** Told by an agent to what it starts: an agent that inherits them takes itself for a part of another one. */
const OF_ANOTHER_AGENT =
  /^(CLAUDE_CODE_(ENTRYPOINT|SSE_PORT|SESSION_ID|CHILD_SESSION)|CODEX_(SANDBOX.*|THREAD_ID))$/u;

export type Environment = Readonly<Record<string, string | undefined>>;

/** `extra` (the configuration's) is taken as it is; `undefined` there takes a variable away. */
export function environmentOf(inherited: Environment, extra: Environment = {}): Record<string, string> {
  const environment: Record<string, string> = {};
  for (const [name, value] of Object.entries(inherited)) {
    if (value !== undefined && isInherited(name)) environment[name] = value;
  }
  for (const [name, value] of Object.entries(extra)) {
    if (value === undefined) delete environment[name];
    else environment[name] = value;
  }
  return environment;
}

function isInherited(name: string): boolean {
  if (OF_ANOTHER_AGENT.test(name)) return false;
  return NAMES.includes(name) || PREFIXES.some((prefix) => name.startsWith(prefix));
}
