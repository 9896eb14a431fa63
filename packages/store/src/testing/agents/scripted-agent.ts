/** An agent that follows a script, and remembers what it received. */

import { randomUUID } from "node:crypto";
import {
  type Agent,
  type AgentCapabilities,
  type AgentRequest,
  type AgentResult,
  assertKnownOptions,
  ContinuoError,
  type ExecuteOptions,
  type KnownOptions,
  type Message,
  type NativeRef,
  type PermissionDecision,
  type PermissionRequest,
  textOf,
} from "@continuo/core/model";
import { CANNOT } from "./capabilities.ts";
import { type NativeKind, type NativeSessions, nativeSessionsInMemory } from "./native.ts";
import type { Script, Step } from "./script.ts";

/** One call of `execute`. */
export interface ScriptedCall {
  readonly runId: string;
  readonly input: string;
  /** Role and text of each message of the transcript; `null` if there was none. */
  readonly transcript: readonly string[] | null;
  readonly nativeRef: NativeRef | null;
  /** The folder of the session. */
  readonly cwd: string | null;
  readonly adapterOpts: Readonly<Record<string, unknown>>;
}

export interface ScriptedAgentOptions {
  readonly name?: string;
  /**
   * The scripts of its turns in order, or a function that makes a script for each request. After the last script the
   * agent answers "done".
   */
  readonly turns?: readonly Script[] | ((given: ScriptedCall) => Script);
  /** The kind of its native sessions. It has none by default. */
  readonly native?: NativeKind;
  /** The store of its native sessions; in memory by default. */
  readonly nativeSessions?: NativeSessions;
  /** Called when the agent receives a request, before it does anything. */
  readonly onGiven?: (given: ScriptedCall) => void;
  readonly hooks?: Readonly<Record<string, () => void | Promise<void>>>;
}

const OPTIONS: KnownOptions<ScriptedAgentOptions> = {
  name: true,
  turns: true,
  native: true,
  nativeSessions: true,
  onGiven: true,
  hooks: true,
};

export class ScriptedAgent implements Agent {
  readonly name: string;
  /** Every call, in order. */
  readonly given: ScriptedCall[] = [];
  readonly nativeSessions: NativeSessions;
  readonly #options: ScriptedAgentOptions;
  #made = 0;

  constructor(options: ScriptedAgentOptions = {}) {
    assertKnownOptions("ScriptedAgent", options, OPTIONS);
    this.name = options.name ?? "scripted";
    this.nativeSessions = options.nativeSessions ?? nativeSessionsInMemory();
    this.#options = options;
  }

  capabilities(): Promise<AgentCapabilities> {
    const native = this.#options.native !== undefined;
    return Promise.resolve({ ...CANNOT, native, canResume: native });
  }

  async execute(request: AgentRequest, options: ExecuteOptions): Promise<AgentResult> {
    const { signal, onEvent, onTools: _, ...adapterOpts } = options;
    const given = toGiven(request, adapterOpts);
    const { turns = [] } = this.#options;
    const script =
      typeof turns === "function" ? turns(given) : (turns[this.given.length] ?? [{ say: "done" }]);
    this.given.push(given);
    this.#options.onGiven?.(given);
    const ref = await this.#enter(request, options);
    if (ref !== null) this.nativeSessions.append(ref.sessionId, [...(given.transcript ?? []), given.input]);
    let result: AgentResult = { stopReason: "end_turn" };
    let streamed = "";
    for (const step of script) {
      if ("say" in step && streamed !== "" && !step.say.startsWith(streamed)) {
        // A message without an id would replace the streamed one.
        await onEvent({ type: "message", content: [{ type: "text", text: streamed }] });
      }
      streamed = streamedAfter(step, streamed);
      if ("result" in step && !("call" in step)) result = { ...result, ...step.result };
      else await this.#take(step, options);
    }
    return ref === null ? result : { nativeRef: ref, ...result };
  }

  /** Enters the native session of the request and reports it, or reports a wrong one if its kind is `lying`. */
  async #enter(request: AgentRequest, { onEvent }: ExecuteOptions): Promise<NativeRef | null> {
    const { native } = this.#options;
    if (native === undefined) return null;
    const asked = request.nativeRef;
    if (asked === undefined) {
      const ref = this.#newRef(request, []);
      await onEvent({ type: "native_session", ref, happened: "created", verifiedBy: "agent" });
      return ref;
    }
    const isKnown = this.nativeSessions.has(asked.sessionId);
    if (native === "unavailable" || !isKnown) {
      throw new ContinuoError("native_unavailable", `there is no session ${asked.sessionId}`, {
        details: { reason: "the session is not there any more" },
      });
    }
    if (native === "silent") return asked;
    const isSame = native === "real" || native === "lying";
    if (isSame) {
      await onEvent({ type: "native_session", ref: asked, happened: "resumed", verifiedBy: "agent" });
      if (native === "real") return asked;
    }
    const ref = this.#newRef(
      request,
      native === "replacing" ? [] : this.nativeSessions.read(asked.sessionId),
    );
    const happened = native === "forking" ? "forked" : "created";
    if (!isSame) await onEvent({ type: "native_session", ref, happened, verifiedBy: "agent" });
    return ref;
  }

  #newRef({ run, session }: AgentRequest, lines: readonly string[]): NativeRef {
    const sessionId = `native-${run.runId}-${++this.#made}`;
    this.nativeSessions.append(sessionId, lines);
    return {
      agent: this.name,
      sessionId,
      location: this.nativeSessions.location(sessionId),
      cwd: session.cwd,
    };
  }

  async #take(step: Step, options: ExecuteOptions): Promise<void> {
    const { onEvent, signal } = options;
    if ("say" in step) await onEvent({ type: "message", content: [{ type: "text", text: step.say }] });
    else if ("think" in step) await onEvent({ type: "thinking", delta: step.think });
    else if ("stream" in step) await stream(step, onEvent);
    else if ("call" in step) await callTool(step, options);
    else if ("usage" in step) await onEvent({ type: "usage", ...step });
    else if ("event" in step) await onEvent(step.event);
    else if ("wait" in step) await wait(step.wait, signal);
    else if ("hook" in step) await this.#options.hooks?.[step.hook]?.();
    else if ("crash" in step) await new Promise(() => process.kill(process.pid, step.crash));
    else if ("fail" in step) throw failure(step);
  }
}

function toGiven(request: AgentRequest, adapterOpts: Readonly<Record<string, unknown>>): ScriptedCall {
  const { run, session, input, transcript, nativeRef } = request;
  return {
    runId: run.runId,
    input: textOf(input),
    transcript: transcript?.messages.map(wordsOf) ?? null,
    nativeRef: nativeRef ?? null,
    cwd: session.cwd,
    adapterOpts,
  };
}

function wordsOf(message: Message): string {
  const words = message.content.map((block) => {
    if (block.type === "text" || block.type === "thinking") return block.text;
    if (block.type === "tool_call") return `${block.name}(${JSON.stringify(block.args)})`;
    if (block.type === "tool_result") return `${block.status ?? "ok"}: ${textOf(block.content)}`;
    return block.type;
  });
  return `${message.role}: ${words.join(" ")}`;
}

type OnEvent = ExecuteOptions["onEvent"];

async function stream(
  { stream: parts, messageId, times = 1 }: Extract<Step, { stream: unknown }>,
  onEvent: OnEvent,
): Promise<void> {
  const named = messageId === undefined ? {} : { messageId };
  for (let time = 0; time < times; time++) {
    for (const delta of parts) await onEvent({ type: "text", delta, ...named });
  }
}

/** The text of the message that is being streamed without an id; a call or another message ends it. */
function streamedAfter(step: Step, before: string): string {
  if ("stream" in step) {
    if (step.messageId !== undefined) return "";
    return before + step.stream.join("").repeat(step.times ?? 1);
  }
  return "say" in step || "call" in step || "event" in step ? "" : before;
}

type CallStep = Extract<Step, { call: string }>;

async function callTool(step: CallStep, options: ExecuteOptions): Promise<void> {
  const { call: toolName, id: toolCallId, input: toolInput = {}, ask, result, status = "ok" } = step;
  const { onEvent } = options;
  await onEvent({ type: "tool_call", toolCallId, toolName, toolInput });
  if (ask === true) {
    const { outcome, reason = outcome } = await permissionFor(step, options);
    if (outcome !== "granted") {
      await onEvent({ type: "tool_result", toolCallId, content: reason, status: "denied" });
      return;
    }
  }
  if (result === undefined) return;
  const content = typeof result === "function" ? await result() : result;
  await onEvent({ type: "tool_result", toolCallId, content, status });
}

const CHOICES: PermissionRequest["options"] = [
  { id: "allow", name: "Allow", kind: "allow_once" },
  { id: "deny", name: "Deny", kind: "reject_once" },
];

/** Asks for permission in the way of a real agent: the question and its answer are events of the run. */
async function permissionFor(
  { call: toolName, id: toolCallId, input: toolInput = {} }: CallStep,
  { onEvent, onPermission, signal }: ExecuteOptions,
): Promise<PermissionDecision> {
  const approvalId = randomUUID();
  const request = {
    approvalId,
    toolCallId,
    toolName,
    toolInput,
    title: toolName,
    readOnly: null,
    options: CHOICES,
  };
  await onEvent({ type: "permission_request", ...request, readsReason: true });
  const decision = (await onPermission?.({ ...request, readsReason: true }, { signal })) ?? NOBODY;
  await onEvent({ type: "permission_decision", approvalId, ...decision });
  return decision;
}

const NOBODY: PermissionDecision = { outcome: "denied", by: "policy", reason: "nobody is there to be asked" };

function wait(what: number | "abort" | "forever", signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    // A timer keeps the process alive, as an agent's own process would.
    const timer = setTimeout(resolve, typeof what === "number" ? what : 2 ** 31 - 1);
    if (what === "forever") {
      timer.unref();
      return;
    }
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
  });
}

function failure({ fail, code }: Extract<Step, { fail: string }>): Error {
  return code === undefined ? new Error(fail) : new ContinuoError(code, fail);
}
