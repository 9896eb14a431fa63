/** A test's home with the session of a fixture, and the messages that agents add to its sessions. */

import { cpSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import {
  type AdapterFormat,
  formatOf,
  type HandOff,
  type HandOffOptions,
  HOME_VARIABLES,
  handOff,
  openNativeSession,
  openSessionAdapter,
  type Places,
} from "@continuo/agents";
import type { AgentName, Entry, Message } from "@continuo/core/model";
import { agentOf } from "@continuo/native";
import { scratchFolder } from "../scratch-folder.ts";
import { tested } from "../tested-agents.ts";

const FIXTURES = join(import.meta.dirname, "../fixtures");
/** The name of each agent's format, as `openSessionAdapter` takes it. */
export const FORMATS: Readonly<Record<AgentName, AdapterFormat>> = tested(
  (_agent, name) => agentOf(name).adapterFormat as AdapterFormat,
);

export interface Home extends Disposable {
  readonly home: string;
  readonly cwd: string;
  readonly places: Places;
  /** Copies a fixture's home and returns the id of its session. */
  use(agent: AgentName, name: string): string;
  go(id: string, to: AgentName, options?: Partial<HandOffOptions>): Promise<WrittenHandOff>;
  read(agent: AgentName, id: string): Promise<SessionReading>;
  /** Adds the prompt `text`, which is answered with a thought and a call. */
  say(agent: AgentName, written: HandOff, text: string): Promise<void>;
}

export type WrittenHandOff = HandOff & { readonly sessionId: string };

export interface SessionReading {
  readonly entries: readonly Entry[];
  readonly history: readonly Message[];
  /** Returns the messages that its model would receive. */
  readonly view: readonly Message[];
}

export function openHome(): Home {
  const home = scratchFolder("test");
  const cwd = join(home, "project");
  mkdirSync(cwd);
  const env: Record<string, string> = { CONTINUO_HOME: join(home, "continuo") };
  const places: Places = { home, env };
  const database = join(FIXTURES, "opencode", "image", "home");
  cpSync(database, join(home, ".local", "share"), { recursive: true });
  return {
    home,
    cwd,
    places,
    use(agent, name) {
      const folder = join(FIXTURES, agent, name);
      const copy = join(home, "source");
      cpSync(join(folder, "home"), copy, { recursive: true });
      env[HOME_VARIABLES[agent]] = copy;
      return String(JSON.parse(readFileSync(join(folder, "requests.json"), "utf8")).sessionId);
    },
    async go(id, to, options = {}) {
      const made = await handOff(id, { to, cwd, places, verifyBy: "own", ...options });
      if (made.sessionId === null) throw new Error("nothing was written");
      return { ...made, sessionId: made.sessionId };
    },
    async read(agent, id) {
      using session = await openNativeSession(`${agent}:${id}`, { places });
      const entries = (await Array.fromAsync(session.entries())).filter(({ file }) => file === undefined);
      const history = await Array.fromAsync(session.history());
      return { entries, history, view: (await formatOf(agent)).modelView(history) };
    },
    async say(agent, { sessionId, location }, text) {
      const sessionFile = (location ?? "").replace(/#.*$/u, "");
      const id = sessionId === null ? {} : { sessionId };
      await using adapter = openSessionAdapter({ format: FORMATS[agent], sessionFile, ...id, places });
      const call = `call_${text.replaceAll(" ", "_")}`;
      await adapter.appendUserMessage(`${text}?`);
      await adapter.appendAssistantMessage([
        { type: "text", text: `I look: ${text}.` },
        { type: "tool_call", id: call, name: "look", args: { at: text } },
      ]);
      await adapter.appendToolResult(call, `a thing: ${text}`);
      await adapter.appendAssistantMessage(`It is a thing: ${text}.`);
    },
    [Symbol.dispose]: () => rmSync(home, { recursive: true, force: true }),
  };
}

/** Returns the messages that `say` writes. */
export function saidOf(text: string): string[] {
  return [
    `user: ${text}?`,
    `assistant: I look: ${text}.`,
    `call: {"at":"${text}"}`,
    `result: a thing: ${text}`,
    `assistant: It is a thing: ${text}.`,
  ];
}

/** Returns texts, calls and results, one per line. */
export function wordsOf(history: readonly Message[]): string[] {
  return history
    .filter(({ role, origin }) => role !== "system" && origin !== "injected" && origin !== "notification")
    .flatMap(({ role, content }) =>
      content.flatMap((block) => {
        if (block.type === "text") return [`${role}: ${block.text}`];
        if (block.type === "tool_call") return [`call: ${JSON.stringify(block.args)}`];
        return block.type === "tool_result"
          ? [`result: ${block.content.map((part) => (part.type === "text" ? part.text : "")).join("")}`]
          : [];
      }),
    );
}

/**
 * The fields of each format that name the session, its folder, its title or an entry, and Continuo's own fields
 * (docs/formats).
 */
const NAMING = tested(({ naming }) => naming);

/** @param more keys that change too. */
export function withoutNames(
  agent: AgentName,
  entries: readonly Pick<Entry, "value">[],
  more: readonly string[] = [],
): unknown[] {
  const names = new Set([...NAMING[agent], ...more]);
  const strip = (value: unknown, isTop: boolean): unknown => {
    if (Array.isArray(value)) return value.map((each) => strip(each, false));
    if (typeof value !== "object" || value === null) return value;
    const isNaming = (key: string): boolean => names.has(key) && (agent !== "claude" || isTop);
    return Object.fromEntries(
      Object.entries(value).flatMap(([key, each]) => (isNaming(key) ? [] : [[key, strip(each, false)]])),
    );
  };
  return entries.map(({ value }) => strip(value, true));
}
