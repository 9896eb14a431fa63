/**
 * Stores which agents asked for a login, and their ways to log in, so that an editor can offer them before an agent
 * starts. An agent has a file from its refusal until it has answered a turn. In addition, it stores the agents to which
 * a person logged in through Continuo and which can end that login.
 */

import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { continuoHome, isJson, type Json, type Places, removeLeft, writeDurably } from "@continuo/files";

/** A way to log in that the agent itself carries out. */
export interface LoginMethod {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
}

export interface LoginChoice {
  readonly agent: string;
  readonly methods: readonly LoginMethod[];
  /** True if the agent says that it can end its login. */
  readonly canLogOut: boolean;
}

const MAX_BYTES = 256 * 1024;
const MAX_METHODS = 16;
const MAX_CHARS = 500;

/**
 * The login methods in an answer to `initialize`, in both versions; methods that need a terminal of the client are left
 * out. Pure.
 */
export function readLoginMethods(told: unknown): readonly LoginMethod[] {
  return (Array.isArray(told) ? told : []).flatMap((method) => {
    if (!isJson(method) || method.type === "terminal") return [];
    const id = method.id ?? method.methodId;
    return typeof id === "string" && id !== "" ? [toMethod(id, method)] : [];
  });
}

function toMethod(id: string, { name, description }: Json): LoginMethod {
  const words = (text: unknown): string | null =>
    typeof text === "string" && text !== "" ? text.slice(0, MAX_CHARS) : null;
  return { id, name: words(name) ?? id, description: words(description) };
}

export function rememberLogin(places: Places, { agent, methods, canLogOut }: LoginChoice): void {
  if (methods.length === 0) return;
  try {
    writeDurably(
      fileOf(places, agent),
      JSON.stringify({ agent, authMethods: methods.slice(0, MAX_METHODS), canLogOut }),
    );
  } catch {
    // If the home cannot be written, only the refusal shows that a login is needed.
  }
}

export function forgetLogin(places: Places, agent: string): void {
  const file = fileOf(places, agent);
  // If the home cannot be written, the file stays: a turn that was answered must not fail because of it.
  if (existsSync(file)) removeLeft(file);
}

/** Agents that asked for a login and have not answered a turn since. Nothing is started. */
export function wantedLogins(places: Places): readonly LoginChoice[] {
  return filesIn(folderOf(places)).flatMap((file) => {
    const { agent, authMethods, canLogOut } = readStored(file);
    const methods = readLoginMethods(authMethods);
    if (typeof agent !== "string" || methods.length === 0) return [];
    return [{ agent, methods, canLogOut: canLogOut === true }];
  });
}

/** Called after a person logged in to an agent that can end the login. */
export function noteLoggedIn(places: Places, agent: string): void {
  try {
    writeDurably(madeFileOf(places, agent), JSON.stringify({ agent }));
  } catch {
    // If the home cannot be written, only the connection of the login can end it.
  }
}

/** Called after the login ended, or when it is known that Continuo cannot end it. */
export function noteLoggedOut(places: Places, agent: string): void {
  removeLeft(madeFileOf(places, agent));
}

/** Agents to which a person logged in through Continuo, and which can end the login. Nothing is started. */
export function loggedIn(places: Places): readonly string[] {
  return filesIn(madeFolderOf(places)).flatMap((file) => {
    const { agent } = readStored(file);
    return typeof agent === "string" ? [agent] : [];
  });
}

function filesIn(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith(".json"))
    .sort()
    .map((name) => join(folder, name));
}

/** An empty object for a file that cannot be read: the next refusal or login of the agent writes it again. */
function readStored(file: string): Json {
  try {
    if (statSync(file).size > MAX_BYTES) return {};
    const kept: unknown = JSON.parse(readFileSync(file, "utf8"));
    return isJson(kept) ? kept : {};
  } catch {
    return {};
  }
}

function folderOf(places: Places): string {
  return join(continuoHome(places), "logins");
}

function madeFolderOf(places: Places): string {
  return join(folderOf(places), "made");
}

function fileOf(places: Places, agent: string): string {
  return join(folderOf(places), nameOf(agent));
}

function madeFileOf(places: Places, agent: string): string {
  return join(madeFolderOf(places), nameOf(agent));
}

function nameOf(agent: string): string {
  return `${createHash("sha256").update(agent).digest("hex").slice(0, 32)}.json`;
}
