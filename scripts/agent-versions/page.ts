/** The page about the changes of a new version of an agent, and their meaning for Continuo. Pure. */

import type { Change } from "./shape.ts";

/** Changes of one kind of file, or of the requests. */
export interface Changes {
  readonly place: string;
  readonly changes: readonly Change[];
}

export interface Comparison {
  readonly agent: string;
  readonly before: string;
  readonly after: string;
  /** `YYYY-MM-DD`. */
  readonly date: string;
  /** The number of conversations that were held with both versions. */
  readonly cases: number;
  /** Conversations that could not be held with the new version, with the reason. */
  readonly failedCases: readonly { readonly name: string; readonly reason: string }[];
  readonly files: { readonly added: readonly string[]; readonly gone: readonly string[] };
  readonly written: readonly Changes[];
  readonly sent: readonly Changes[];
  readonly tests: { readonly passed: number; readonly failed: readonly string[] };
  /** Returns true if a reader of Continuo names this field. */
  readonly isRead: (field: string) => boolean;
}

export function toPage(comparison: Comparison): string {
  const { agent, before, after, date } = comparison;
  return [
    `# ${agent} ${after}, compared with ${before}`,
    `Written by \`npm run agents:update -- ${agent}@${after}\` on ${date}: ${comparison.cases} conversations were held with both versions against a scripted model, and what they wrote and sent was compared field by field.`,
    meaning(comparison),
    files(comparison),
    section("What it writes", comparison.written, comparison.isRead),
    section("What it sends to its model", comparison.sent, () => false),
    tests(comparison),
  ]
    .map((part) => `${part}\n`)
    .join("\n");
}

/** Returns true if the new version can be taken in: every conversation was held, and every test passed. */
export function isTaken({ failedCases, tests }: Comparison): boolean {
  return failedCases.length === 0 && tests.failed.length === 0 && tests.passed > 0;
}

function meaning(comparison: Comparison): string {
  const changes = comparison.written.flatMap((one) => one.changes);
  const added = changes.filter((change) => change.before.length === 0);
  const isReadField = ({ path }: Change) => comparison.isRead(fieldOf(path));
  const unread = added.filter((change) => !isReadField(change)).length;
  const lost = changes.filter((change) => change.before.length > 0 && isReadField(change));
  const verdict = isTaken(comparison)
    ? "Continuo works with it: all tests of reading, handing over, driving and visibility passed."
    : "**Continuo does not take it in yet**: see what failed below.";
  const sentences = [
    verdict,
    unread === 0
      ? ""
      : `${counted(unread, "new field is", "new fields are")} kept unchanged, and not read by Continuo.`,
    lost.length === 0
      ? ""
      : `${counted(lost.length, "field that Continuo reads was", "fields that Continuo reads were")} changed or removed: ${lost.map(({ path }) => `\`${path}\``).join(", ")}.`,
    changes.length === 0 ? "Nothing that it writes has changed." : "",
  ];
  return sentences.filter((sentence) => sentence !== "").join(" ");
}

function files({ files: { added, gone } }: Comparison): string {
  if (added.length + gone.length === 0) return "## Files\n\nIts home has the same kinds of files.";
  const lines = [...added.map((name) => `- new: \`${name}\``), ...gone.map((name) => `- gone: \`${name}\``)];
  return `## Files\n\n${lines.join("\n")}`;
}

function section(title: string, places: readonly Changes[], isRead: (field: string) => boolean): string {
  const told = places.filter(({ changes }) => changes.length > 0);
  if (told.length === 0) return `## ${title}\n\nThe same fields, kinds and words.`;
  const tables = told.map(({ place, changes }) => {
    const rows = changes.map(
      (change) =>
        `| \`${change.path}\` | ${kinds(change.before)} | ${kinds(change.after)} | ${isRead(fieldOf(change.path)) ? "yes" : ""} |`,
    );
    return `\`${place}\`:\n\n| field | before | now | read |\n|---|---|---|---|\n${rows.join("\n")}`;
  });
  return `## ${title}\n\n${tables.join("\n\n")}`;
}

function tests({ tests: { passed, failed }, failedCases }: Comparison): string {
  const lines = [
    `${passed} tests of the real agent passed, ${failed.length} failed.`,
    ...failed.map((title) => `- failed: ${title}`),
    ...failedCases.map(({ name, reason }) => `- the conversation \`${name}\` was not held: ${reason}`),
  ];
  return `## Tests\n\n${lines.join("\n")}`;
}

function kinds(all: readonly string[]): string {
  return all.length === 0 ? "–" : all.map((kind) => `\`${kind.replaceAll("|", "\\|")}\``).join(" ");
}

/** The last name of a path: `line<user>.message.content[]<text>` → `content`. */
export function fieldOf(path: string): string {
  const parts = path.replaceAll(/<[^>]*>|\[\]/gu, "").split(".");
  return parts.at(-1) ?? path;
}

function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}
