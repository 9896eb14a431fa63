/** `acpx`, a client from npm, as the editor in front of `continuo acp`. */

import { join } from "node:path";
import { expect } from "vitest";
import { MAIN } from "../../cli/home.ts";
import type { Stage } from "../chat/stage.ts";
import { PINNED, packageFolder } from "../install.ts";

const ACPX: string = join(packageFolder(PINNED.acpx), PINNED.acpx.proof);
/** The process of acpx that holds the session waits so long for a next prompt. While it ends, it refuses one. */
const TTL_S = "600";

/** The arguments of acpx. */
export function wordsOf(args: readonly string[]): readonly string[] {
  const agent = `${process.execPath} ${MAIN} acp`;
  return [ACPX, "--format", "json", "--json-strict", "--ttl", TTL_S, "--agent", agent, ...args];
}

export type Row = Readonly<Record<string, unknown>>;

export const rowsIn = (output: string): Row[] =>
  output
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Row);

/** acpx waits a few seconds for its process that holds the session. If this process needs longer, nothing was sent. */
const STARTS_SLOWLY = "Session queue owner failed to start";

export async function acpx(on: Stage, ...args: readonly string[]): Promise<Row[]> {
  const { code, stdout, stderr } = await on.run(process.execPath, wordsOf(args));
  if (code !== 0 && stdout.includes(STARTS_SLOWLY)) return await acpx(on, ...args);
  expect([args, code, stderr, code === 0 ? "" : stdout]).toEqual([args, 0, "", ""]);
  return rowsIn(stdout);
}

/** Returns the text of the agent's messages. A row is a message of the protocol, or holds one in `message`. */
export function spokenIn(rows: readonly Row[]): string {
  const updates = rows.map((row) => {
    const message = (row.message ?? row) as { readonly params?: { readonly update?: Row } };
    return message.params?.update;
  });
  return updates
    .filter((update) => update?.sessionUpdate === "agent_message_chunk")
    .map((update = {}) => String((update.content as Row).text))
    .join("");
}

/** Watches the session from a position until a turn has ended. */
export async function watched(
  on: Stage,
  cursor: readonly string[],
  turn: () => Promise<unknown>,
): Promise<Row[]> {
  const args = wordsOf(["sessions", "watch", ...cursor]).slice(1);
  await using watching = on.startProgram(process.execPath, [ACPX, ...args]);
  const rows: Row[] = [];
  const said = turn();
  // A turn that fails has no result to wait for.
  said.catch(() => watching.kill());
  for await (const line of watching.lines) {
    rows.push(JSON.parse(line) as Row);
    if (rows.at(-1)?.type === "turn_result") break;
  }
  await said;
  watching.kill();
  return rows;
}
