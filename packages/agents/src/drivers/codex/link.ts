/**
 * Codex in a conversation: an app-server with one thread. Each thread has a server of its own, because a thread stays
 * locked while a server has it open.
 */

import {
  type AgentEvent,
  type Block,
  type CallOptions,
  type ContextUse,
  ContinuoError,
  type OpenConversation,
  openInAgent,
  present,
  type Restriction,
  type SessionCapabilities,
  type ToolServer,
} from "@continuo/core/model";
import { isJson, type Json, textField } from "@continuo/files";
import {
  type AgentTurn,
  answererOf,
  assertEffort,
  chooseServers,
  type DriverOptions,
  driverEnvironment,
  findOnDisk,
  type Link,
  limitsOf,
  NO_CAPABILITIES,
  type OpenedSession,
  type OpeningMethods,
  type OpenOutcome,
  openAgentSession,
  Questions,
  rememberCapabilities,
  restrictionOf,
  showsForm,
  trustOf,
} from "../link/index.ts";
import { isRefusal } from "../process/index.ts";
import type { FolderTrust } from "../trust/index.ts";
import { askCapabilities } from "./capabilities.ts";
import { effortsOf } from "./effort.ts";
import { type CodexFold, changeModel, createCodexFold, finishTurn, foldNotification } from "./fold.ts";
import { toInput } from "./input.ts";
import { refusalOf, toFormRequest, toQuestion } from "./permission.ts";
import {
  ownSettings,
  serverSettings,
  type ThreadPolicy,
  threadSettings,
  trustArguments,
  turnSettings,
} from "./policy.ts";
import { askWithProvider } from "./provider.ts";
import { AGENT, beginCodex, type CodexServer } from "./server.ts";
import { allThreads } from "./threads.ts";

export interface CodexLinkParts {
  readonly options: DriverOptions;
  readonly open: OpenConversation;
  readonly command: readonly string[];
  readonly onClose?: (() => void) | undefined;
}

interface TurnWords {
  readonly turn: AgentTurn;
  turnId: string | null;
  /** The server does not interrupt a turn before it has reported the turn's start. */
  isStarted: boolean;
  isStopping: boolean;
}

/** The greatest number of notices that are kept outside a turn; the next turn reports them. */
const MAX_NOTICES = 20;

export class CodexLink implements Link {
  readonly #parts: CodexLinkParts;
  readonly #trust: FolderTrust;
  readonly restriction: Restriction | null;
  readonly leftOutServers: readonly string[];
  readonly #servers: readonly ToolServer[];
  #server: CodexServer | null = null;
  #fold: CodexFold = createCodexFold("");
  /** A resumed thread reports its sum of tokens, sometimes before the answer to `thread/resume`. */
  #earlier: { readonly threadId?: unknown; readonly total: string | null } = { total: null };
  #notices: AgentEvent[] = [];
  #said: TurnWords | null = null;
  readonly #questions = new Questions();
  #isClosing = false;
  capabilities: SessionCapabilities = NO_CAPABILITIES;

  constructor(parts: CodexLinkParts) {
    this.#parts = parts;
    this.#trust = trustOf("codex", parts.open.cwd, parts.options);
    this.restriction = restrictionOf(parts.options, this.#trust);
    const servers = chooseServers(parts.open, ["stdio", "http"]);
    this.leftOutServers = servers.leftOut;
    this.#servers = servers.given;
  }

  get sessionId(): string {
    return this.#fold.threadId;
  }

  get context(): ContextUse | null {
    return this.#fold.context;
  }

  /** Errors: `agent_failed`. */
  get server(): CodexServer {
    return this.#open();
  }

  /** Starts the server. Each program is asked for its capabilities only once. */
  async start({ signal }: CallOptions): Promise<void> {
    const { options, command } = this.#parts;
    this.#server = await this.#begin(signal);
    const server = this.#server;
    const limits = present({ limitMs: limitsOf(options).callMs, signal });
    const ask = async () => {
      await server.ready;
      return await askCapabilities(server, limits);
    };
    this.capabilities = (await rememberCapabilities(options.places, command, ask)).capabilities;
  }

  ways({ signal }: CallOptions): OpeningMethods {
    const { canFork, canResume } = this.capabilities;
    const limits = present({ limitMs: limitsOf(this.#parts.options).callMs, signal });
    const resume = (id: string) => () =>
      this.#go("thread/resume", { threadId: id, excludeTurns: true }, { signal, from: id });
    const fork = (id: string) => () =>
      this.#go("thread/fork", { threadId: id, excludeTurns: true }, { signal, from: id });
    return {
      agent: AGENT,
      name: "codex",
      begin: () => this.#go("thread/start", {}, { signal }),
      resume: (id) => [{ step: "thread/resume", offered: canResume, run: resume(id) }],
      fork: (id) => [{ step: "thread/fork", offered: canFork, run: fork(id) }],
      list: async () => await allThreads(this.#open(), this.#parts.open.cwd, limits),
    };
  }

  async say(blocks: readonly Block[], turn: AgentTurn): Promise<void> {
    const server = this.#open();
    const input = toInput(blocks);
    const said: TurnWords = { turn, turnId: null, isStarted: false, isStopping: false };
    this.#said = said;
    for (const notice of this.#notices.splice(0)) await turn.push(notice);
    const { callMs: limitMs } = limitsOf(this.#parts.options);
    const { effort } = this.#parts.open;
    const chosen = { ...turnSettings(this.#policy()), ...present({ effort }) };
    const params = { threadId: this.sessionId, input, ...chosen };
    const answer = await server.call("turn/start", params, { limitMs });
    said.turnId ??= idOfTurn(answer);
    this.#fold.turnId ??= said.turnId;
  }

  async stop(): Promise<void> {
    const said = this.#said;
    if (said === null) return;
    if (!said.isStarted || said.turnId === null) {
      said.isStopping = true;
      return;
    }
    const { callMs: limitMs } = limitsOf(this.#parts.options);
    const params = { threadId: this.sessionId, turnId: said.turnId };
    try {
      await this.#open().call("turn/interrupt", params, { limitMs });
    } catch (error) {
      // The turn ended in the meantime.
      if (!isRefusal(error) || this.#said === said) throw error;
    }
  }

  async resume(sessionId: string, { signal }: CallOptions): Promise<OpenedSession> {
    const { cwd } = this.#parts.open;
    const before = this.#keep();
    // Otherwise the thread is still locked by our own server.
    if (this.sessionId === sessionId) await before.server?.end();
    try {
      this.#server = await this.#begin(signal);
      const request = present({ cwd, resumeSessionId: sessionId, signal });
      const opened = await openAgentSession(this.ways(present({ signal })), request, this.#parts.options);
      await before.server?.end();
      return opened;
    } catch (error) {
      if (this.#server !== before.server) await this.#server?.end();
      before.restore();
      throw error;
    }
  }

  giveUp(why: string): ContinuoError {
    const server = this.#open();
    const failure = server.failed(why);
    void this.close();
    return failure;
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    this.#parts.onClose?.();
    await this.#server?.end();
  }

  #open(): CodexServer {
    if (this.#server === null) throw new ContinuoError("agent_failed", `${AGENT} is not open`);
    return this.#server;
  }

  #keep(): { readonly server: CodexServer | null; restore(): void } {
    const [server, fold, notices] = [this.#server, this.#fold, this.#notices];
    return {
      server,
      restore: () => {
        [this.#server, this.#fold, this.#notices] = [server, fold, notices];
      },
    };
  }

  async #begin(signal: AbortSignal | undefined): Promise<CodexServer> {
    const { command, open, options } = this.#parts;
    let server: CodexServer | null = null;
    server = await beginCodex({
      command: [...command, ...trustArguments(this.#trust)],
      cwd: open.cwd,
      env: driverEnvironment(options, this.#trust),
      limits: limitsOf(options),
      handlers: {
        onNotification: (method, params) => this.#told(method, params),
        onRequest: (id, method, params) => this.#asked(id, method, params),
        onEnd: async () => {
          if (server === this.#server) await this.#died();
        },
      },
      ...present({ signal }),
    });
    return server;
  }

  async #go(method: string, params: Json, { signal, from }: ThreadOptions): Promise<OpenOutcome> {
    const { open, options } = this.#parts;
    const limits = present({ limitMs: limitsOf(options).openMs, signal });
    const server = this.#open();
    const own = async () => (from === undefined ? {} : await ownSettings(server, open.cwd, limits));
    const model = open.model ?? options.model;
    const settings = {
      ...present({ model }),
      ...(await threadSettings(this.#policy(), own)),
      ...(await serverSettings(server, { ...this.#policy(), cwd: open.cwd, given: this.#servers }, limits)),
    };
    const ask = (more: Json): Promise<Json> =>
      server.call(method, { ...params, cwd: open.cwd, ...settings, ...more }, limits);
    let answer: Json;
    try {
      if (from === undefined) [answer] = await Promise.all([ask({}), server.ready]);
      else {
        await server.ready;
        answer = await askWithProvider(server, ask, limits);
      }
    } catch (error) {
      throw from !== undefined && isRefusal(error) ? await this.#reasonOf(error, from) : error;
    }
    const { effort } = open;
    // Codex accepts every effort, and sends it to the model.
    if (effort !== undefined) {
      const offered = await effortsOf(server, textField(answer, "model"), limits);
      assertEffort(AGENT, effort, offered);
    }
    const thread = isJson(answer.thread) ? answer.thread : {};
    const sessionId = textField(thread, "id") ?? "";
    const lastTotal = this.#earlier.threadId === sessionId ? this.#earlier.total : null;
    this.#fold = createCodexFold(sessionId, lastTotal);
    const mode = textField(answer, "approvalPolicy");
    const [event] = changeModel(this.#fold, textField(answer, "model"));
    if (event?.type === "mode") this.#notice({ ...event, ...present({ mode: mode ?? undefined }) });
    return { sessionId };
  }

  #policy(): ThreadPolicy {
    const { permissions: policy, mode } = this.#parts.open;
    return { policy, mode };
  }

  /** The server has one code for all refusals; the files on disk show the reason. */
  async #reasonOf(error: unknown, id: string): Promise<unknown> {
    const { options, open } = this.#parts;
    if (options.reader === undefined) return error;
    const found = await findOnDisk(options, { sessionId: id, cwd: open.cwd });
    if (found === null)
      return new ContinuoError("not_found", `${AGENT} has no thread ${id}`, { cause: error });
    if (found.live !== true) return error;
    return openInAgent(found, {
      hint: "Close it there first, or fork it.",
      cause: error,
    });
  }

  #notice(event: AgentEvent): void {
    if (this.#notices.length < MAX_NOTICES) this.#notices.push(event);
  }

  async #told(method: string, params: Json): Promise<void> {
    const said = this.#said;
    const isOurs = params.threadId === this.sessionId;
    if (method === "serverRequest/resolved") this.#questions.takeBack(params.requestId);
    if (method === "turn/started" && isOurs && said !== null) {
      said.isStarted = true;
      said.turnId = idOfTurn(params);
      this.#fold.turnId = said.turnId;
      if (said.isStopping) this.stop().catch((error: Error) => said.turn.fail(error));
    }
    if (method === "thread/tokenUsage/updated" && !isOurs && isJson(params.tokenUsage)) {
      this.#earlier = { threadId: params.threadId, total: JSON.stringify(params.tokenUsage.total) };
    }
    for (const event of foldNotification(this.#fold, method, params)) {
      if (said === null) this.#notice(event);
      else await said.turn.push(event);
    }
    if (method === "turn/completed" && isOurs && idOfTurn(params) === said?.turnId) {
      await this.#completed(said.turn, isJson(params.turn) ? params.turn : {});
    }
  }

  async #completed(turn: AgentTurn, { status, error }: Json): Promise<void> {
    const usage = this.#fold.usage ?? undefined;
    await this.#finish(turn);
    if (status !== "failed") return turn.end(status === "interrupted" ? "cancelled" : "end_turn", usage);
    const details = isJson(error) ? error : {};
    const why = textField(details, "message") ?? "it does not say why";
    turn.fail(new ContinuoError("agent_failed", `${AGENT} could not answer: ${why}`, { details }));
  }

  async #finish(turn: AgentTurn | undefined): Promise<void> {
    this.#said = null;
    // The results of questions are reported before the end of the turn.
    await this.#questions.end();
    for (const event of finishTurn(this.#fold)) await turn?.push(event);
  }

  /** Also handles questions of sub-agents' threads, because nobody else can answer them. */
  #asked(id: unknown, method: string, params: Json): void {
    const server = this.#open();
    const said = this.#said;
    const call = this.#fold.calls.get(textField(params, "itemId") ?? "");
    const question = toQuestion({ id, method, params, call });
    if (question !== null && said !== null) {
      const { turn } = said;
      const { request } = question;
      this.#questions.ask(id, {
        turn,
        request,
        onPermission: answererOf(this.#parts.open),
        answer: (decision, takenBack) => {
          if (!takenBack.aborted) server.answer(id, question.answer(decision));
        },
      });
      return;
    }
    const { editor } = this.#parts.open;
    const shown = toFormRequest({ method, params, call });
    if (shown !== null && said !== null && showsForm(editor, shown.form)) {
      const { form } = shown;
      this.#questions.show(id, {
        turn: said.turn,
        form,
        editor,
        answer: (answer, takenBack) => {
          if (!takenBack.aborted) server.answer(id, shown.answer(answer));
        },
      });
      return;
    }
    const told = { type: "diagnostics", message: `Codex asks: ${method}`, details: params } as const;
    void said?.turn.push(told);
    const refusal = question?.answer({ outcome: "denied", by: "policy" }) ?? refusalOf(method);
    if (refusal === null) server.refuse(id, `${method} is not offered here`);
    else server.answer(id, refusal);
  }

  async #died(): Promise<void> {
    const said = this.#said;
    await this.#finish(said?.turn);
    if (!this.#isClosing) said?.turn.fail(this.#open().failed("died in the middle of a turn"));
  }
}

interface ThreadOptions {
  readonly signal: AbortSignal | undefined;
  /** The thread that is resumed or forked. */
  readonly from?: string;
}

function idOfTurn({ turn }: Json): string | null {
  return isJson(turn) ? textField(turn, "id") : null;
}
