/**
 * A temporary home for an agent that is only examined; it is deleted afterwards. The environment of the agent names no
 * folder outside of it, and no server that answers.
 */

import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { CLOSED_URL } from "@continuo/agents/drivers/witness";
import { makeScratchFolder, type Places } from "@continuo/files";
import { HOME_VARIABLES } from "@continuo/native";

export interface Scratch extends Disposable {
  readonly places: Places;
  /** An empty project. */
  readonly project: string;
  /**
   * Added to the settings that the person made for the agent, so that no model is asked, and only this home is found.
   */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** No server accepts this key. It is set because agents without a key ask for a login first. */
const NO_KEY = "none";

const CLOSED: Readonly<Record<string, string>> = {
  HTTP_PROXY: CLOSED_URL,
  HTTPS_PROXY: CLOSED_URL,
  ALL_PROXY: CLOSED_URL,
  http_proxy: CLOSED_URL,
  https_proxy: CLOSED_URL,
  all_proxy: CLOSED_URL,
  NO_PROXY: "127.0.0.1,localhost",
  no_proxy: "127.0.0.1,localhost",
  ANTHROPIC_BASE_URL: CLOSED_URL,
  ANTHROPIC_API_KEY: NO_KEY,
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  DISABLE_AUTOUPDATER: "1",
  DISABLE_TELEMETRY: "1",
  DISABLE_ERROR_REPORTING: "1",
  OPENAI_BASE_URL: CLOSED_URL,
  OPENAI_API_KEY: NO_KEY,
  GOOGLE_GEMINI_BASE_URL: CLOSED_URL,
  GEMINI_API_KEY: NO_KEY,
  GEMINI_CLI_TRUST_WORKSPACE: "true",
  OPENCODE_DISABLE_MODELS_FETCH: "1",
  OPENCODE_DISABLE_AUTOUPDATE: "1",
  OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
  OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
};

/** Variables of logins, and of folders outside the scratch home. */
const TAKEN_AWAY: readonly string[] = [
  ...Object.values(HOME_VARIABLES),
  "ANTHROPIC_AUTH_TOKEN",
  "CLAUDE_CODE_OAUTH_TOKEN",
  "CODEX_API_KEY",
  "GOOGLE_API_KEY",
  "XDG_CONFIG_HOME",
  "XDG_STATE_HOME",
  "XDG_CACHE_HOME",
  "XDG_RUNTIME_DIR",
];

/** Settings that agents need before they do anything: a login, and a model that is never called. */
const SETTINGS: Readonly<Record<string, string>> = {
  ".gemini/settings.json": JSON.stringify({
    security: { auth: { selectedType: "gemini-api-key" } },
    privacy: { usageStatisticsEnabled: false },
    general: { enableAutoUpdate: false },
  }),
  ".config/opencode/opencode.json": JSON.stringify({
    autoupdate: false,
    share: "disabled",
    model: "closed/none",
    small_model: "closed/none",
    enabled_providers: ["closed"],
    provider: {
      closed: {
        npm: "@ai-sdk/openai-compatible",
        name: "Closed",
        options: { baseURL: CLOSED_URL, apiKey: NO_KEY },
        models: { none: { name: "None", tool_call: true, limit: { context: 100_000, output: 1_000 } } },
      },
    },
  }),
};

export function makeScratch(searchPath: string): Scratch {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "continuo-doctor-")));
  const [project, tmp] = [join(home, "project"), join(home, "tmp")];
  for (const folder of [project, tmp]) makeScratchFolder(folder);
  for (const [path, text] of Object.entries(SETTINGS)) {
    makeScratchFolder(dirname(join(home, path)));
    writeFileSync(join(home, path), text);
  }
  return {
    places: { home, env: { PATH: searchPath, LANG: "C.UTF-8", TERM: "dumb", TMPDIR: tmp } },
    project,
    env: { ...Object.fromEntries(TAKEN_AWAY.map((name) => [name, undefined])), ...CLOSED, HOME: home },
    [Symbol.dispose]: () => rmSync(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }),
  };
}
