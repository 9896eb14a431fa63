/** One piece of a text is replaced; everything else stays byte for byte. Pure. */

export interface Edit {
  readonly at: number;
  readonly deleted: string;
  readonly inserted: string;
}

export function applyEdit(text: string, { at, deleted, inserted }: Edit): string {
  if (text.slice(at, at + deleted.length) !== deleted) throw new Error("the edit is of another text");
  return text.slice(0, at) + inserted + text.slice(at + deleted.length);
}

export function inverseOf({ at, deleted, inserted }: Edit): Edit {
  return { at, deleted: inserted, inserted: deleted };
}

const CONTEXT_LINES = 2;

/** The lines that change, with a few around them, marked as `diff` does. */
export function diffOf(before: string, after: string): string[] {
  const [old, young] = [linesOf(before), linesOf(after)];
  let head = 0;
  while (head < old.length && head < young.length && old[head] === young[head]) head += 1;
  let tail = 0;
  const most = Math.min(old.length, young.length) - head;
  while (tail < most && old[old.length - 1 - tail] === young[young.length - 1 - tail]) tail += 1;
  const from = Math.max(0, head - CONTEXT_LINES);
  const end = old.length - tail;
  return [
    `@@ line ${head + 1} @@`,
    ...old.slice(from, head).map((line) => `  ${line}`),
    ...old.slice(head, end).map((line) => `- ${line}`),
    ...young.slice(head, young.length - tail).map((line) => `+ ${line}`),
    ...old.slice(end, end + CONTEXT_LINES).map((line) => `  ${line}`),
  ];
}

function linesOf(text: string): string[] {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}
