import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { type Prices, shippedPrices } from "@continuo/agents/catalog";
import type { PlacesAt } from "@continuo/files";
import { expect, test } from "vitest";
import { CLAUDE_ID, claudeFile, claudeText, cleanEnv, createHome } from "../../../../test/cli/home.ts";
import { createKnownFacts } from "./known-facts.ts";
import type { MachineOptions } from "./options.ts";
import { createRowUsages } from "./row-usage.ts";
import { createRowSource } from "./rows.ts";

const KEY = `claude:${CLAUDE_ID}`;

/** A prompt and its answer by a model. */
function turn(name: string, model: string, hour: string, parent: string | null): string {
  const content = [{ type: "text", text: "Yes." }];
  return claudeText(CLAUDE_ID, [
    { uuid: `${name}1`, parent, role: "user", content: `Ask ${name}`, time: `${hour}:00:00` },
    { uuid: `${name}2`, parent: `${name}1`, role: "assistant", content, time: `${hour}:00:01` },
  ])
    .replace("model-a", model)
    .replace("msg_1", `msg_${name}`);
}

test("a row shows the usage of its session in its present form, with the model that was used last", async () => {
  using home = createHome();
  home.write(claudeFile(CLAUDE_ID), turn("a", "model-old", "10", null) + turn("b", "model-new", "11", "a2"));
  const places: PlacesAt = { home: home.path, cwd: home.path, env: cleanEnv(home.path) };
  const prices = async (): Promise<Prices> => ({ own: {}, list: shippedPrices() });
  const options = { places, prices } as unknown as MachineOptions;
  const usages = createRowUsages(options, createKnownFacts(places));
  const rowNow = async () => {
    const row = (await createRowSource(places).rows()).byKey.get(KEY)?.row;
    if (row === undefined) throw new Error("the session is not listed");
    return row;
  };
  const first = await rowNow();
  expect(usages.of(first).turns).toBeNull();
  usages.want([first], "read");
  await expect.poll(() => usages.of(first)).toMatchObject({ turns: 2, tokens: 2_040, model: "model-new" });
  appendFileSync(join(home.path, claudeFile(CLAUDE_ID)), turn("c", "model-old", "12", "b2"));
  const grown = await rowNow();
  // Nothing is known about the present form of the session until it is read.
  expect(usages.of(grown).turns).toBeNull();
  usages.want([grown], "read");
  await expect.poll(() => usages.of(grown)).toMatchObject({ turns: 3, tokens: 3_060, model: "model-old" });
  // A prompt without an answer has no model, and hides none.
  const asked = claudeText(CLAUDE_ID, [
    { uuid: "d1", parent: "c2", role: "user", content: "Ask d", time: "13:00:00" },
  ]);
  appendFileSync(join(home.path, claudeFile(CLAUDE_ID)), asked);
  expect(await usages.read(await rowNow())).toMatchObject({ turns: 4, model: "model-old" });
  usages.close();
});
