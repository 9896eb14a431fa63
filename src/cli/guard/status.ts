/** `guard status` and `guard list`. */

import { rowsOf } from "@continuo/agents/catalog";
import { AGENT_LABELS, type SessionInfo } from "@continuo/core/model";
import { visibleLine } from "@continuo/core/transcript";
import { placesOf } from "@continuo/files";
import { findNativeSessions } from "@continuo/native";
import {
  findDueSessions,
  onlyCopies,
  readGuardSettings,
  readLedger,
  totalOf,
} from "@continuo/native/editing/guard";
import {
  createOutput,
  formatCount,
  formatSize,
  plural,
  relativeTime,
  type Shell,
  tildePath,
  toJsonText,
} from "../terminal/index.ts";
import { countDue, dueLine } from "./due.ts";
import type { JsonFlag, StatusFlags } from "./flags.ts";

/** The number of sessions that are named; further ones are only counted. */
const SHOWN = 5;

/** Errors: `corrupt` for settings that cannot be read. */
export async function runStatus({ within, json }: StatusFlags, shell: Shell): Promise<number> {
  const places = placesOf(shell);
  const settings = readGuardSettings(places);
  const memo = rowsOf(shell);
  const { rules, sessions } = await findDueSessions({ places, memo });
  await memo.save("part");
  const ledger = readLedger(places);
  const copies = { sessions: ledger.size, bytes: totalOf(ledger), onlyCopies: (await gone(shell)).length };
  const counts = countDue(sessions, within, shell.now);
  const output = createOutput(shell.stdout);
  if (json) {
    await output.write(`${toJsonText({ ...settings, rules, within, ...counts, copies, sessions }, 2)}\n`);
    return 0;
  }
  const end = new Date(shell.now.getTime() + within * 86_400_000).toISOString();
  const soon = sessions.filter(({ endsAt }) => endsAt <= end);
  const lines = [
    settings.on
      ? "The guard is on."
      : "The guard is off: `continuo guard on` copies sessions before they are deleted.",
    ...rules
      .filter((one) => one.sessions > 0)
      .map(({ agent, rule, sessions }) =>
        rule === null
          ? `${AGENT_LABELS[agent]}: its settings delete no session (${plural(sessions, "session")})`
          : `${rule}: ${plural(sessions, "session")}`,
      ),
    dueLine(counts, within) ?? `No session will be deleted within ${plural(within, "day")}.`,
    ...soon.slice(0, SHOWN).map(({ agent, sessionId, endsAt, hasCopy, rule }) => {
      const when = endsAt <= shell.now.toISOString() ? "at the next start" : `from ${endsAt.slice(0, 10)}`;
      return `  ${agent}:${sessionId}  ${when}  ${hasCopy ? "copied" : "no copy"}  ${rule}`;
    }),
    ...(soon.length > SHOWN ? [`  … and ${formatCount(soon.length - SHOWN)} more: --json shows all`] : []),
    `Copies: ${plural(copies.sessions, "session")}, ${formatSize(copies.bytes)} of at most ${formatSize(settings.maxBytes)}; ${plural(copies.onlyCopies, "session is", "sessions are")} there only as a copy.`,
  ];
  await output.write(`${lines.map(visibleLine).join("\n")}\n`);
  return 0;
}

export async function runList({ json }: JsonFlag, shell: Shell): Promise<number> {
  const rows = await gone(shell);
  const output = createOutput(shell.stdout);
  if (json) {
    await output.write(`${toJsonText(rows, 2)}\n`);
    return 0;
  }
  if (rows.length === 0) {
    await output.write("No session is there only as a copy.\n");
    return 0;
  }
  const lines = rows.map(({ agent, sessionId, title, updatedAt, cwd }) => {
    const age = updatedAt === null ? "" : relativeTime(updatedAt, shell.now);
    return visibleLine(
      `${agent}:${sessionId}  ${age}  ${title ?? ""}  ${cwd === null ? "" : tildePath(cwd, shell.home)}`,
    );
  });
  await output.write(
    `${lines.join("\n")}\n\`continuo guard restore ID\` puts one back; \`continuo resume ID\` does that by itself.\n`,
  );
  return 0;
}

async function gone(shell: Shell): Promise<readonly SessionInfo[]> {
  const places = placesOf(shell);
  const memo = rowsOf(shell);
  const ids = new Set<string>();
  for await (const { sessionId } of findNativeSessions({ places, memo })) ids.add(sessionId);
  return onlyCopies({ places, metIds: ids });
}
