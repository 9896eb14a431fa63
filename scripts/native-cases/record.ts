/** Writes the files of an agent's home as a fixture: selected files, stable paths, no prompts of the agent. */

import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { normaliseRequest } from "../../test/agents/requests.ts";
import type { Sandbox } from "../../test/agents/sandbox.ts";
import { asObject, type JsonObject, type RequestRecord } from "../../test/model-servers/index.ts";
import type { RecordedAgent } from "./case.ts";
import { promptsLeftIn, STABLE_HOME, withoutBoilerplateIn, withoutPrompts } from "./left-out.ts";
import { recordDatabase } from "./record-database.ts";

/** Files of an agent's home that its sessions are made of. */
const SESSION_FILES: Readonly<Record<RecordedAgent, RegExp>> = {
  claude: /^projects\/[^/]+\/[^/]+(\.jsonl|\/.+\.(jsonl|json))$/,
  codex: /^(sessions\/.+\.jsonl(\.zst)?|archived_sessions\/.+\.jsonl|session_index\.jsonl)$/,
  gemini: /^\.gemini\/((projects|settings)\.json|tmp\/[^/]+\/(\.project_root|chats\/.+\.jsonl?))$/,
  pi: /^sessions\/[^/]+\/[^/]+\.jsonl$/,
  opencode: /^opencode\/opencode\.db$/,
  copilot: /^session-state\/[^/.]+\/(events\.jsonl|workspace\.yaml)$/,
};

export interface Recording {
  readonly sandbox: Sandbox;
  readonly agent: RecordedAgent;
  /** The agent's home in the sandbox. */
  readonly from: string;
  /** The folder that is replaced. */
  readonly to: string;
}

/** Copies the session files; returns their size in bytes. */
export async function recordHome({ sandbox, agent, from, to }: Recording): Promise<number> {
  await rm(to, { recursive: true, force: true });
  const names = await readdir(from, { recursive: true });
  const chosen = names.filter((name) => SESSION_FILES[agent].test(name)).sort();
  const stable = stablePaths(sandbox);
  const offsets = new Map<string, ReadonlyMap<number, number>>();
  let sizeBytes = 0;
  // The oldest file comes first, because a fork names a position in its source file.
  for (const name of chosen) {
    if (name.endsWith(".db")) {
      sizeBytes += await recordDatabase({ from: join(from, name), to: join(to, name), stable });
      continue;
    }
    const bytes = await readFile(join(from, name));
    const isCompressed = name.endsWith(".zst");
    const text = (isCompressed ? zstdDecompressSync(bytes) : bytes).toString("utf8");
    const isLines = /\.jsonl(\.zst)?$/.test(name);
    const written = !isLines ? stable(text) : rewriteLines(text, stable, offsets);
    const target = join(to, stable(name));
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, isCompressed ? zstdCompressSync(written) : written);
    sizeBytes += Buffer.byteLength(written);
  }
  return sizeBytes;
}

/** Returns the conversation in the request, without the prompt that only served to send it. */
export function conversationOf(
  request: RequestRecord,
  sandbox: Sandbox,
  lastWords: string,
): readonly unknown[] {
  const items = normaliseRequest(request);
  const last = items.at(-1);
  if (last?.kind !== "text" || last.text !== lastWords) {
    throw new Error(`the last request ends in ${JSON.stringify(last)}, not in "${lastWords}"`);
  }
  const value = withoutBoilerplateIn(items.slice(0, -1));
  refusePrompts(value, "requests.json");
  return JSON.parse(stablePaths(sandbox)(JSON.stringify(value)));
}

/** Replaces the scratch folder, and the form in which Claude Code makes a folder name of it. */
function stablePaths(sandbox: Sandbox): (text: string) => string {
  const munged = (path: string): string => path.replaceAll(/[^a-zA-Z0-9]/g, "-");
  return (text) =>
    text.replaceAll(sandbox.root, STABLE_HOME).replaceAll(munged(sandbox.root), munged(STABLE_HOME));
}

/**
 * If nothing has to be left out of a line, only its paths change. If a line names a byte offset in another file (as a
 * fork of Codex does), the offset is corrected.
 */
function rewriteLines(
  text: string,
  stable: (text: string) => string,
  offsets: Map<string, ReadonlyMap<number, number>>,
): string {
  const moved = new Map<number, number>([[0, 0]]);
  let before = 0;
  let after = 0;
  let threadId: unknown;
  const lines = text.split("\n").map((line, k, all) => {
    const written = line.trim() === "" ? line : rewriteLine(line, stable, offsets);
    if (k === 0) threadId = asObject(asObject(written === "" ? {} : JSON.parse(written)).payload).id;
    if (k < all.length - 1) {
      before += Buffer.byteLength(line) + 1;
      after += Buffer.byteLength(written) + 1;
      moved.set(before, after);
    }
    return written;
  });
  if (typeof threadId === "string" && !offsets.has(threadId)) offsets.set(threadId, moved);
  return lines.join("\n");
}

function rewriteLine(
  line: string,
  stable: (text: string) => string,
  offsets: ReadonlyMap<string, ReadonlyMap<number, number>>,
): string {
  const original = asObject(JSON.parse(line));
  const changed = withMovedOffset(withoutPrompts(original), offsets);
  refusePrompts(changed, line.slice(0, 200));
  const same = JSON.stringify(changed) === JSON.stringify(original);
  return stable(same ? line : JSON.stringify(changed));
}

function withMovedOffset(
  line: JsonObject,
  offsets: ReadonlyMap<string, ReadonlyMap<number, number>>,
): JsonObject {
  const payload = asObject(line.payload);
  const base = asObject(payload.history_base);
  if (typeof base.end_byte_offset !== "number") return line;
  const end = offsets.get(String(base.thread_id))?.get(base.end_byte_offset);
  if (end === undefined)
    throw new Error(`no line of ${String(base.thread_id)} ends at ${base.end_byte_offset}`);
  return { ...line, payload: { ...payload, history_base: { ...base, end_byte_offset: end } } };
}

function refusePrompts(value: unknown, place: string): void {
  const [prompt] = promptsLeftIn(value);
  if (prompt !== undefined) throw new Error(`a long text is left in ${place}: ${prompt.slice(0, 300)}`);
}
