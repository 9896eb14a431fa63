/**
 * A home with sessions of five agents (not Copilot), generated once from a seed and stored outside of the clone.
 *
 * Sizes are distributed as in real homes: most sessions are short, a few are long (log-normal).
 */

import { existsSync, mkdirSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { makeConversation, NEWEST } from "./conversation.ts";
import { createRandom, type Random } from "./random.ts";
import { openOpencode, toClaude, toCodex, toGemini, toPi } from "./shapes/index.ts";

export interface CorpusSize {
  readonly name: string;
  readonly sessions: number;
  readonly totalBytes: number;
}

/** For `--quick`. */
export const CORPUS: CorpusSize = { name: "corpus", sessions: 1500, totalBytes: 150e6 };
export const LARGE_CORPUS: CorpusSize = { name: "corpus-large", sessions: 5000, totalBytes: 0.8e9 };

/** The shapes of each twenty sessions, in this order. */
const MIX = [
  toClaude,
  toCodex,
  toClaude,
  "opencode",
  toClaude,
  toCodex,
  toGemini,
  toClaude,
  toPi,
  toCodex,
  toClaude,
  toCodex,
  toClaude,
  "opencode",
  toClaude,
  toCodex,
  toGemini,
  toClaude,
  toPi,
  toCodex,
] as const;
const PROJECTS = 40;

/** The home folder of the corpus, which is created if it does not exist. */
export function makeCorpus(size: CorpusSize, folder: string): string {
  const home = join(folder, `${size.name}-v2`);
  if (existsSync(home)) return home;
  const making = `${home}.making`;
  rmSync(making, { recursive: true, force: true });
  const random = createRandom(20261121);
  const opencode = openOpencode(making);
  for (let index = 0; index < size.sessions; index++) {
    const conversation = makeConversation(random, sizeOf(random, size), random.int(1, PROJECTS));
    const shape = MIX[index % MIX.length] ?? toClaude;
    if (shape === "opencode") {
      opencode.write(conversation, random);
      continue;
    }
    const { path, lines, beside } = shape(conversation, random, making);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    const last = (conversation.turns.at(-1)?.at ?? NEWEST) / 1000;
    utimesSync(path, last, last);
    if (beside !== undefined) writeFileSync(beside.path, beside.text);
  }
  opencode.close();
  renameSync(making, home);
  return home;
}

/** Log-normal around the mean, sigma 1.2; a session has at least one turn. */
function sizeOf(random: Random, size: CorpusSize): number {
  const mean = size.totalBytes / size.sessions;
  const normal = Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());
  return Math.max(500, mean * 0.97 * Math.exp(1.2 * normal - 0.72));
}
