/** Whatever happens to the records of a format case, every reader answers or refuses within 5 s of processor time. */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Places } from "@continuo/agents";
import type { AgentName } from "@continuo/core/model";
import fc from "fast-check";
import { expect } from "vitest";
import { anyDamage } from "../damage.ts";
import { copyHome, FORMAT_CASES } from "../fixture-home.ts";
import { scratchFolder } from "../scratch-folder.ts";
import { soakTest } from "../sizes/soak-test.ts";
import { type Change, everyReader, nested, recordsOf, renamed } from "./hostile-changes.ts";
import { watchRounds } from "./watch-rounds.ts";

/** The limit is processor time, so it holds on a busy machine too. */
const LIMIT_MS = 5000;

soakTest(
  "sessions: a mutation of a format case makes no reader fail, or take 5 s",
  { count: 100_000, batchSize: 500 },
  async ({ seed, count }) => {
    const scratch = scratchFolder("mutations");
    using watch = watchRounds();
    const cases = (await Promise.all(FORMAT_CASES.map((each) => openCase(scratch, each)))).flat();
    const anyMutation = fc
      .constantFrom(...cases)
      .chain((one) => one.mutations.map((mutate) => ({ ...one, mutate })));
    const property = fc.asyncProperty(anyMutation, async ({ agent, location, places, mutate, restore }) => {
      watch.begin();
      mutate();
      const before = process.cpuUsage();
      await everyReader(location, agent, places);
      const { user, system } = process.cpuUsage(before);
      restore();
      expect((user + system) / 1000).toBeLessThan(LIMIT_MS);
    });
    await fc.assert(property, { seed, numRuns: count });
  },
);

interface Case {
  readonly agent: AgentName;
  readonly location: string;
  readonly places: Places;
  /** Each mutation changes the session when it is called. */
  readonly mutations: fc.Arbitrary<() => void>;
  readonly restore: () => void;
}

async function openCase(
  scratch: string,
  [agent, name]: readonly [AgentName, string],
): Promise<readonly Case[]> {
  const { places, sessions } = await copyHome(join(scratch, agent, name), [agent, name]);
  const location = sessions[0]?.location;
  if (location === undefined) return [];
  const records = recordsOf(agent, location);
  const changed = fc
    .array(fc.oneof(renamed, nested), { minLength: 1, maxLength: 3 })
    .map(
      (changes: readonly Change[]) => () =>
        records.write(changes.reduce((texts, change) => change(texts), records.texts)),
    );
  const common = { agent, location, places };
  if (agent === "opencode") {
    return [{ ...common, mutations: changed, restore: () => records.write(records.texts) }];
  }
  const sound = readFileSync(location);
  const damaged = anyDamage(sound).map(
    ({ bytes }) =>
      () =>
        writeFileSync(location, bytes),
  );
  const restore = (): void => writeFileSync(location, sound);
  return [{ ...common, mutations: fc.oneof(damaged, changed), restore }];
}
