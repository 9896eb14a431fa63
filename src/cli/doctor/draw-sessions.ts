/** Hidden sessions for people: by agent, then by cause, each cause with its three sentences. */

import { AGENT_LABELS } from "@continuo/core/model";
import { visibleLine } from "@continuo/core/transcript";
import { EMPTY_TITLE, SHORT_ID_COLUMNS, shortIds } from "../session/list/index.ts";
import {
  cutEnd,
  formatCount,
  type Paint,
  paintFor,
  plural,
  relativeTime,
  type Shell,
  screenOf,
  tildePath,
  wrap,
} from "../terminal/index.ts";
import type { MissedSession, SessionsFlags } from "./missed-sessions.ts";

/** Sessions of one cause that are shown without `--all`. */
const SHOWN_SESSIONS = 5;

export function drawMissed(
  missed: readonly MissedSession[],
  flags: Pick<SessionsFlags, "all">,
  shell: Shell,
): string {
  const shown = flags.all ? missed : missed.filter(({ facts }) => !facts.intended);
  const inGone = flags.all ? 0 : missed.filter(({ cause }) => cause === "folder_gone").length;
  const left = missed.length - shown.length - inGone;
  const moved =
    inGone === 0
      ? ""
      : `${plural(inGone, "session", "sessions")} worked in a folder that is gone: \`continuo relocate\` finds where a project moved to, and --all shows them.\n`;
  const onPurpose =
    left === 0
      ? moved
      : `${moved}${plural(left, "session is", "sessions are")} left out on purpose, such as archived ones and those of sub-agents: --all shows them.\n`;
  if (shown.length === 0) return `Every session is in its agent's own list.\n${onPurpose}`;
  const groups = groupsOf(shown).map((group) => drawGroup(group, { all: flags.all === true, shell, shown }));
  return `${groups.join("\n")}\n${summaryOf(shown)}${onPurpose}`;
}

function groupsOf(missed: readonly MissedSession[]): readonly (readonly MissedSession[])[] {
  return [...Map.groupBy(missed, ({ found, cause }) => `${found.agent} ${cause}`).values()];
}

interface DrawOptions {
  readonly all: boolean;
  readonly shell: Shell;
  readonly shown: readonly MissedSession[];
}

function drawGroup(group: readonly MissedSession[], { all, shell, shown }: DrawOptions): string {
  const [first] = group;
  if (first === undefined) return "";
  const screen = screenOf(shell, shell.stdout);
  const paint = paintFor(screen);
  const { means, bringsBack, changes } = first.facts;
  const which = first.facts.list === "folder" ? "its own list of the folder" : "its own list";
  const head = `${AGENT_LABELS[first.found.agent]}: ${plural(group.length, "session is", "sessions are")} missing from ${which}  (${first.cause})`;
  const sentences = [
    ["why", means],
    ["back", bringsBack],
    ["then", changes],
  ].flatMap(([label = "", text = ""]) => labelled(label, text, { width: screen.columns, paint }));
  const listed = all ? group : group.slice(0, SHOWN_SESSIONS);
  const ids = shortIds(
    listed.map(({ found }) => found.sessionId),
    shown.map(({ found }) => found.sessionId),
  );
  const rows = listed.map((one) => `  ${rowOf(one, { ids, paint, shell })}`);
  const more =
    listed.length === group.length
      ? []
      : [`  and ${formatCount(group.length - listed.length)} more: --all shows them`];
  return [paint(head, "bold"), ...sentences, ...rows, ...more].map((line) => `${line}\n`).join("");
}

interface Row {
  readonly ids: ReadonlyMap<string, string>;
  readonly paint: Paint;
  readonly shell: Shell;
}

function rowOf(missed: MissedSession, { ids, paint, shell }: Row): string {
  const { found, title, cwd, updatedAt, detail } = missed;
  const id = visibleLine(ids.get(found.sessionId) ?? found.sessionId);
  const words = visibleLine(title ?? EMPTY_TITLE);
  const folder = cwd === null ? "" : `  ${visibleLine(tildePath(cwd, shell.home))}`;
  const age = relativeTime(updatedAt, shell.now);
  const fact =
    detail === null
      ? ""
      : `\n    ${paint(visibleLine(shell.home === "/" ? detail : detail.replaceAll(shell.home, "~")), "dim")}`;
  return `${paint(cutEnd(id, SHORT_ID_COLUMNS), "cyan")}  ${cutEnd(words, 48)}${paint(folder, "dim")}  ${paint(age, "dim")}${fact}`;
}

function labelled(
  label: string,
  text: string,
  { width, paint }: { readonly width: number; readonly paint: Paint },
): readonly string[] {
  const indent = 8;
  return wrap([{ text }], Math.max(20, Math.min(width, 110) - indent), paint).map((line, at) =>
    at === 0 ? `  ${paint(label.padEnd(indent - 2), "dim")}${line}` : `${" ".repeat(indent)}${line}`,
  );
}

function summaryOf(shown: readonly MissedSession[]): string {
  const can = shown.filter(({ facts }) => facts.by === "continuo").length;
  const files = `${plural(shown.length, "session is", "sessions are")} on disk and missing from the agent's own list`;
  if (can === 0) return `${files}.\n`;
  return `${files}. \`continuo doctor sessions --fix\` shows a plan for ${can === shown.length ? "them" : formatCount(can)} and asks; nothing was written.\n`;
}
