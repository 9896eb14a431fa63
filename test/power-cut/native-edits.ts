/** Traces every native edit of one agent, and compares images of its disk with the acknowledged edits. */

import { appendFileSync, cpSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { listNativeSessions, type Places } from "@continuo/agents";
import { packSession } from "@continuo/agents/handoff/bundle";
import type { AgentName, SessionInfo } from "@continuo/core/model";
import { openOutputFile } from "@continuo/files";
import { settleUnfinished } from "@continuo/native/editing";
import { bundledProgram } from "../sizes/shared-programs.ts";
import { tested } from "../tested-agents.ts";
import type { Folder } from "./disk.ts";
import { type NativeState, nativeState } from "./native-state.ts";
import { type Operations, readTree } from "./operations.ts";
import { type CheckImage, traceOperations, writeImage } from "./power-cut.ts";

const FIXTURES = join(import.meta.dirname, "../fixtures");
const NATIVE_USER = await bundledProgram("test/power-cut/native-user.ts");
/** The folder of each agent's files, below a home, and a session that can be damaged. */
const AGENTS = tested(({ folder, recorded }) => ({ folder, fixture: recorded.powerCut }));

export interface TracedEdits extends Disposable {
  readonly operations: Operations;
  readonly check: CheckImage;
}

/** Traces all edits. The image of the disk is always at the same path, because notes and manifests contain paths. */
export async function traceEdits(agent: AgentName): Promise<TracedEdits> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "continuo-power-")));
  const root = join(base, "home");
  mkdirSync(join(root, "project"), { recursive: true });
  const places: Places = { home: root, env: {} };
  const from = agent === "pi" ? "claude" : "pi";
  const edited = await useFixture(agent, places);
  const source = await useFixture(from, places);
  if (agent !== "opencode") appendFileSync(edited.location, '{"type":"user","to');
  const bundle = join(base, "bundle");
  {
    using output = await openOutputFile(bundle, { force: false, forbidden: [] });
    await packSession(`${from}:${source.sessionId}`, output, {
      places,
      packedAt: "2026-01-01T00:00:00.000Z",
    });
    output.commit();
  }
  const refs = [edited, source].map((info) => `${info.agent}:${info.sessionId}`);
  const argv = [NATIVE_USER, root, agent, ...refs, bundle];
  const operations = await traceOperations({ argv, root, before: readTree(root) });
  return {
    operations,
    check: async (image, acknowledged) => await lossesIn(image, acknowledged, { operations, places }),
    [Symbol.dispose]: () => rmSync(base, { recursive: true }),
  };
}

async function useFixture(agent: AgentName, places: Places): Promise<SessionInfo> {
  const { folder, fixture } = AGENTS[agent];
  cpSync(join(FIXTURES, agent, fixture, "home"), join(places.home, folder), { recursive: true });
  const [info] = await listNativeSessions({ agents: [agent], places });
  if (info === undefined) throw new Error(`no session of ${agent}`);
  return info;
}

interface Machine {
  readonly operations: Operations;
  readonly places: Places;
}

/**
 * Returns the differences after a cut: the person must have the state after the last acknowledged edit, or already that
 * after the next edit.
 */
async function lossesIn(
  image: Folder,
  acknowledged: readonly string[],
  { operations, places }: Machine,
): Promise<readonly string[]> {
  for (const name of readdirSync(places.home)) rmSync(join(places.home, name), { recursive: true });
  writeImage(places.home, image);
  const [last, next] = operations.acknowledgements
    .slice(Math.max(0, acknowledged.length - 1))
    .map(({ text }) => toAcknowledgement(text));
  try {
    await settleUnfinished({ places });
    const left = readdirSync(places.home, { recursive: true, encoding: "utf8" }).filter(
      (path) => !path.startsWith(".continuo/") && /\.(?:new|repaired|part)\b/u.test(path),
    );
    if (left.length > 0) return [`after ${last?.edit}: ${left} is left`];
    const found = await nativeState(places);
    const states = [last, next].filter((each) => each !== undefined);
    const differences = states.map(({ edit, state }) => `after ${edit}: ${differenceOf(state, found)}`);
    return states.some(({ state }) => differenceOf(state, found) === "") ? [] : differences;
  } catch (error) {
    return [`after ${last?.edit}: ${error instanceof Error ? error.stack : String(error)}`];
  }
}

function toAcknowledgement(text: string): { readonly edit: string; readonly state: NativeState } {
  const end = text.indexOf(" ");
  return { edit: text.slice(0, end), state: JSON.parse(text.slice(end + 1)) };
}

function differenceOf(wanted: NativeState, found: NativeState): string {
  const keys = new Set([...Object.keys(wanted), ...Object.keys(found)]);
  return [...keys]
    .filter((key) => wanted[key] !== found[key])
    .map((key) => {
      if (found[key] === undefined) return `${key} is lost`;
      return wanted[key] === undefined ? `${key} is there` : `${key} is ${found[key]}`;
    })
    .join("; ");
}
