/**
 * The smallest change after which Claude Code's own list shows a session: its file under another name, in another
 * folder, or with a few other bytes. Nothing is written here.
 */

import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { canonicalFolder, isJson, type Json, type Places } from "@continuo/files";
import { type FileFix, type HiddenSession, toTitle, type VisibilityFix } from "../kit/index.ts";
import { readToMend, refuseTakenPlace } from "../repairing/index.ts";
import { isSessionId } from "./find.ts";
import { CLAUDE_CAUSES, type ClaudeCause } from "./hidden-causes.ts";
import {
  END_BYTES,
  type FileEnds,
  isSidechainFirst,
  listedName,
  promptOf,
  recordIn,
  relocatedTo,
} from "./own-list.ts";
import { claudeFolders, projectNameOf } from "./places.ts";
import { contentOf } from "./records.ts";
import { sidecarFolder } from "./sidecar-files.ts";
import { titleRecord } from "./writer.ts";

/** The change; `null` if only a person can make it. Errors: `unreadable`, `too_large`, `conflict` if another session has the place. */
export async function mendHidden(
  { found, cause }: HiddenSession,
  places: Places,
): Promise<VisibilityFix | null> {
  if (CLAUDE_CAUSES[cause as ClaudeCause].by !== "continuo") return null;
  const from = found.location;
  const original = readToMend(from);
  const records = recordsOf(original);
  const steps: string[] = [];
  let bytes = original;
  const named = nameFor(from, records);
  const to = cause === "other_folder" ? folderFor(named, { original, records, places }) : named;
  if (to === null) return null;
  if (to !== from) refuseTakenPlace(from, to);
  if (basename(to) !== basename(from)) steps.push(`name the file ${basename(to)}`);
  if (dirname(to) !== dirname(from)) steps.push(`move the file to ${dirname(to)}`);
  const sessionId = basename(to, ".jsonl");
  const title = titleRecord(titleFor(records, sessionId), sessionId);
  if (hasMark(bytes)) {
    steps.push("take the byte order mark off the file");
    bytes = bytes.subarray(MARK.length);
  }
  if (isSidechainFirst(endsOf(bytes).head)) {
    const isAll = records.every(({ isSidechain }) => isSidechain !== false);
    const answered = answeredSidechains(records);
    if (isAll) {
      steps.push("take the mark of a sub-agent off every record");
      bytes = withoutSidechains(bytes, () => true);
    } else if (answered.size > 0) {
      steps.push("take the mark of a sub-agent off the records that the conversation follows");
      bytes = withoutSidechains(bytes, ({ uuid }) => answered.has(uuid));
    }
    if (isSidechainFirst(endsOf(bytes).head)) {
      steps.push(`add a first line with the title ${quoted(title)}`);
      bytes = Buffer.concat([lineOf(title), bytes]);
    }
  }
  if (listedName(endsOf(bytes)) === null) {
    steps.push(`add a last line with the title ${quoted(title)}`);
    bytes = Buffer.concat([bytes, Buffer.from(bytes.at(-1) === LF ? "" : "\n"), lineOf(title)]);
  }
  return { of: "file", steps, from, to, bytes, beside: to === from ? [] : besideOf(from, to) };
}

const LF = 0x0a;
const MARK = Buffer.from("\ufeff");

function hasMark(bytes: Buffer): boolean {
  return bytes.subarray(0, MARK.length).equals(MARK);
}

function endsOf(bytes: Buffer): FileEnds {
  const head = bytes.subarray(0, END_BYTES).toString("utf8");
  return { head, tail: bytes.length <= END_BYTES ? head : bytes.subarray(-END_BYTES).toString("utf8") };
}

function recordsOf(bytes: Buffer): readonly Json[] {
  const whole = hasMark(bytes) ? bytes.subarray(MARK.length) : bytes;
  return linesOf(whole)
    .map((line) => recordIn(line.toString("utf8")))
    .filter(isJson);
}

/** The lines are without their line ends. */
function linesOf(bytes: Buffer): readonly Buffer[] {
  const lines: Buffer[] = [];
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(LF, start);
    lines.push(bytes.subarray(start, end < 0 ? bytes.length : end));
    start = end < 0 ? bytes.length : end + 1;
  }
  return lines;
}

/**
 * Returns the path with a name that the list opens: the present name, the id in the records, or a new id if the records
 * have none or another session has it.
 */
function nameFor(from: string, records: readonly Json[]): string {
  if (isSessionId(basename(from, ".jsonl"))) return from;
  const ids = records.map((record) => record.sessionId);
  const id = ids.find((one) => typeof one === "string" && isSessionId(one));
  const named = join(dirname(from), `${String(id)}.jsonl`);
  return id === undefined || existsSync(named) ? join(dirname(from), `${idOfName(from)}.jsonl`) : named;
}

/** A UUID that is the same each time that a plan is made. */
function idOfName(path: string): string {
  const hex = createHash("sha256").update(path).digest("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

function folderFor(
  path: string,
  {
    original,
    records,
    places,
  }: { readonly original: Buffer; readonly records: readonly Json[]; readonly places: Places },
): string | null {
  const { projects } = claudeFolders(places);
  const cwd =
    relocatedTo(endsOf(original).tail) ?? records.find((record) => typeof record.cwd === "string")?.cwd;
  if (typeof cwd !== "string" || cwd === "") return null;
  return join(projects, projectNameOf(canonicalFolder(cwd)), basename(path));
}

/** The first words of a person, otherwise of the agent. */
function titleFor(records: readonly Json[], sessionId: string): string {
  const prompt = records.map((record) => promptOf(record).prompt).find((one) => one !== null);
  const answer = records.filter(({ type }) => type === "assistant").flatMap(textsOf)[0];
  return toTitle(prompt) ?? toTitle(answer) ?? `Session ${sessionId.slice(0, 8)}`;
}

function textsOf(record: Json): readonly string[] {
  return (contentOf(record) ?? []).flatMap((block) =>
    isJson(block) && typeof block.text === "string" && block.text.trim() !== "" ? [block.text] : [],
  );
}

function lineOf(record: Json): Buffer {
  return Buffer.from(`${JSON.stringify(record)}\n`);
}

function quoted({ customTitle }: Json): string {
  return JSON.stringify(customTitle);
}

/**
 * Returns the ids of the sidechain records from which records of the main chain descend. A resume includes these
 * records too, and writes them without the mark `isSidechain`.
 */
function answeredSidechains(records: readonly Json[]): ReadonlySet<unknown> {
  const byId = new Map(records.map((record) => [record.uuid, record]));
  const answered = new Set<unknown>();
  for (const { isSidechain, parentUuid } of records) {
    if (isSidechain !== false) continue;
    let above = byId.get(parentUuid);
    while (above?.isSidechain === true && !answered.has(above.uuid)) {
      answered.add(above.uuid);
      above = byId.get(above.parentUuid);
    }
  }
  return answered;
}

/** Sets `isSidechain` to `false` in the records that `isMeant` accepts. No other byte changes. */
function withoutSidechains(bytes: Buffer, isMeant: (record: Json) => boolean): Buffer {
  const text = bytes.toString("latin1").replace(/^.*"isSidechain": ?true.*$/gmu, (line) => {
    const plain = line.replace(/"isSidechain": ?true/u, '"isSidechain":false');
    const record = recordIn(plain);
    return record?.isSidechain === false && isMeant(record) ? plain : line;
  });
  return Buffer.from(text, "latin1");
}

/** The folder next to the session file, which moves with it: sub-agents, results of tools, notes. */
function besideOf(from: string, to: string): FileFix["beside"] {
  const folder = sidecarFolder(from);
  return existsSync(folder) ? [{ from: folder, to: sidecarFolder(to) }] : [];
}
