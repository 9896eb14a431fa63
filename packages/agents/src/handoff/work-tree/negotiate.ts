/** Finds the commits that both machines have, because only the others are sent. */

import type { Repository } from "./git.ts";
import { MAX_OFFERED_COMMITS } from "./limits.ts";

/** Returns at most 2,000 commits: the newest ones, older ones at growing distances, and the ends of all branches. */
export async function commitsToOffer(repository: Repository): Promise<readonly string[]> {
  const history = (await repository.ask(["rev-list", `--max-count=${HISTORY}`, "HEAD"])) ?? "";
  const line = history.split("\n").filter(Boolean);
  const near = line.filter((_, at) => at < NEAR || Number.isInteger(Math.log2(at)));
  const args = [
    "for-each-ref",
    `--count=${MAX_OFFERED_COMMITS}`,
    "--format=%(objectname)",
    "refs/remotes",
    "refs/heads",
  ];
  const ends = ((await repository.ask(args)) ?? "").split("\n").filter(Boolean);
  return [...new Set([...near, ...ends])].slice(0, MAX_OFFERED_COMMITS);
}

const HISTORY = 100_000;
const NEAR = 256;

/** Returns the offered commits that a branch or a tag of this clone contains, so that their ancestors are here too. */
export async function commitsHere(
  repository: Repository,
  offered: readonly string[],
): Promise<readonly string[]> {
  const input = `${offered.join("\n")}\n`;
  const answer =
    (await repository.ask(["cat-file", "--batch-check=%(objectname) %(objecttype)"], { input })) ?? "";
  const here = answer.split("\n").flatMap((line) => {
    const [object = "", type] = line.split(" ");
    return type === "commit" ? [object] : [];
  });
  if (here.length === 0) return [];
  // Commits of an attempt that was cut off are on no branch, and may lack their parents.
  const args = ["rev-list", "--stdin", "--not", "--all"];
  const loose = (await repository.ask(args, { input: `${here.join("\n")}\n` })) ?? here.join("\n");
  const unreached = new Set(loose.split("\n"));
  return here.filter((commit) => !unreached.has(commit));
}
