/**
 * The proof, which is the same for every agent: Continuo reads the session files as they are, then the real agent
 * resumes the session, and its request to the model must equal Continuo's model view.
 */

import { createHash } from "node:crypto";
import { readdir, readFile, stat, utimes } from "node:fs/promises";
import { join } from "node:path";
import { formatOf, openNativeSession, type Places } from "@continuo/agents";
import type { AgentName, Message } from "@continuo/core/model";
import { expect } from "vitest";
import type { ModelServer } from "../model-servers/index.ts";
import { bundledCommand } from "../sizes/shared-programs.ts";
import { type Item, normaliseView, TELLS_ERRORS } from "./items.ts";
import { normaliseRequest } from "./requests.ts";
import { type ProgramResult, runProgram, type Sandbox } from "./sandbox.ts";

/** The prompt with which the proof resumes a session; no script answers it. */
export const LAST_WORDS = "Go on.";

export interface Resumption {
  readonly agent: AgentName;
  readonly places: Places;
  readonly sessionId: string;
  readonly server: ModelServer;
  /** Resumes the session with the real agent and sends `words`. */
  readonly resume: (words: string) => Promise<unknown>;
}

/** Returns the items, which are the same as read and as sent, so that a test can check their content. */
export async function proveResumption(proof: Resumption): Promise<readonly Item[]> {
  const { agent, places, sessionId, server } = proof;
  const history = await historyOf(agent, sessionId, places);
  const view = normaliseView((await formatOf(agent)).modelView(history), {
    tellsErrors: TELLS_ERRORS.has(agent),
    sentBy: agent,
  });
  const before = server.requests.length;
  await proof.resume(LAST_WORDS);
  const requests = server.requests.slice(before).filter((request) => request.kind === "answer");
  const sent = requests.map(normaliseRequest).find((items) => isSaid(items.at(-1)));
  if (sent === undefined) {
    const last = server.requests
      .slice(before)
      .map((request) => `${request.kind} ${JSON.stringify(normaliseRequest(request).at(-1))?.slice(0, 200)}`);
    throw new Error(
      `no request of ${agent} ends with "${LAST_WORDS}"; the last items are: ${last.join(", ") || "none"}`,
    );
  }
  expect(view).toEqual(sent.slice(0, -1));
  expect(server.requests.flatMap((request) => request.violations)).toEqual([]);
  return view;
}

function isSaid(item: Item | undefined): boolean {
  return item?.kind === "text" && item.role === "user" && item.text === LAST_WORDS;
}

/** The active history, as Continuo reads it. */
export async function historyOf(
  agent: AgentName,
  sessionId: string,
  places: Places,
): Promise<readonly Message[]> {
  using session = await openNativeSession(`${agent}:${sessionId}`, { places });
  return await Array.fromAsync(session.history());
}

/** Counts the items of each kind; failed results are counted as `error` too. */
export function countKinds(items: readonly Item[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  const count = (kind: string, number = 1): void => {
    if (number > 0) counts[kind] = (counts[kind] ?? 0) + number;
  };
  for (const item of items) {
    count(item.kind);
    if (item.kind === "result") count("error", item.isError === true ? 1 : 0);
    if (item.kind === "result") count("image", item.images.length);
  }
  return counts;
}

const CONTINUO = await bundledCommand();

/** Runs the `continuo` command, bundled from source. */
export async function runContinuo(
  args: readonly string[],
  sandbox: Sandbox,
  environment: Readonly<Record<string, string>>,
): Promise<ProgramResult> {
  const env = { ...sandbox.environment(), ...environment };
  return await runProgram(process.execPath, [CONTINUO, ...args], { cwd: sandbox.project, env });
}

/** Returns every file and folder below `root`: size, mode, time of change to the nanosecond, hash of the content. */
export async function snapshotOf(root: string): Promise<Readonly<Record<string, string>>> {
  const snapshot: Record<string, string> = {};
  for (const name of ["", ...(await readdir(root, { recursive: true })).sort()]) {
    const path = join(root, name);
    const { size, mode, mtimeNs, ino } = await stat(path, { bigint: true });
    const isFile = (await stat(path)).isFile();
    const hash = isFile
      ? createHash("sha256")
          .update(await readFile(path))
          .digest("hex")
      : "folder";
    snapshot[name] = [size, mode.toString(8), mtimeNs, ino, hash].join(" ");
  }
  return snapshot;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** Makes every file and folder below `root` look unchanged for this number of days. */
export async function ageBy(days: number, root: string): Promise<void> {
  const then = new Date(Date.now() - days * DAY_MS);
  // Folders come last, because a change inside a folder updates its time.
  for (const name of [...(await readdir(root, { recursive: true })).sort().reverse(), ""]) {
    await utimes(join(root, name), then, then);
  }
}

/**
 * Throws if a command that reads sessions changes a file in a home whose sessions are 200 days old, prints a warning,
 * or ends with an unexpected code. `checkCode` is the code of `session check`, which ends with 4 if it finds damage.
 */
export async function expectUnchangedByReading(
  sandbox: Sandbox,
  home: { readonly path: string; readonly variable: string },
  { sessionId, checkCode = 0 }: { readonly sessionId: string; readonly checkCode?: number },
): Promise<void> {
  await ageBy(200, home.path);
  const before = await snapshotOf(home.path);
  for (const command of readingCommands(sessionId)) {
    const { code, stderr } = await runContinuo(command, sandbox, { [home.variable]: home.path });
    const expected = command.join(" ") === "session check" ? checkCode : 0;
    expect({ command, code, stderr }).toEqual({ command, code: expected, stderr: "" });
  }
  expect(await snapshotOf(home.path)).toEqual(before);
}

/** The commands that only read sessions. */
export function readingCommands(sessionId: string): readonly (readonly string[])[] {
  return [
    ["session", "list", "--all", "--archived", "--empty"],
    ["session", "info", sessionId],
    ["session", "show", sessionId, "--all", "--json"],
    ["session", "check"],
  ];
}
