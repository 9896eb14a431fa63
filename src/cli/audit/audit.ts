/** `audit`: the newest entries of the audit log, in the order in which they were recorded. */

import {
  AUDIT_ACTS,
  type AuditAct,
  type AuditEntry,
  ContinuoError,
  present,
  type Store,
} from "@continuo/core/model";
import { visibleLine } from "@continuo/core/transcript";
import { maskAuditEntry } from "@continuo/core/transcript/secrets";
import { openForCommand } from "../store/index.ts";
import {
  createOutput,
  layOut,
  page,
  parseSince,
  type Shell,
  screenOf,
  toJsonText,
} from "../terminal/index.ts";
import type { AuditFlags } from "./flags.ts";

const PAGE = 1_000;

export async function runAudit(flags: AuditFlags, shell: Shell): Promise<number> {
  const since = flags.since === undefined ? undefined : parseSince(flags.since, shell.now);
  const what = flags.what === undefined ? undefined : actOf(flags.what);
  await using store = await openForCommand(flags, shell);
  const { entries, more } = await newest(store, { ...flags, since, what });
  if (flags.json) await createOutput(shell.stdout).write(`${toJsonText(entries, 2)}\n`);
  else if (entries.length === 0) shell.stderr.write("No acts are recorded that match.\n");
  else await printTable(entries, shell);
  if (more) shell.stderr.write(`These are the newest ${entries.length} acts; --all shows every one.\n`);
  return 0;
}

async function printTable(entries: readonly AuditEntry[], shell: Shell): Promise<void> {
  const screen = screenOf(shell, shell.stdout);
  const { cells } = layOut(COLUMNS, entries.map(rowOf), screen.isTerminal ? { columns: screen.columns } : {});
  const text = cells.map((row) => row.join("  ").trimEnd()).join("\n");
  await page(oneChunk(`${text}\n`), { shell, screen, opening: { at: "end" } });
}

async function* oneChunk(text: string): AsyncGenerator<string, void, void> {
  yield text;
}

/** Errors: `usage`. */
function actOf(name: string): AuditAct {
  const acts = Object.keys(AUDIT_ACTS) as AuditAct[];
  const act = acts.find((one) => one === name);
  if (act !== undefined) return act;
  throw new ContinuoError("usage", `${JSON.stringify(name)} is not an act of the audit log`, {
    hint: `Name one of these: ${acts.join(", ")}.`,
  });
}

interface AuditQuery extends Pick<AuditFlags, "who" | "limit" | "all"> {
  readonly since: string | undefined;
  readonly what: AuditAct | undefined;
}

interface Newest {
  /** Oldest first. */
  readonly entries: readonly AuditEntry[];
  readonly more: boolean;
}

async function newest(store: Store, { since, who, what, limit, all }: AuditQuery): Promise<Newest> {
  const most = all ? Number.POSITIVE_INFINITY : limit;
  const entries: AuditEntry[] = [];
  let cursor: string | null | undefined;
  do {
    const options = present({
      since,
      who,
      what,
      cursor: cursor ?? undefined,
      limit: Math.min(PAGE, most - entries.length),
    });
    const found: Awaited<ReturnType<Store["listAudit"]>> = await store.listAudit(options);
    entries.push(...found.items);
    cursor = found.nextCursor;
  } while (cursor !== null && entries.length < most);
  return { entries: entries.reverse().map(maskAuditEntry), more: cursor !== null };
}

const COLUMNS = [
  { header: "when", align: "left" },
  { header: "who", align: "left", ideal: 24, min: 12 },
  { header: "from", align: "left", ideal: 15, min: 7 },
  { header: "what", align: "left" },
  { header: "target", align: "left", ideal: 36, min: 12 },
  { header: "details", align: "left", ideal: 30, min: 8, rank: 1 },
] as const;

function rowOf({ at, who, from, what, target, details }: AuditEntry): readonly string[] {
  const when = `${at.slice(0, 10)} ${at.slice(11, 19)}Z`;
  return [when, who, from ?? "-", what, target ?? "-", detailsText(details)].map(visibleLine);
}

function detailsText(details: AuditEntry["details"]): string {
  const shown = Object.entries(details).filter(([, value]) => value !== null && value !== undefined);
  return shown.map(([name, value]) => `${name}: ${valueText(value)}`).join(", ");
}

function valueText(value: unknown): string {
  if (Array.isArray(value)) return value.map(valueText).join(" ");
  return typeof value === "string" ? value : JSON.stringify(value);
}
