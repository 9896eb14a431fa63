/** `continuo serve` with a store of its own: killed, started again, damaged, and read by its own API. */

import { type ChildProcess, execFile, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { DatabaseSync } from "node:sqlite";
import { promisify } from "node:util";
import type { LiveSession, Note, WireEvent } from "@continuo/core/wire";
import { bundledCommand } from "../sizes/shared-programs.ts";

export const EXTENSION_ID = "baclfmndmnhkglifhajioeagailcneed";

const AGENT: string = join(import.meta.dirname, "note-agent.ts");

/** `continuo.yaml` with the note writer of `note-agent.ts`. */
export const NOTE_AGENT: string = `agents: { notes: { command: ${process.execPath}, args: [${AGENT}], transport: acp } }
live: { note_writer: notes, frames: { full_days: 1 }, budget: { max_cost_usd: 100 } }
`;

export interface ServerProcess extends AsyncDisposable {
  readonly url: string;
  readonly token: string;
  readonly database: string;
  kill(): Promise<void>;
  /** The server keeps its connections, but does not answer until it is killed. */
  freeze(): void;
  /** The same store at the same address. */
  restart(): Promise<void>;
  /** Another server of the same store, for as long as `act` takes. */
  elsewhere(act: (url: string) => Promise<void>): Promise<void>;
  /** Runs another command on the same store. Returns what it printed. */
  run(...args: readonly string[]): Promise<string>;
  /** Runs `continuo live` against this server. Returns what it printed. */
  live(...args: readonly string[]): Promise<string>;
  /** The evidence of the newest session of a key. */
  events(key: string): Promise<readonly WireEvent[]>;
  session(key: string): Promise<LiveSession>;
  notes(key: string): Promise<readonly Note[]>;
  get(path: string): Promise<unknown>;
  send(method: "POST" | "DELETE", path: string, body?: unknown): Promise<unknown>;
}

export interface ServeOptions {
  readonly yaml?: string;
  /** `asked` means that the extension is not allowed from the start. */
  readonly extension?: "allowed" | "asked";
  /** The folders of the search path, which may contain agents; those of this machine by default. */
  readonly path?: string;
  /** Files of Whisper that the person put next to continuo.yaml, by path. */
  readonly whisper?: Readonly<Record<string, string | Uint8Array>>;
}

export async function serve({
  yaml = "",
  extension = "allowed",
  path = process.env.PATH ?? "",
  whisper = {},
}: ServeOptions = {}): Promise<ServerProcess> {
  const home = mkdtempSync(join(tmpdir(), "continuo-serve-"));
  const continuoHome = join(home, "continuo");
  mkdirSync(continuoHome);
  writeFileSync(join(continuoHome, "continuo.yaml"), yaml);
  for (const [name, content] of Object.entries(whisper)) {
    mkdirSync(dirname(join(continuoHome, "whisper", name)), { recursive: true });
    writeFileSync(join(continuoHome, "whisper", name), content);
  }
  const env = { PATH: path, HOME: home, CONTINUO_HOME: continuoHome };
  const flags = extension === "allowed" ? ["--origin", `chrome-extension://${EXTENSION_ID}`] : [];
  let child = await startServer(env, 0, flags);
  const { url } = child;
  const run = async (...args: readonly string[]): Promise<string> => {
    const command = [await bundledCommand(), ...args];
    return (await promisify(execFile)(process.execPath, command, { env })).stdout;
  };
  // These scopes are all that the extension needs.
  const token = (await run("token", "create", "--scope", "live:*:read,write")).trim();
  const own = readFileSync(join(continuoHome, "server-token"), "utf8").trim();
  const request = async (method: string, path: string, body?: unknown): Promise<unknown> => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${own}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return response.status === 204 ? null : await response.json();
  };
  const get = (path: string): Promise<unknown> => request("GET", path);
  const of = (key: string): string => `/v1/live/${encodeURIComponent(key)}`;
  const kill = async (): Promise<void> => {
    child.process.kill("SIGKILL");
    await child.ended;
  };
  return {
    url,
    token,
    database: join(continuoHome, "continuo.db"),
    get,
    send: request,
    kill,
    freeze: () => void child.process.kill("SIGSTOP"),
    restart: async () => {
      child = await startServer(env, Number(new URL(url).port), flags);
    },
    elsewhere: async (act) => {
      const other = await startServer(env, 0, flags);
      await act(other.url);
      other.process.kill("SIGKILL");
      await other.ended;
    },
    run,
    live: (...args) => run("live", ...args, "--server", url),
    events: async (key) => {
      const events: WireEvent[] = [];
      for (let after: number | null = 0; after !== null; ) {
        const page = (await get(`${of(key)}/evidence?after=${after}`)) as {
          readonly events: readonly WireEvent[];
          readonly nextAfter: number | null;
        };
        events.push(...page.events);
        after = page.nextAfter;
      }
      return events;
    },
    session: async (key) => (await get(of(key))) as LiveSession,
    notes: async (key) => ((await get(`${of(key)}/notes`)) as { readonly notes: readonly Note[] }).notes,
    [Symbol.asyncDispose]: async () => {
      await kill();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

interface Started {
  readonly process: ChildProcess;
  readonly url: string;
  readonly ended: Promise<void>;
}

/** A server ends with the test that started it, even if the test is killed, because then its input ends. */
const ENDS_WITH_INPUT = 'data:text/javascript,process.stdin.resume().on("close",()=>process.exit()).unref()';

async function startServer(env: NodeJS.ProcessEnv, port: number, flags: readonly string[]): Promise<Started> {
  const args = [await bundledCommand(), "serve", "--listen", `127.0.0.1:${port}`, "--json"];
  const child = spawn(process.execPath, ["--import", ENDS_WITH_INPUT, ...args, ...flags], {
    env,
    stdio: ["pipe", "pipe", "inherit"],
  });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const lines = createInterface({ input: child.stdout });
  const line = await new Promise<string>((resolve, reject) => {
    lines.once("line", resolve);
    child.once("exit", (code) => reject(new Error(`continuo serve ended with ${code}`)));
  });
  return { process: child, url: (JSON.parse(line) as { readonly url: string }).url, ended };
}

/**
 * Changes one word of a stored transcript, as a bad disk would. Returns a function that restores it. The server must
 * not run.
 */
export function damage(database: string, word: string): () => void {
  const replace = (from: string, to: string): void => {
    const db = new DatabaseSync(database);
    const sql = "update events set payload = replace(payload, ?, ?) where type = 'transcript_added'";
    const { changes } = db.prepare(sql).run(from, to);
    db.close();
    if (changes === 0) throw new Error(`no event has the word ${from}`);
  };
  replace(word, `${word}!`);
  return () => replace(`${word}!`, word);
}

/** Returns the keys of all sessions; each tab of a video has its own key for their session. */
export async function keysOf(served: ServerProcess): Promise<readonly string[]> {
  const { sessions } = (await served.get("/v1/live")) as {
    readonly sessions: readonly { readonly key: string; readonly keys?: readonly string[] }[];
  };
  return sessions.flatMap(({ key, keys = [key] }) => keys);
}

export function textsOf(events: readonly WireEvent[], type = "transcript_added"): readonly string[] {
  return events
    .filter((event) => event.type === type)
    .map(({ data }) => (data as { readonly text: string }).text);
}
