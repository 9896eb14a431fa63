/**
 * The sessions of the scripted agent, for the requests that its script does not answer: it keeps the messages in
 * memory, and has the methods that its answer to `initialize` claims.
 */

import type { Json, Script } from "./script.ts";

/** The answer to a request; `updates` are sent before it. */
export interface Reply {
  readonly updates?: readonly Json[];
  readonly answer:
    | { readonly result: Json }
    | { readonly error: { readonly code: number; readonly message: string } };
}

interface HeldSession {
  isClosed: boolean;
  readonly cwd: string;
  readonly additionalDirectories: readonly string[];
  readonly history: Json[];
  /** Modes and options from the answer to `session/new`. */
  readonly settings: Json;
}

type Handler = (params: Json, id: string, session: HeldSession | undefined) => Reply;

export class ScriptedSessions {
  readonly #script: Script;
  readonly #hello: Json;
  readonly #held = new Map<string, HeldSession>();
  readonly #cancels = new Map<string, (() => void)[]>();
  #made = 0;

  constructor(script: Script) {
    this.#script = script;
    this.#hello = script.hello ?? { protocolVersion: 1, agentCapabilities: {} };
  }

  /** Adds an update to the history of a session that began here. */
  record(sessionId: string, update: Json): void {
    if (/user_message|message_chunk|thought_chunk|tool_call|plan/u.test(String(update.sessionUpdate)))
      this.#held.get(sessionId)?.history.push(update);
  }

  isOpen(sessionId: string): boolean {
    return this.#held.get(sessionId)?.isClosed === false;
  }

  onCancel(sessionId: string, cancelled: () => void): void {
    this.#cancels.set(sessionId, [...(this.#cancels.get(sessionId) ?? []), cancelled]);
  }

  cancel(sessionId: string): void {
    for (const cancelled of this.#cancels.get(sessionId) ?? []) cancelled();
    this.#cancels.delete(sessionId);
  }

  reply(method: string, params: Json): Reply {
    const handler = this.#handlers()[method];
    if (handler === undefined) return failure(-32_601, `"Method not found": ${method}`);
    const id = String(params.sessionId ?? "");
    return handler(params, id, this.#held.get(id));
  }

  #handlers(): Readonly<Record<string, Handler>> {
    const { loadSession } = (this.#hello.agentCapabilities ?? {}) as Json;
    const claims = claimsOf(this.#hello);
    const { modes, configOptions } = this.#script.session ?? {};
    return {
      initialize: () => done(this.#hello),
      "session/new": (params) => this.#create(params),
      ...(loadSession === true && { "session/load": (_, id, held) => open(id, held, held?.history) }),
      ...(claims.resume !== undefined && {
        "session/resume": ({ replayFrom }, id, held) =>
          open(id, held, replayFrom ? replayed(held?.history) : []),
      }),
      ...(claims.list !== undefined && { "session/list": ({ cwd }) => this.#list(cwd) }),
      ...(claims.close !== undefined && { "session/close": (_, id) => this.#close(id) }),
      ...(claims.delete !== undefined && { "session/delete": (_, id) => this.#delete(id) }),
      ...(modes !== undefined && { "session/set_mode": ({ modeId }, id, held) => setMode(id, held, modeId) }),
      ...(configOptions !== undefined && {
        "session/set_config_option": (params, id, held) => setOption(id, held, params),
      }),
    };
  }

  #create({ cwd, additionalDirectories = [] }: Json): Reply {
    if (typeof cwd !== "string" || !cwd.startsWith("/")) return failure(-32_602, "cwd is no absolute path");
    this.#made += 1;
    const sessionId = `new-${this.#made}`;
    const settings = structuredClone(this.#script.session ?? {});
    const directories = additionalDirectories as readonly string[];
    const place = { cwd, additionalDirectories: directories };
    this.#held.set(sessionId, { ...place, history: [], settings, isClosed: false });
    return done({ sessionId, ...settings });
  }

  #list(cwd: unknown): Reply {
    const isWanted = typeof cwd === "string" ? (held: HeldSession) => held.cwd === cwd : () => true;
    const sessions = [...this.#held]
      .filter(([, held]) => isWanted(held))
      .map(([sessionId, held]) => ({
        sessionId,
        cwd: held.cwd,
        additionalDirectories: held.additionalDirectories,
      }));
    return done({ sessions });
  }

  #close(id: string): Reply {
    const held = this.#held.get(id);
    if (held === undefined) return unknownSession(id);
    held.isClosed = true;
    this.cancel(id);
    return done({});
  }

  #delete(id: string): Reply {
    this.cancel(id);
    this.#held.delete(id);
    return done({});
  }
}

function open(id: string, held: HeldSession | undefined, updates: readonly Json[] = []): Reply {
  if (held === undefined) return unknownSession(id);
  held.isClosed = false;
  return { updates, answer: { result: held.settings } };
}

/** Returns the claims about sessions. In version 2, every agent has lists, resumes and closes. */
function claimsOf({ protocolVersion, agentCapabilities, capabilities }: Json): Json {
  if (protocolVersion !== 2) return (((agentCapabilities ?? {}) as Json).sessionCapabilities ?? {}) as Json;
  return { list: {}, resume: {}, close: {}, ...((capabilities as Json).session as Json) };
}

/** In version 2, a replay has each message from its beginning, which is empty. */
function replayed(history: readonly Json[] = []): readonly Json[] {
  const begun = new Set<string>();
  return history.flatMap(({ sessionUpdate, content, ...update }) => {
    const [, kind, part] = /^(\w+_(?:message|thought))(_chunk)?$/u.exec(String(sessionUpdate)) ?? [];
    if (kind === undefined) return [{ sessionUpdate, content, ...update }];
    const parts = (part === undefined ? content : [content]) as readonly Json[];
    const name = `${kind} ${String(update.messageId)}`;
    const beginning = begun.has(name) ? [] : [{ sessionUpdate: kind, ...update, content: [] }];
    begun.add(name);
    return [
      ...beginning,
      ...parts.map((one) => ({ sessionUpdate: `${kind}_chunk`, ...update, content: one })),
    ];
  });
}

function setMode(id: string, held: HeldSession | undefined, modeId: unknown): Reply {
  if (held === undefined) return unknownSession(id);
  const modes = held.settings.modes as { currentModeId: unknown; availableModes: readonly Json[] };
  if (!modes.availableModes.some((mode) => mode.id === modeId)) return failure(-32_602, "no such mode");
  modes.currentModeId = modeId;
  return done({});
}

function setOption(id: string, held: HeldSession | undefined, { configId, value }: Json): Reply {
  if (held === undefined) return unknownSession(id);
  const configOptions = held.settings.configOptions as readonly Json[];
  const option = configOptions.find((one) => (one.configId ?? one.id) === configId);
  if (!((option?.options ?? []) as readonly Json[]).some((choice) => choice.value === value))
    return failure(-32_602, "no such choice");
  if (option !== undefined) option.currentValue = value;
  return done({ configOptions });
}

function done(result: Json): Reply {
  return { answer: { result } };
}

function unknownSession(id: string): Reply {
  return failure(-32_002, `there is no session ${id}`);
}

function failure(code: number, message: string): Reply {
  return { answer: { error: { code, message } } };
}
