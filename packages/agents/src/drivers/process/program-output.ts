/** Keeps the beginning and the end of the output of a program that is not a message of its protocol. Pure. */

export interface ProgramOutput {
  readonly head: string;
  readonly tail: string;
  /** The number of characters between the beginning and the end. */
  readonly omitted: number;
}

export interface OutputLimits {
  readonly headChars: number;
  readonly tailChars: number;
}

export const EMPTY_OUTPUT: ProgramOutput = { head: "", tail: "", omitted: 0 };

export function appendOutput(
  { head, tail, omitted }: ProgramOutput,
  text: string,
  { headChars, tailChars }: OutputLimits,
): ProgramOutput {
  const first = text.slice(0, headChars - head.length);
  const rest = tail + text.slice(first.length);
  const kept = rest.slice(-tailChars);
  return { head: head + first, tail: kept, omitted: omitted + rest.length - kept.length };
}

export function outputText({ head, tail, omitted }: ProgramOutput): string {
  return omitted === 0 ? (head + tail).trim() : `${head}\n… ${omitted} characters left out …\n${tail}`.trim();
}

const FIRST_LINES = 3;
const LAST_LINES = 5;

/** The cause of an error is often at the beginning of the output or at its end, so both are kept. */
export function firstAndLast(text: string): string {
  const lines = text.trim().split("\n");
  if (lines.length <= FIRST_LINES + LAST_LINES) return lines.join("\n");
  return [...lines.slice(0, FIRST_LINES), "…", ...lines.slice(-LAST_LINES)].join("\n");
}

/** The messages of command-line parsers about an unknown argument (clap, commander, yargs, node). */
const REFUSED_ARGUMENT =
  /\b(?:unknown|unrecogni[sz]ed|unexpected|invalid|no such)\b[^\n]{0,20}\b(?:arguments?|options?|flags?|commands?|subcommands?)\b/iu;

export function namesUnknownArgument(text: string): boolean {
  return REFUSED_ARGUMENT.test(text);
}
