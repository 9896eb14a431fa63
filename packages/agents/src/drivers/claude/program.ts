/**
 * A running `claude`: lines of JSON both ways, turns, and the control protocol among them (2.1.330):
 *
 * - we ask `{type: control_request, request_id, request: {subtype: initialize | interrupt}}`, and are answered
 *   `{type: control_response, response: {subtype: success | error, request_id, …}}`; it asks us in the same way
 * - input is sent as `{type: user, uuid, message}`; `command_lifecycle` says when the input is `queued`, `started` and
 *   `completed`. An interrupt that comes before the start is answered with `still_queued`, and does nothing
 * - a turn may begin by itself, when something in the background ends: the `result` of that turn does not end our turn
 */

import { randomUUID } from "node:crypto";
import {
  type AgentCommand,
  type CallOptions,
  type ContextUse,
  ContinuoError,
  type EditorPort,
  present,
} from "@continuo/core/model";
import { isJson, type Json, parseJson, textField } from "@continuo/files";
import {
  type AgentTurn,
  type AskPermission,
  assertEffort,
  type DriverLimits,
  type FormAnswer,
  Questions,
  showsForm,
  toCommands,
  toContextUse,
  tokensOf,
  within,
} from "../link/index.ts";
import { type AgentProcess, type ProcessStart, startAgent } from "../process/index.ts";
import { type ClaudeFold, createClaudeFold, finishTurn, foldLine } from "./fold.ts";
import type { RuleScope } from "./grants.ts";
import { toFormRequest, toPermissionAnswer, toPermissionRequest } from "./permission.ts";
import { endingOf, whyOf } from "./turn-end.ts";

export interface ClaudeStart extends ProcessStart, CallOptions {
  readonly limits: DriverLimits;
  readonly onPermission: AskPermission;
  /** The editor that shows forms; see `OpenConversation.editor`. */
  readonly editor: EditorPort | undefined;
  /** The rules that the program reads; others are not offered. */
  readonly rules: RuleScope;
  readonly model: string | undefined;
  readonly effort: string | undefined;
}

/** Starts it and waits until it says that it is ready. Errors: `agent_missing`, `agent_failed`. */
export async function startClaude(start: ClaudeStart): Promise<ClaudeProgram> {
  const program = new ClaudeProgram(await startAgent(start), start);
  try {
    await within(program.initialize(), {
      limitMs: start.limits.startMs,
      late: () => program.late("did not answer", start.limits.startMs),
      ...present({ signal: start.signal }),
    });
    return program;
  } catch (error) {
    await program.end();
    throw error;
  }
}

interface PendingRequest {
  readonly accept: (answer: Json) => void;
  readonly refuse: (error: Error) => void;
}

interface MessageIdentity {
  readonly uuid: string;
  readonly turn: AgentTurn;
  /** `stopping`: the turn is interrupted as soon as it is started. */
  state: "sent" | "stopping" | "started";
}

/** A program that prints nothing more is given this time to end, so that its end can be reported. */
const END_MS = 2_000;

export class ClaudeProgram {
  readonly #process: AgentProcess;
  readonly #start: ClaudeStart;
  readonly #fold: ClaudeFold = createClaudeFold();
  readonly #waiting = new Map<string, PendingRequest>();
  readonly #questions = new Questions();
  #said: MessageIdentity | null = null;
  #tellsLifecycle = false;
  #ended: Error | null = null;
  #closing = false;
  /** The session that `system/init` last reported. */
  sessionId: string | null = null;
  commands: readonly AgentCommand[] = [];
  /** The context of its model at the last call. */
  context: ContextUse | null = null;
  /** The process id that the program reports; the process that Continuo started may only be a launcher. */
  pid: number;

  constructor(process: AgentProcess, start: ClaudeStart) {
    this.#process = process;
    this.#start = start;
    this.pid = process.pid;
    // Callers that wait get the error from it.
    this.#read().catch(() => undefined);
  }

  async initialize(): Promise<void> {
    const answer = await this.#ask({ subtype: "initialize" });
    if (typeof answer.pid === "number") this.pid = answer.pid;
    this.commands = toCommands(answer.commands, ({ argumentHint }) => argumentHint);
    // Claude Code accepts every effort. If an effort does not exist, it only reports on stderr that it ignored it.
    const { model, effort } = this.#start;
    if (effort !== undefined) assertEffort("Claude Code", effort, effortsIn(answer.models, model));
  }

  async say(content: readonly Json[], turn: AgentTurn): Promise<void> {
    if (this.#ended !== null) throw this.#ended;
    const uuid = randomUUID();
    this.#said = { uuid, turn, state: "sent" };
    await this.#send({ type: "user", uuid, message: { role: "user", content } });
  }

  async interrupt(): Promise<void> {
    const said = this.#said;
    const { still_queued: queued } = await this.#ask({ subtype: "interrupt" });
    const isQueued = Array.isArray(queued) && said !== null && queued.includes(said.uuid);
    if (!isQueued) return;
    if (said.state === "started") await this.interrupt();
    else said.state = "stopping";
  }

  failed(why: string): ContinuoError {
    return this.#process.failed(why);
  }

  late(what: string, limitMs: number): ContinuoError {
    return this.#process.late(what, limitMs);
  }

  /** The caller must end a turn that is still running. */
  async end(): Promise<void> {
    this.#closing = true;
    await this.#process.end();
  }

  async #send(message: Json): Promise<void> {
    await this.#process.send(JSON.stringify(message));
  }

  /** Errors: `agent_failed` if the program refuses, or ends. */
  #ask(request: Json): Promise<Json> {
    const id = randomUUID();
    return new Promise((accept, refuse) => {
      if (this.#ended !== null) return refuse(this.#ended);
      this.#waiting.set(id, { accept, refuse });
      void this.#send({ type: "control_request", request_id: id, request });
    });
  }

  async #read(): Promise<void> {
    let why = "ended";
    try {
      for await (const line of this.#process.lines) {
        if (line === null) throw this.failed("printed a line that is too long to be kept");
        const message = parseLine(line);
        if (message !== null) await this.#take(message);
      }
    } catch (error) {
      why = error instanceof Error ? `failed: ${error.message}` : why;
    } finally {
      await this.#die(why);
    }
  }

  /** Called when the output has ended. */
  async #die(why: string): Promise<void> {
    const gone = within(this.#process.ended, { limitMs: END_MS, late: () => new Error("late") });
    await gone.catch(() => undefined);
    const said = this.#said;
    this.#ended = this.failed(said === null ? why : "died in the middle of a turn");
    for (const one of this.#waiting.values()) one.refuse(this.#ended);
    this.#said = null;
    await this.#finish(said?.turn);
    if (!this.#closing) said?.turn.fail(this.#ended);
    // This also ends the programs that it started.
    await this.end();
  }

  async #take(message: Json): Promise<void> {
    switch (message.type) {
      case "control_response":
        return this.#answered(message);
      case "control_request":
        return this.#asked(message);
      case "control_cancel_request":
        return this.#questions.takeBack(String(message.request_id));
      case "command_lifecycle":
        await this.#lifecycle(message);
        return;
      case "result":
        return await this.#result(message);
      default:
        if (message.type === "system" && message.subtype === "init") {
          this.sessionId = textField(message, "session_id");
        }
        // Without lifecycle records, the replay of our prompt marks its start.
        if (message.isReplay === true && message.uuid === this.#said?.uuid) this.#started();
        if (message.subtype === "elicitation_complete") this.#completed(message);
        for (const event of foldLine(this.#fold, message)) await this.#said?.turn.push(event);
    }
  }

  /** The page that a form asked the person to visit has done its work. An editor that is gone needs no report. */
  #completed({ elicitation_id: elicitationId }: Json): void {
    if (typeof elicitationId !== "string") return;
    this.#start.editor?.completed(elicitationId).catch(() => undefined);
  }

  #answered({ response }: Json): void {
    if (!isJson(response)) return;
    const id = textField(response, "request_id") ?? "";
    const one = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (response.subtype === "success") one?.accept(isJson(response.response) ? response.response : {});
    else one?.refuse(this.failed(`said no: ${String(response.error)}`));
  }

  /** A person is asked while the next lines are read. */
  #asked({ request_id: requestId, request }: Json): void {
    const id = String(requestId);
    const said = this.#said;
    if (!isJson(request)) return;
    if (said !== null && this.#show(id, request, said.turn)) return;
    if (request.subtype === "can_use_tool" && said !== null) {
      this.#permit(id, request, said.turn);
      return;
    }
    void said?.turn.push({
      type: "diagnostics",
      message: `Claude Code asks: ${request.subtype}`,
      details: request,
    });
    const isTool = request.subtype === "can_use_tool";
    const answer = isTool
      ? { subtype: "success", response: { behavior: "deny", message: "Nobody is there to be asked." } }
      : { subtype: "error", error: `${String(request.subtype)} is not offered here` };
    void this.#send({ type: "control_response", response: { ...answer, request_id: id } });
  }

  /** Returns false if the request is not a form, or if the editor does not show it. */
  #show(id: string, request: Json, turn: AgentTurn): boolean {
    const { editor } = this.#start;
    const shown = toFormRequest(request);
    if (shown === null || !showsForm(editor, shown.form)) return false;
    const answer = (given: FormAnswer, takenBack: AbortSignal): Promise<void> =>
      this.#succeed(id, shown.answer(given), takenBack);
    this.#questions.show(id, { turn, form: shown.form, editor, answer });
    return true;
  }

  #permit(id: string, asked: Json, turn: AgentTurn): void {
    const request = toPermissionRequest(id, asked, this.#start.rules);
    const { onPermission } = this.#start;
    this.#questions.ask(id, {
      turn,
      request,
      onPermission,
      answer: (decision, takenBack) =>
        this.#succeed(id, toPermissionAnswer(asked, request, decision), takenBack),
    });
  }

  /** A question that was withdrawn is not answered. */
  async #succeed(id: string, response: Json, takenBack: AbortSignal): Promise<void> {
    if (takenBack.aborted) return;
    await this.#send({
      type: "control_response",
      response: { subtype: "success", request_id: id, response },
    });
  }

  async #lifecycle({ command_uuid: uuid, state }: Json): Promise<void> {
    this.#tellsLifecycle = true;
    if (uuid === this.#said?.uuid && state === "started") this.#started();
  }

  #started(): void {
    const said = this.#said;
    if (said === null) return;
    const isStopping = said.state === "stopping";
    said.state = "started";
    if (isStopping) this.interrupt().catch((error: Error) => said.turn.fail(error));
  }

  async #result(message: Json): Promise<void> {
    const said = this.#said;
    if (said === null) {
      // Claude Code reports in a result why it does not start.
      const refused = this.failed(`said no: ${whyOf(message)}`);
      if (message.is_error === true) for (const one of this.#waiting.values()) one.refuse(refused);
      return;
    }
    if (this.#tellsLifecycle && said.state !== "started") return;
    const { usage: counted, lastUsage, model } = this.#fold;
    const window = windowIn(message.modelUsage, model);
    if (lastUsage !== null) this.context = toContextUse(tokensOf(lastUsage), window) ?? this.context;
    this.#said = null;
    await this.#finish(said.turn);
    const ending = endingOf(message);
    if (ending.type === "failed") {
      const error = new ContinuoError("agent_failed", `Claude Code could not answer: ${ending.why}`, {
        details: ending.details,
      });
      return said.turn.fail(error);
    }
    const { stopReason, costUsd } = ending;
    // An interrupted turn reports zeros.
    const usage = ending.usage?.outputTokens === 0 ? (counted ?? ending.usage) : ending.usage;
    const cost = costUsd === null ? {} : { costUsd };
    if (usage !== null) await said.turn.push({ type: "usage", total: usage, ...cost });
    said.turn.end(stopReason, usage ?? undefined);
  }

  /** Open calls are closed and reported before the end. */
  async #finish(turn: AgentTurn | undefined): Promise<void> {
    await this.#questions.end();
    for (const event of finishTurn(this.#fold)) await turn?.push(event);
  }
}

/** Returns the efforts of the model that is used; `default` is the model if none was named. */
function effortsIn(models: unknown, model = "default"): readonly string[] {
  const known = (Array.isArray(models) ? models : []).filter(isJson);
  const own = known.find(({ value, resolvedModel }) => value === model || resolvedModel === model);
  const levels = own?.supportedEffortLevels;
  return Array.isArray(levels) ? levels.filter((level) => typeof level === "string") : [];
}

function windowIn(modelUsage: unknown, model: string | null): unknown {
  if (!isJson(modelUsage) || model === null) return null;
  const own = Object.hasOwn(modelUsage, model) ? modelUsage[model] : null;
  return isJson(own) ? own.contextWindow : null;
}

function parseLine(line: string): Json | null {
  try {
    const value: unknown = parseJson(line);
    return isJson(value) ? value : null;
  } catch {
    // Programs print other lines too.
    return null;
  }
}
