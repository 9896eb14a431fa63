/** Claude Code in a conversation: each native session has a program of its own. */

import { randomUUID } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  type AgentCommand,
  type Block,
  type CallOptions,
  type ContextUse,
  ContinuoError,
  openInAgent,
  present,
  type Restriction,
  type SessionCapabilities,
  type ToolServer,
} from "@continuo/core/model";
import { openScratch, readJsonFile, type Scratch } from "@continuo/files";
import { claudeFolders, readLiveSessions } from "@continuo/native/claude";
import {
  type AgentTurn,
  answererOf,
  chooseServers,
  driverEnvironment,
  findOnDisk,
  type LinkParts,
  type LinkWithMethods,
  limitsOf,
  noList,
  type OpenedSession,
  type OpeningMethods,
  type OpenOutcome,
  openAgentSession,
  restrictionOf,
  trustOf,
} from "../link/index.ts";
import type { FolderTrust } from "../trust/index.ts";
import { toContent } from "./input.ts";
import { policyArguments, trustArguments } from "./policy.ts";
import { type ClaudeProgram, startClaude } from "./program.ts";
import { toServerFile } from "./tool-servers.ts";

export const AGENT = "Claude Code";

const ARGUMENTS = [
  "-p",
  "--input-format",
  "stream-json",
  "--output-format",
  "stream-json",
  "--verbose",
  "--include-partial-messages",
  "--replay-user-messages",
  "--permission-prompt-tool",
  "stdio",
] as const;

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/iu;

/**
 * The limits of the wait for the session that Claude Code continued: after its last report of a session, in total,
 * and between two checks.
 */
const LAST_MS = 2_000;
const LAST_LIMIT_MS = 10_000;
const LOOK_EVERY_MS = 100;

export class ClaudeLink implements LinkWithMethods {
  readonly #parts: LinkParts;
  readonly #trust: FolderTrust;
  readonly #env: Record<string, string>;
  readonly restriction: Restriction | null;
  readonly leftOutServers: readonly string[];
  readonly #servers: readonly ToolServer[];
  readonly #running: string;
  #program: ClaudeProgram | null = null;
  #asked = "";

  constructor(parts: LinkParts) {
    this.#parts = parts;
    this.#trust = trustOf("claude", parts.open.cwd, parts.options);
    const servers = chooseServers(parts.open, ["stdio", "http", "sse"]);
    this.leftOutServers = servers.leftOut;
    this.#servers = servers.given;
    this.#env = driverEnvironment(parts.options, this.#trust);
    this.restriction = restrictionOf(parts.options, this.#trust);
    this.#running = claudeFolders({ home: parts.options.places.home, env: this.#env }).running;
  }

  get sessionId(): string {
    return this.#program?.sessionId ?? this.#asked;
  }

  get capabilities(): SessionCapabilities {
    return this.#parts.known.capabilities;
  }

  get context(): ContextUse | null {
    return this.#program?.context ?? null;
  }

  async commands(): Promise<readonly AgentCommand[]> {
    return this.#open().commands;
  }

  ways({ signal }: CallOptions): OpeningMethods {
    const { canContinueLast, canFork, canResume } = this.capabilities;
    const fork = (from: string): Promise<OpenOutcome> => {
      const id = randomUUID();
      return this.#go(id, ["--resume", from, "--fork-session", "--session-id", id], { signal, from });
    };
    return {
      agent: AGENT,
      name: "claude",
      begin: () => {
        const id = randomUUID();
        return this.#go(id, ["--session-id", id], { signal });
      },
      resume: (id) => [{ step: "--resume", offered: canResume, run: () => this.#resume(id, signal) }],
      fork: (from) => [{ step: "--fork-session", offered: canFork && canResume, run: () => fork(from) }],
      last: () => ({ step: "--continue", offered: canContinueLast, run: () => this.#last(signal) }),
      list: () => Promise.reject(noList(AGENT)),
    };
  }

  async say(blocks: readonly Block[], turn: AgentTurn): Promise<void> {
    await this.#open().say(toContent(blocks), turn);
  }

  async stop(): Promise<void> {
    await this.#open().interrupt();
  }

  async resume(sessionId: string, { signal }: CallOptions): Promise<OpenedSession> {
    const { cwd } = this.#parts.open;
    const request = present({ cwd, resumeSessionId: sessionId, signal });
    return await openAgentSession(this.ways(present({ signal })), request, this.#parts.options);
  }

  giveUp(why: string): ContinuoError {
    const program = this.#open();
    const failure = program.failed(why);
    // The next turn reports that the session is gone.
    void program.end();
    return failure;
  }

  async close(): Promise<void> {
    await this.#program?.end();
  }

  #open(): ClaudeProgram {
    if (this.#program === null) throw new ContinuoError("agent_failed", `${AGENT} is not open`);
    return this.#program;
  }

  async #resume(id: string, signal: AbortSignal | undefined): Promise<OpenOutcome> {
    // Claude Code would search the titles for any other text.
    if (!UUID.test(id)) throw notThere(id);
    if (this.sessionId === id) await this.close();
    // Two programs that resume one session both append to it, and the file gets two branches.
    if (readLiveSessions(this.#running).of(id) === true) throw openAlready(id);
    return await this.#go(id, ["--resume", id], { signal, from: id });
  }

  /** If there is no session, Claude Code begins a new one, and only a file says which session it has open. */
  async #last(signal: AbortSignal | undefined): Promise<OpenOutcome> {
    const { open, options } = this.#parts;
    const running = readLiveSessions(this.#running);
    await this.#go("", ["--continue"], { signal });
    const startedAt = performance.now();
    for (let markedAt = startedAt; ; ) {
      const nowMs = performance.now();
      const marked = this.#markedId();
      if (marked === null) markedAt = nowMs;
      const isLast = nowMs - markedAt > LAST_MS || nowMs - startedAt > LAST_LIMIT_MS;
      const id = marked ?? "";
      const where = { sessionId: id, cwd: open.cwd, signal };
      if (options.reader === undefined || (await findOnDisk(options, where)) !== null) {
        if (running.of(id) === true) throw openAlready(id);
        this.#asked = id;
        return { sessionId: id };
      }
      if (isLast) {
        throw new ContinuoError("not_found", `${AGENT} has no session in ${open.cwd} to continue`);
      }
      await new Promise((look) => setTimeout(look, LOOK_EVERY_MS));
    }
  }

  /** Before its first turn, only a file names its session. */
  #markedId(): string | null {
    const mark = readJsonFile(join(this.#running, `${this.#program?.pid}.json`));
    return typeof mark?.sessionId === "string" ? mark.sessionId : null;
  }

  /** The earlier program is ended when the new one is ready. */
  async #go(id: string, args: readonly string[], how: StartOptions): Promise<OpenOutcome> {
    const program = await this.#start(args, how);
    const before = this.#program;
    this.#program = program;
    this.#asked = this.#markedId() ?? id;
    await before?.end();
    return { sessionId: this.#asked };
  }

  async #start(args: readonly string[], { signal, from }: StartOptions): Promise<ClaudeProgram> {
    const { open, options, command } = this.#parts;
    const model = open.model ?? options.model;
    const { effort } = open;
    // Claude Code reads the file before it is ready, so its commands never find one.
    using scratch = this.#servers.length === 0 ? null : openScratch();
    const extra = [
      ...(model === undefined ? [] : ["--model", model]),
      ...(effort === undefined ? [] : ["--effort", effort]),
      ...trustArguments(this.#trust),
      ...policyArguments(open.permissions),
      ...(scratch === null ? [] : ["--mcp-config", this.#writeServers(scratch)]),
      // If an argument is given twice, Claude Code uses the last one.
      ...(open.mode === undefined ? [] : ["--permission-mode", open.mode]),
    ];
    try {
      return await startClaude({
        agent: AGENT,
        command: [...command, ...ARGUMENTS, ...extra, ...args],
        cwd: open.cwd,
        env: this.#env,
        limits: limitsOf(options),
        onPermission: answererOf(open),
        editor: open.editor,
        model,
        effort,
        rules: this.#trust.by === null ? "without the project's" : "every file",
        ...present({ signal }),
      });
    } catch (error) {
      if (from === undefined || options.reader === undefined || signal?.aborted === true) throw error;
      // Claude Code's message tells only a person why it failed; Continuo looks at the files on disk.
      const found = await findOnDisk(options, { sessionId: from, cwd: open.cwd });
      throw found === null ? notThere(from) : error;
    }
  }

  #writeServers({ path }: Scratch): string {
    const file = join(path, "servers.json");
    writeFileSync(file, toServerFile(this.#servers), { mode: 0o600, flag: "wx" });
    return file;
  }
}

interface StartOptions {
  readonly signal: AbortSignal | undefined;
  /** The session that the program begins with. */
  readonly from?: string;
}

function openAlready(id: string): ContinuoError {
  return openInAgent({ agent: AGENT, sessionId: id }, { hint: "Close it there first, or fork it." });
}

function notThere(id: string): ContinuoError {
  return new ContinuoError("not_found", `${AGENT} has no session ${id}`);
}
