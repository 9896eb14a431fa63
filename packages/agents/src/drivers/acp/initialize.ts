/** The answer of an agent to `initialize`, in both versions of the protocol, as one shape. Pure. */

import type { SessionCapabilities } from "@continuo/core/model";
import { isJson, type Json, readVersion } from "@continuo/files";
import { NO_CAPABILITIES, type ToolServerKind } from "../link/index.ts";
import { type LoginMethod, readLoginMethods } from "./logins.ts";

export type ProtocolVersion = 1 | 2;

export interface PromptAbilities {
  readonly image: boolean;
  /** Whole files with their content. */
  readonly embeddedContext: boolean;
}

export interface InitializeResult {
  readonly protocol: ProtocolVersion;
  /** The agent's own version; `null` if it names none. */
  readonly version: string | null;
  readonly capabilities: SessionCapabilities;
  readonly prompt: PromptAbilities;
  /** The kinds of tool servers that it takes from its client. */
  readonly toolServers: readonly ToolServerKind[];
  /** Its `authMethods`, without those that need a terminal of the client. */
  readonly authMethods: readonly LoginMethod[];
  /** True if the agent can end its login. */
  readonly canLogOut: boolean;
}

/**
 * Returns the fields of `initialize` in the given version of the protocol. `editor` has the capabilities of the
 * person's editor.
 */
export function greeting(protocol: ProtocolVersion, editor: Json = {}): Json {
  const info = { name: "continuo", title: "Continuo", version: readVersion() };
  return protocol === 2
    ? { protocolVersion: 2, info, capabilities: editor }
    : {
        protocolVersion: 1,
        clientInfo: info,
        clientCapabilities: {
          fs: { readTextFile: false, writeTextFile: false },
          terminal: false,
          // An agent sends these reports only if the client asks for them.
          session: { notices: {}, compaction: {} },
          subagents: {},
          ...editor,
        },
      };
}

/** `null` for an invalid answer: another protocol, or a version that is not a number. */
export function readHello(answer: Json): InitializeResult | null {
  const authMethods = readLoginMethods(answer.authMethods);
  if (answer.protocolVersion === 1) {
    const told = objectIn(answer.agentCapabilities);
    const session = objectIn(told.sessionCapabilities);
    const version = textIn(objectIn(answer.agentInfo).version);
    const canLogOut = isOffered(objectIn(told.auth).logout);
    return { protocol: 1, version, authMethods, canLogOut, ...abilitiesOf1(told, session) };
  }
  if (answer.protocolVersion === 2) {
    const session = objectIn(answer.capabilities).session;
    const version = textIn(objectIn(answer.info).version);
    // Version 2 requires it of every agent with login methods, also of one whose methods need a terminal.
    const canLogOut = Array.isArray(answer.authMethods) && answer.authMethods.length > 0;
    return { protocol: 2, version, authMethods, canLogOut, ...abilitiesOf2(session) };
  }
  return null;
}

type Abilities = Pick<InitializeResult, "capabilities" | "prompt" | "toolServers">;

function abilitiesOf1(told: Json, session: Json): Abilities {
  const prompt = objectIn(told.promptCapabilities);
  const canLoad = told.loadSession === true;
  const canResume = isOffered(session.resume);
  const canList = isOffered(session.list);
  return {
    capabilities: {
      canList,
      canLoad,
      canResume,
      canContinueLast: canList && (canLoad || canResume),
      canFork: isOffered(session.fork),
      canClose: isOffered(session.close),
      canDelete: isOffered(session.delete),
    },
    prompt: { image: prompt.image === true, embeddedContext: prompt.embeddedContext === true },
    toolServers: serverKinds(told.mcpCapabilities),
  };
}

/** Version 1 requires every agent to support standard input and output. */
function serverKinds(mcp: unknown): readonly ToolServerKind[] {
  const { http, sse } = objectIn(mcp);
  return [
    "stdio",
    ...(http === true ? (["http"] as const) : []),
    ...(sse === true ? (["sse"] as const) : []),
  ];
}

/** In version 2, an agent with sessions can list, resume and close them; loading is resuming with a replay. */
function abilitiesOf2(session: unknown): Abilities {
  if (!isJson(session)) {
    const prompt = { image: false, embeddedContext: false };
    return { capabilities: NO_CAPABILITIES, prompt, toolServers: [] };
  }
  const prompt = objectIn(session.prompt);
  return {
    capabilities: {
      canList: true,
      canLoad: true,
      canResume: true,
      canContinueLast: true,
      canFork: isOffered(session.fork),
      canClose: true,
      canDelete: isOffered(session.delete),
    },
    prompt: { image: isOffered(prompt.image), embeddedContext: isOffered(prompt.embeddedContext) },
    toolServers: (["stdio", "http"] as const).filter((kind) => isOffered(objectIn(session.mcp)[kind])),
  };
}

/** `{}` means that the agent offers it; `false`, `null` and a missing value mean that it does not. */
function isOffered(value: unknown): boolean {
  return value !== undefined && value !== null && value !== false;
}

function objectIn(value: unknown): Json {
  return isJson(value) ? value : {};
}

function textIn(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}
