/** A running ACP agent: it is initialized, called with time limits, and ended with all processes that it started. */

import { randomUUID } from "node:crypto";
import type { ClientConnection } from "@agentclientprotocol/sdk";
import { ContinuoError, present } from "@continuo/core/model";
import { isJson, type Json, type Places } from "@continuo/files";
import {
  commandOf,
  type DriverOptions,
  driverEnvironment,
  limitsOf,
  recallCapabilities,
  within,
  writePolicyFile,
} from "../link/index.ts";
import { type AgentProcess, isSince, startAgent, versionBeside } from "../process/index.ts";
import type { FolderTrust } from "../trust/index.ts";
import { type EditorAccess, NO_EDITOR } from "./editor.ts";
import { greeting, type InitializeResult, type ProtocolVersion, readHello } from "./initialize.ts";
import { forgetLogin, rememberLogin } from "./logins.ts";
import type { AcpPolicy } from "./policies.ts";
import type { AcpProgram } from "./programs.ts";
import { toStream } from "./stream.ts";

/** The longest wait until a program that closed its output ends: its exit code explains why it closed its output. */
const LAST_WORDS_MS = 2_000;

export interface AcpListener {
  /** Handles `session/update`; the next line is read after it resolves. */
  readonly onUpdate: (params: Json) => Promise<void>;
  /** Handles any other notification, and lines that are not messages. */
  readonly onOdd: (odd: unknown) => Promise<void>;
  /** Returns the outcome. The signal aborts when the agent withdraws its question. */
  readonly onPermission: (params: Json, signal: AbortSignal) => Promise<Json>;
  /** Handles a request for a method of `AcpStart.editor`. */
  readonly onEditorRequest: (method: string, params: Json, signal: AbortSignal) => Promise<unknown>;
}

export interface AcpStart {
  readonly program: AcpProgram;
  readonly options: DriverOptions;
  readonly cwd: string;
  readonly listener: AcpListener;
  /** The version that Continuo asks for. The agent's answer decides which one is spoken. */
  readonly protocol: ProtocolVersion;
  /** The policy that restricts the agent; a caller that only asks for its capabilities needs none. */
  readonly policy?: AcpPolicy;
  /** The trust in the folder of a conversation; a caller that only asks for capabilities has none. */
  readonly trust?: FolderTrust;
  /** The person's editor; a caller that only asks for capabilities has none. */
  readonly editor?: EditorAccess;
  readonly signal?: AbortSignal | undefined;
}

export interface AcpRequestOptions {
  readonly limitMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** The command of an agent: its program, and the arguments that make it speak ACP. Errors: `agent_missing`. */
export function acpCommand({ label, program, args, install }: AcpProgram, options: DriverOptions): string[] {
  const words = commandOf(options, present({ agent: label, name: program, install }));
  return [...words, ...args.filter((arg) => !words.includes(arg))];
}

/**
 * Returns the key under which the capabilities of a program are stored: one that speaks both versions of ACP can report
 * other capabilities in each.
 */
export function capabilityKey(command: readonly string[], protocol: ProtocolVersion = 1): readonly string[] {
  return protocol === 1 ? command : [...command, `ACP ${protocol}`];
}

/** Errors: `agent_missing`, `agent_failed`. */
export async function connectAcp(start: AcpStart): Promise<AcpConnection> {
  const { program, options, cwd, protocol, policy = {}, trust, signal } = start;
  const words = acpCommand(program, options);
  const own = ownSessionOf(start, words);
  const command = [...words, ...policyArguments(policy, options.places), ...own.args];
  const inherited = driverEnvironment(options, trust);
  const held =
    typeof policy.env === "function" ? policy.env({ home: options.places.home, env: inherited }) : policy.env;
  const env = { ...inherited, ...held };
  const [sdk, process] = await Promise.all([
    import("@agentclientprotocol/sdk"),
    startAgent({ agent: program.label, command, cwd, env }),
  ]);
  const connection = new AcpConnection(start, process, env);
  if (own.id !== null) connection.noteSession(own.id);
  try {
    connection.open(sdk);
    await connection.greet(protocol, signal);
    return connection;
  } catch (error) {
    await connection.close();
    throw error;
  }
}

export class AcpConnection {
  readonly #start: AcpStart;
  readonly #process: AgentProcess;
  readonly #env: Readonly<Record<string, string>>;
  #sdk: typeof import("@agentclientprotocol/sdk") | null = null;
  #client: ClientConnection | null = null;
  #hello: InitializeResult | null = null;
  readonly #startedAtMs = Date.now();
  /** Ids of sessions that the program began or opened. */
  readonly #sessionIds = new Set<string>();
  #closed: Promise<void> | null = null;

  constructor(start: AcpStart, process: AgentProcess, env: Readonly<Record<string, string>>) {
    this.#start = start;
    this.#process = process;
    this.#env = env;
  }

  /** The name of the agent for people. */
  get label(): string {
    return this.#start.program.label;
  }

  get hello(): InitializeResult {
    if (this.#hello === null) throw new Error("not greeted yet");
    return this.#hello;
  }

  open(sdk: typeof import("@agentclientprotocol/sdk")): void {
    const { onUpdate, onOdd, onPermission, onEditorRequest } = this.#start.listener;
    this.#sdk = sdk;
    const stream = toStream(this.#process, {
      onOddLine: onOdd,
      onNotification: async (notification) => {
        const { method, params } = notification;
        if (method === sdk.methods.client.session.update && isJson(params)) await onUpdate(params);
        else await onOdd(notification);
      },
    });
    const asIs = (params: unknown): Json => (isJson(params) ? params : {});
    const app = sdk
      .client({ name: "continuo" })
      .onRequest(
        sdk.methods.client.session.requestPermission as string,
        asIs,
        async ({ params, signal }) => ({
          outcome: await onPermission(params, signal),
        }),
      );
    for (const method of this.#editor.methods) {
      app.onRequest(method, asIs, async ({ params, signal }) => {
        try {
          return await onEditorRequest(method, params, signal);
        } catch (error) {
          throw isJson(error) && Number.isInteger(error.code)
            ? new sdk.RequestError(Number(error.code), String(error.message), error.data)
            : error;
        }
      });
    }
    this.#client = app.connect(stream);
  }

  get #editor(): EditorAccess {
    return this.#start.editor ?? NO_EDITOR;
  }

  /** An agent that cannot speak the requested version may say so, or answer with the version that it speaks. */
  async greet(protocol: ProtocolVersion, signal: AbortSignal | undefined): Promise<void> {
    const asking = { limitMs: limitsOf(this.#start.options).startMs, signal };
    const answer = await this.call("initialize", greeting(protocol, this.#editor.capabilities), asking);
    this.#hello = readHello(answer);
    if (this.#hello !== null) return;
    const spoken = JSON.stringify(answer.protocolVersion);
    throw this.#process.failed(`speaks version ${spoken} of ACP, which Continuo does not support`);
  }

  /**
   * Errors: `not_found` if the agent reports that the session does not exist, `unsupported` if it does not know the
   * method, `agent_failed` for any other refusal, and if the agent ends or does not answer in time; the signal's
   * reason.
   */
  async call(method: string, params: Json, { limitMs, signal }: AcpRequestOptions): Promise<Json> {
    const client = this.#client;
    if (client === null) throw new Error("not open yet");
    const late = (): ContinuoError => this.#process.late(`did not answer ${method}`, limitMs);
    try {
      const asked = client.agent.request<unknown>(method, params);
      const answer = await within(asked, present({ limitMs, late, signal }));
      return isJson(answer) ? answer : {};
    } catch (error) {
      if (signal?.aborted === true || error instanceof ContinuoError) throw error;
      throw await this.#refusal(method, error);
    }
  }

  /**
   * Calls the method. If the agent asks for authentication, and the environment has a key or the person has chosen a
   * login in the editor, authenticates and calls again.
   */
  async callKnown(method: string, params: Json, asking: AcpRequestOptions): Promise<Json> {
    try {
      return await this.call(method, params, asking);
    } catch (error) {
      const methodId = isAuthWanted(error) ? this.#authMethod() : null;
      if (methodId === null) throw error;
      await this.logIn(methodId, asking);
      return await this.call(method, params, asking);
    }
  }

  /** Called after an answered turn, which proves that no login is needed. */
  forgetLogin(): void {
    const { program, options } = this.#start;
    forgetLogin(options.places, program.agent);
  }

  /** Errors: as `call`. */
  async logIn(methodId: string, asking: AcpRequestOptions): Promise<void> {
    await this.call(this.hello.protocol === 2 ? "auth/login" : "authenticate", { methodId }, asking);
  }

  /**
   * An agent that asks for a login has none that could end. Errors: `unsupported` if the agent does not say that it can
   * end one; those of `call`.
   */
  async logOut(asking: AcpRequestOptions): Promise<void> {
    const { protocol, canLogOut } = this.hello;
    if (!canLogOut) {
      throw new ContinuoError("unsupported", `${this.label} cannot end its login for another program`, {
        hint: `Log out in ${this.label} itself.`,
      });
    }
    try {
      await this.call(protocol === 2 ? "auth/logout" : "logout", {}, asking);
    } catch (error) {
      if (!isAuthWanted(error)) throw error;
    }
  }

  async notify(method: string, params: Json): Promise<void> {
    await this.#client?.agent.notify(method, params);
  }

  /** Resolves with the reason when the program has ended or was closed. */
  async gone(): Promise<ContinuoError> {
    await this.#client?.closed;
    return await this.#endedBefore("its turn did");
  }

  failed(why: string): ContinuoError {
    return this.#process.failed(why);
  }

  /** Notes a session that the program may leave behind without messages: `close` removes such a session. */
  noteSession(sessionId: string): void {
    this.#sessionIds.add(sessionId);
  }

  /** Idempotent. */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    await this.#process.end();
    this.#client?.close();
    const { cwd, options } = this.#start;
    const sessionIds = [...this.#sessionIds];
    await options.reader?.afterEnd?.(options.places, { cwd, sessionIds, startedAtMs: this.#startedAtMs });
  }

  #authMethod(): string | null {
    const { keys = {} } = this.#start.program;
    const isUsable = (id: string): boolean => (this.#env[keys[id] ?? ""] ?? "") !== "";
    const ids = this.hello.authMethods.map(({ id }) => id);
    return ids.find(isUsable) ?? ids.find((id) => id === this.#editor.login?.()) ?? null;
  }

  async #refusal(method: string, error: unknown): Promise<ContinuoError> {
    const { RequestError } = this.#sdk ?? {};
    if (
      RequestError !== undefined &&
      error instanceof RequestError &&
      this.#client?.signal.aborted !== true
    ) {
      const { code, message, data } = error;
      const said = isJson(data) && typeof data.details === "string" ? `${message}: ${data.details}` : message;
      const { program, options } = this.#start;
      const { label, agent } = program;
      const isLogin = code === AUTH_WANTED;
      const { authMethods: methods, canLogOut } = this.hello;
      // An agent that needs a login only for its list, or to end one, is usable without one.
      if (isLogin && !NEEDS_NO_LOGIN.has(method))
        rememberLogin(options.places, { agent, methods, canLogOut });
      const kind =
        code === NO_SUCH_METHOD ? "unsupported" : code === NO_SUCH_THING ? "not_found" : "agent_failed";
      return new ContinuoError(kind, `${label} refused ${method}: ${said}`, {
        ...(isLogin ? { hint: `Start ${label} once by itself, and log in.` } : {}),
        details: { method, answer: present({ code, message, data }), ...(isLogin ? { loginOf: agent } : {}) },
        cause: error,
      });
    }
    return await this.#endedBefore(`it answered ${method}`);
  }

  /** Called when the output has ended; the exit code and the reason are known a moment later. */
  async #endedBefore(what: string): Promise<ContinuoError> {
    const patience = AbortSignal.timeout(LAST_WORDS_MS);
    await within(this.#process.ended, {
      limitMs: Number.POSITIVE_INFINITY,
      late: Error,
      signal: patience,
    }).catch(() => undefined);
    return this.#process.failed(`ended before ${what}`);
  }
}

interface OwnSession {
  readonly args: readonly string[];
  /** `null` if the program begins no session, or accepts no id for it. */
  readonly id: string | null;
}

function ownSessionOf(
  { program: { ownSession }, options: { places }, protocol }: AcpStart,
  command: readonly string[],
): OwnSession {
  const known = recallCapabilities(places, capabilityKey(command, protocol));
  const version = known?.version ?? versionBeside(command)?.version ?? null;
  if (ownSession === undefined || !isSince(version, ownSession.since)) return { args: [], id: null };
  const id = randomUUID();
  return { args: [ownSession.flag, id], id };
}

const NO_SUCH_METHOD = -32601;
const NO_SUCH_THING = -32002;
const AUTH_WANTED = -32000;
const NEEDS_NO_LOGIN: ReadonlySet<string> = new Set(["session/list", "logout", "auth/logout"]);

function isAuthWanted(error: unknown): boolean {
  const answer = error instanceof ContinuoError ? error.details.answer : null;
  return isJson(answer) && answer.code === AUTH_WANTED;
}

/**
 * Returns the arguments after the command. Writes the file of rules that enforces the policy. Errors: those of writing
 * the file.
 */
function policyArguments({ rules, args = [] }: AcpPolicy, places: Places): readonly string[] {
  if (rules === undefined) return args;
  const path = writePolicyFile(places, { extension: "toml", text: rules.text });
  return [...args, rules.flag, path];
}
