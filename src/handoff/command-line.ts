/** An argv as a line for a person's shell. Pure. */

export function commandLine(cwd: string, argv: readonly string[]): string {
  return `cd ${quoted(cwd)} && ${argv.map(quoted).join(" ")}`;
}

function quoted(word: string): string {
  return /^[\w./:@%+=-]+$/u.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
