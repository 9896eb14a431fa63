/** pi in a conversation: one program, which can change to another session. */

import { randomUUID } from "node:crypto";
import { isAbsolute } from "node:path";
import {
  type AgentCommand,
  type Block,
  type CallOptions,
  type ContextUse,
  ContinuoError,
  present,
  type Restriction,
  type SessionCapabilities,
} from "@continuo/core/model";
import { entryOf, isJson, type Json, textField } from "@continuo/files";
import {
  type AgentTurn,
  type AskPermission,
  answererOf,
  assertEffort,
  chooseServers,
  driverEnvironment,
  type FormAnswer,
  findOnDisk,
  type LinkParts,
  type LinkWithMethods,
  limitsOf,
  noList,
  type OpenedSession,
  type OpeningMethods,
  type OpenOutcome,
  openAgentSession,
  Questions,
  restrictionOf,
  showsForm,
  toCommands,
  toContextUse,
  tokensOf,
  trustOf,
  writePolicyFile,
} from "../link/index.ts";
import type { FolderTrust } from "../trust/index.ts";
import { isWaiting, toDialog, toTextDialog } from "./dialog.ts";
import { createPiFold, finishTurn, foldRecord, type PiFold } from "./fold.ts";
import { assertGated, GATE_EXTENSION, isGateCommand, isLasting, toGateDialog } from "./gate.ts";
import { heldTools, noteHeld } from "./held-tools.ts";
import { toPrompt } from "./input.ts";
import { asksPerson, keepsTools, policyArguments, trustArguments } from "./policy.ts";
import { AGENT, type PiProgram, startPi } from "./program.ts";

interface TurnWords {
  readonly turn: AgentTurn;
  /** pi does not abort a turn before it has reported the turn's start. */
  isStarted: boolean;
  isStopping: boolean;
}

/** The interval at which an older version is asked whether the turn has ended. */
const ASK_EVERY_MS = 50;

/** The first record of a turn. A turn that fails before pi asks its model has no `agent_start` (seen in 1.6.0). */
const BEGINNINGS: readonly unknown[] = ["agent_start", "message_start"];

/** pi's own stop reasons, and the terms that other agents use for them. */
const STOPS: Readonly<Record<string, string>> = { stop: "end_turn", length: "max_tokens" };

export class PiLink implements LinkWithMethods {
  readonly #parts: LinkParts;
  readonly #trust: FolderTrust;
  readonly restriction: Restriction | null;
  readonly leftOutServers: readonly string[];
  #program: PiProgram | null = null;
  #sessionId = "";
  #fold: PiFold = createPiFold(randomUUID());
  #said: TurnWords | null = null;
  readonly #questions = new Questions();
  /** Tools that need no further question in this conversation. */
  readonly #grantedTools = new Set<string>();
  #isClosing = false;
  /** The size of the context of the model that pi uses, in tokens. */
  #windowTokens: unknown = null;

  constructor(parts: LinkParts) {
    this.#parts = parts;
    this.#trust = trustOf("pi", parts.open.cwd, parts.options);
    this.restriction = restrictionOf(parts.options, this.#trust);
    // pi starts tool servers only from its own files.
    this.leftOutServers = chooseServers(parts.open, []).leftOut;
  }

  get sessionId(): string {
    return this.#sessionId;
  }

  get capabilities(): SessionCapabilities {
    return this.#parts.known.capabilities;
  }

  get context(): ContextUse | null {
    const { lastUsage } = this.#fold;
    return lastUsage === null ? null : toContextUse(tokensOf(lastUsage), this.#windowTokens);
  }

  async commands({ signal }: CallOptions): Promise<readonly AgentCommand[]> {
    const { commands } = await this.#open().call({ type: "get_commands" }, this.#limits(signal));
    const own = Array.isArray(commands) ? commands.filter((command) => !isGateCommand(command)) : commands;
    return toCommands(own, () => "");
  }

  ways({ signal }: CallOptions): OpeningMethods {
    const { canContinueLast, canFork, canResume } = this.capabilities;
    const isRunning = this.#program !== null;
    const start = (flag: string, id: string) => async (): Promise<OpenOutcome> =>
      await this.#startFrom(flag, id, signal);
    const change = (id: string) => async (): Promise<OpenOutcome> => {
      const sessionPath = await this.#pathOf(id, signal);
      return await this.#change({ type: "switch_session", sessionPath }, { signal, to: id });
    };
    const clone = (id: string) => async (): Promise<OpenOutcome> => {
      await this.#startFrom("--session", id, signal);
      return await this.#change({ type: "clone" }, { signal });
    };
    return {
      agent: AGENT,
      name: "pi",
      begin: () => this.#start([], { signal }),
      resume: (id) => [
        ...(isRunning ? [{ step: "switch_session", offered: true, run: change(id) }] : []),
        { step: "--session", offered: canResume, run: start("--session", id) },
      ],
      fork: (id) => [
        { step: "--fork", offered: canFork, run: start("--fork", id) },
        { step: "clone", offered: canResume, run: clone(id) },
      ],
      last: () => ({ step: "--continue", offered: canContinueLast, run: () => this.#last(signal) }),
      list: () => Promise.reject(noList(AGENT)),
    };
  }

  async say(blocks: readonly Block[], turn: AgentTurn): Promise<void> {
    const prompt = toPrompt(blocks);
    const said: TurnWords = { turn, isStarted: false, isStopping: false };
    this.#said = said;
    const data = await this.#open().call({ type: "prompt", ...prompt }, this.#limits());
    // This was a command of an extension, not a turn of the model.
    if (data.disposition === "handled" && this.#said === said) await this.#settled({});
  }

  async stop(): Promise<void> {
    this.#questions.takeBackAll();
    if (this.#said?.isStarted === true) await this.#open().call({ type: "abort" }, this.#limits());
    else if (this.#said !== null) this.#said.isStopping = true;
  }

  async resume(sessionId: string, { signal }: CallOptions): Promise<OpenedSession> {
    const request = present({ cwd: this.#parts.open.cwd, resumeSessionId: sessionId, signal });
    return await openAgentSession(this.ways(present({ signal })), request, this.#parts.options);
  }

  giveUp(why: string): ContinuoError {
    const failure = this.#open().failed(why);
    void this.close();
    return failure;
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    await this.#program?.end();
  }

  #open(): PiProgram {
    if (this.#program === null) throw new ContinuoError("agent_failed", `${AGENT} is not open`);
    return this.#program;
  }

  #limits(signal?: AbortSignal): CallOptions & { readonly limitMs: number } {
    return present({ limitMs: limitsOf(this.#parts.options).callMs, signal });
  }

  /**
   * With a path, pi opens a session of any folder. With an id, it asks a question before it opens a session of another
   * folder.
   */
  async #pathOf(id: string, signal: AbortSignal | undefined): Promise<string> {
    const { open, options } = this.#parts;
    if (options.reader === undefined) return id;
    const found = await findOnDisk(options, { sessionId: id, cwd: open.cwd, signal });
    if (found !== null) return found.location;
    throw new ContinuoError("not_found", `${AGENT} has no session ${id}`);
  }

  /** Errors: `not_found` if the reader finds no session. pi itself begins a new one then. */
  async #last(signal: AbortSignal | undefined): Promise<OpenOutcome> {
    const { cwd } = this.#parts.open;
    const landing = await this.#start(["--continue"], { signal });
    const { options } = this.#parts;
    if (options.reader === undefined) return landing;
    const found = await findOnDisk(options, { ...landing, cwd, signal });
    const back = found === null ? [] : await this.#toolsOf(landing.sessionId, found.location, signal);
    if (back.length > 0) return await this.#startFrom("--session", landing.sessionId, signal);
    if (found !== null) return landing;
    throw new ContinuoError("not_found", `${AGENT} has no session in ${cwd} to continue`);
  }

  async #startFrom(flag: string, sessionId: string, signal: AbortSignal | undefined): Promise<OpenOutcome> {
    const path = await this.#pathOf(sessionId, signal);
    const back = await this.#toolsOf(sessionId, path, signal);
    return await this.#start([flag, path], { signal, back });
  }

  /** Returns the tools that the session should get back. */
  async #toolsOf(
    sessionId: string,
    path: string,
    signal: AbortSignal | undefined,
  ): Promise<readonly string[]> {
    const { known, open, options } = this.#parts;
    if (open.permissions === "safe" || !keepsTools(known.version) || !isAbsolute(path)) return [];
    return await heldTools(present({ places: options.places, sessionId, path, signal }));
  }

  #gateArguments(): readonly string[] {
    const { open, options } = this.#parts;
    if (!asksPerson(open.permissions)) return [];
    return ["--extension", writePolicyFile(options.places, { extension: "js", text: GATE_EXTENSION })];
  }

  /** The earlier program is ended when the new one is ready. */
  async #start(args: readonly string[], { signal, back = [] }: StartOptions): Promise<OpenOutcome> {
    const { command, known, open, options } = this.#parts;
    if (open.mode !== undefined) {
      throw new ContinuoError("unsupported", `${AGENT} has no setting for its mode`);
    }
    const model = open.model ?? options.model;
    const chosen = [
      ...trustArguments(this.#trust, known.version),
      ...policyArguments(open.permissions, { back, version: known.version }),
      ...this.#gateArguments(),
      ...(model === undefined ? [] : ["--model", model]),
    ];
    let program: PiProgram | null = null;
    program = await startPi({
      command: [...command, "--mode", "rpc", ...chosen, ...args],
      cwd: open.cwd,
      env: driverEnvironment(options, this.#trust),
      limits: limitsOf(options),
      handlers: {
        onRecord: (record) => this.#told(record),
        onEnd: async () => {
          if (program === this.#program) await this.#died();
        },
      },
      ...present({ signal }),
    });
    const before = this.#program;
    this.#program = program;
    await before?.end();
    return await this.#where(signal);
  }

  /** If the file does not exist, pi begins a new session, so the session that it reports afterwards is checked. */
  async #change(command: Json, { signal, to }: Change): Promise<OpenOutcome> {
    const before = this.#sessionId;
    const limits = present({ limitMs: limitsOf(this.#parts.options).openMs, signal });
    const { cancelled } = await this.#open().call(command, limits);
    const landing = await this.#where(signal);
    const isThere = to === undefined ? landing.sessionId !== before : landing.sessionId === to;
    if (cancelled !== true && isThere) return landing;
    throw this.#open().failed(`did not go there: ${String(command.type)} led to ${landing.sessionId}`);
  }

  async #where(signal: AbortSignal | undefined): Promise<OpenOutcome> {
    const state = await this.#open().call({ type: "get_state" }, this.#limits(signal));
    this.#sessionId = textField(state, "sessionId") ?? "";
    this.#windowTokens = isJson(state.model) ? state.model.contextWindow : null;
    await this.#think(signal);
    const { known, open, options } = this.#parts;
    if (asksPerson(open.permissions)) {
      assertGated((await this.#open().call({ type: "get_commands" }, this.#limits(signal))).commands);
    }
    if (open.permissions === "safe" && keepsTools(known.version)) noteHeld(options.places, this.#sessionId);
    this.#fold = createPiFold(randomUUID());
    return { sessionId: this.#sessionId };
  }

  /** pi accepts every effort, and does not think at all with an effort that does not exist. Errors: `unsupported`. */
  async #think(signal: AbortSignal | undefined): Promise<void> {
    const { effort } = this.#parts.open;
    if (effort === undefined) return;
    const limits = this.#limits(signal);
    const { levels } = await this.#open().call({ type: "get_available_thinking_levels" }, limits);
    assertEffort(
      AGENT,
      effort,
      (Array.isArray(levels) ? levels : []).filter((one) => typeof one === "string"),
    );
    await this.#open().call({ type: "set_thinking_level", level: effort }, limits);
  }

  async #told(record: Json): Promise<void> {
    const said = this.#said;
    if (record.type === "extension_ui_request") return this.#dialog(record);
    if (BEGINNINGS.includes(record.type) && said?.isStarted === false) {
      said.isStarted = true;
      if (said.isStopping) this.stop().catch((error: Error) => said.turn.fail(error));
    }
    for (const event of foldRecord(this.#fold, record)) await said?.turn.push(event);
    if (record.type === "agent_settled" && said?.isStarted === true) await this.#settled(record);
    if (record.type !== "agent_end" || said === null) return;
    // A version that reports if it tries again (0.87.1 and later) also reports when it is done. Older versions are
    // asked.
    if (record.willRetry !== undefined) return;
    this.#askUntilDone(said).catch((error: Error) => said.turn.fail(error));
  }

  async #askUntilDone(said: TurnWords): Promise<void> {
    while (this.#said === said) {
      const { isStreaming } = await this.#open().call({ type: "get_state" }, this.#limits());
      if (isStreaming !== true && this.#said === said) return await this.#settled({});
      await new Promise((ask) => setTimeout(ask, ASK_EVERY_MS));
    }
  }

  async #settled({ aborted }: Json): Promise<void> {
    const turn = this.#said?.turn;
    const { failure, stopReason, usage } = this.#fold;
    await this.#finish();
    if (aborted === true || stopReason === "aborted") return turn?.end("cancelled", usage ?? undefined);
    if (stopReason !== "error")
      return turn?.end(entryOf(STOPS, stopReason ?? "") ?? "end_turn", usage ?? undefined);
    const why = failure ?? "it does not say why";
    turn?.fail(new ContinuoError("agent_failed", `${AGENT} could not answer: ${why}`));
  }

  async #finish(): Promise<void> {
    const turn = this.#said?.turn;
    this.#said = null;
    // The answers to open questions are reported before the end of the turn.
    await this.#questions.end();
    for (const event of finishTurn(this.#fold)) await turn?.push(event);
  }

  #dialog(record: Json): void {
    const turn = this.#said?.turn;
    const gate = toGateDialog(record);
    const dialog = gate ?? toDialog(record);
    if (dialog !== null && turn !== undefined) {
      const { request } = dialog;
      this.#questions.ask(request.approvalId, {
        turn,
        request,
        onPermission: gate === null ? answererOf(this.#parts.open) : this.#askForTool,
        // A withdrawn question is answered too, because pi waits for it.
        answer: (decision) => this.#answer(request.approvalId, dialog.answer(decision)),
      });
      return;
    }
    const { editor } = this.#parts.open;
    const text = toTextDialog(record);
    if (text !== null && turn !== undefined && showsForm(editor, text.form)) {
      // A withdrawn form is answered too, because pi waits for it.
      const answer = (given: FormAnswer): void => this.#answer(record.id, text.answer(given));
      this.#questions.show(record.id, { turn, form: text.form, editor, answer });
      return;
    }
    const message = textField(record, "message") ?? `pi: ${String(record.method)}`;
    void turn?.push({ type: "diagnostics", message, details: record });
    if (isWaiting(record)) this.#answer(record.id, { cancelled: true });
  }

  readonly #askForTool: AskPermission = async (request, options) => {
    const { toolName = "" } = request;
    if (this.#grantedTools.has(toolName)) {
      return { outcome: "granted", by: "person", reason: `every call of ${toolName} is granted` };
    }
    const decision = await answererOf(this.#parts.open)(request, options);
    if (isLasting(request, decision)) this.#grantedTools.add(toolName);
    return decision;
  };

  #answer(id: unknown, answer: Json): void {
    this.#open().tell({ type: "extension_ui_response", id, ...answer });
  }

  async #died(): Promise<void> {
    const turn = this.#said?.turn;
    await this.#finish();
    if (!this.#isClosing) turn?.fail(this.#open().failed("died in the middle of a turn"));
  }
}

interface StartOptions {
  readonly signal: AbortSignal | undefined;
  /** Tools that the session gets back. */
  readonly back?: readonly string[];
}

interface Change {
  readonly signal: AbortSignal | undefined;
  /** The session that must be open afterwards; by default any other than the present one. */
  readonly to?: string;
}
