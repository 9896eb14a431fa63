/** Drives the real Codex: `codex exec` for turns, `codex app-server` (see `app-server.ts`) for the rest. */

import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { asObject, asText, type JsonObject } from "../../model-servers/index.ts";
import { PINNED, packageFolder } from "../install.ts";
import { runProgram, type Sandbox } from "../sandbox.ts";
import { type AppServer, startAppServer } from "./app-server.ts";

export interface ExecOptions {
  readonly resume?: string;
  /** The id of a thread to fork: it does not change, and the prompt continues a copy of it. */
  readonly fork?: string;
  /** Files to attach. */
  readonly images?: readonly string[];
  readonly cwd?: string;
}

export interface CodexRun {
  readonly threadId: string;
  readonly events: readonly JsonObject[];
}

export interface Codex {
  /** `CODEX_HOME`. */
  readonly home: string;
  readonly environment: Readonly<Record<string, string>>;
  /**
   * Starts Codex and sends one prompt. Throws if the turn fails, or continues in another thread than the requested one.
   */
  exec(prompt: string, options?: ExecOptions): Promise<CodexRun>;
  /** Any other command: `archive`, `unarchive`, … Throws when it fails. */
  command(args: readonly string[]): Promise<string>;
  appServer(): Promise<AppServer>;
}

const INSTRUCTIONS = "You help with this project.";

export type CodexVersion = "codex" | "codex163";

export async function openCodex(
  sandbox: Sandbox,
  modelUrl: string,
  version: CodexVersion = "codex",
): Promise<Codex> {
  const home = join(sandbox.root, ".codex");
  await mkdir(home, { recursive: true });
  const instructions = await sandbox.write(".codex/instructions.md", INSTRUCTIONS);
  await sandbox.write(".codex/config.toml", configFor(sandbox.project, modelUrl, instructions));
  await sandbox.write(".codex/auth.json", '{"auth_mode":"apikey","OPENAI_API_KEY":"a-key-for-tests"}\n');
  const environment = sandbox.environment({ CODEX_HOME: home });
  const run = (args: readonly string[], cwd: string): ReturnType<typeof runProgram> =>
    runProgram(process.execPath, [codexLauncher(version), ...args], { cwd, env: environment });
  return {
    home,
    environment,
    async exec(prompt, options = {}) {
      const target = options.resume ?? options.fork;
      const verb = options.resume !== undefined ? ["resume"] : options.fork !== undefined ? ["fork"] : [];
      const images = (options.images ?? []).flatMap((file) => ["--image", file]);
      const words = [...(target === undefined ? [] : [target]), prompt];
      const args = ["exec", ...verb, "--json", "--skip-git-repo-check", ...images, "--", ...words];
      const { code, stdout, stderr } = await run(args, options.cwd ?? sandbox.project);
      const events = stdout
        .split("\n")
        .filter((line) => line.startsWith("{"))
        .map((line) => asObject(JSON.parse(line)));
      const threadId = asText(events.find((event) => event.type === "thread.started")?.thread_id);
      const completed = events.some((event) => event.type === "turn.completed");
      if (code !== 0 || !completed) throw new Error(`codex exec failed (exit ${code}): ${stderr}\n${stdout}`);
      if (options.resume !== undefined && threadId !== options.resume) {
        throw new Error(`codex went on in ${threadId} when asked to resume ${options.resume}`);
      }
      return { threadId, events };
    },
    async command(args) {
      const { code, stdout, stderr } = await run(args, sandbox.project);
      if (code !== 0) throw new Error(`codex ${args.join(" ")} failed (exit ${code}): ${stderr}`);
      return stdout;
    },
    appServer: () =>
      startAppServer([process.execPath, codexLauncher(version), "app-server"], {
        cwd: sandbox.project,
        env: environment,
      }),
  };
}

export function codexLauncher(version: CodexVersion): string {
  return join(packageFolder(PINNED[version]), "bin", "codex.js");
}

/** The provider stays the normal one, so that threads can be resumed; short instructions keep the files small. */
function configFor(project: string, modelUrl: string, instructions: string): string {
  return `
model = "gpt-5.5"
openai_base_url = ${JSON.stringify(`${modelUrl}/v1`)}
model_instructions_file = ${JSON.stringify(instructions)}
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false
[analytics]
enabled = false
[features]
apps = false
plugins = false
[skills]
bundled = { enabled = false }
[projects.${JSON.stringify(project)}]
trust_level = "trusted"
`.trimStart();
}
