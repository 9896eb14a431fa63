import { readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { scratchFolder } from "../../../../../test/scratch-folder.ts";
import { NO_CAPABILITIES, rememberCapabilities } from "./capabilities.ts";

test("an agent is asked for its capabilities once for each version of its program, and only this user can read the answer", async () => {
  const home = scratchFolder("capabilities");
  const program = join(home, "agent");
  const places = { home, env: {} };
  let asked = 0;
  const known = { capabilities: { ...NO_CAPABILITIES, canLoad: true }, version: "1.0.0" };
  const find = async () => {
    asked += 1;
    return known;
  };
  writeFileSync(program, "one");
  expect(await rememberCapabilities(places, [program, "acp"], find)).toEqual(known);
  expect(await rememberCapabilities(places, [program, "acp"], find)).toEqual(known);
  expect(asked).toBe(1);
  writeFileSync(program, "another version");
  await rememberCapabilities(places, [program, "acp"], find);
  expect(asked).toBe(2);

  const folder = join(home, ".continuo", "capabilities");
  const [file = "", ...others] = readdirSync(folder);
  expect(others).toEqual([]);
  expect(statSync(join(folder, file)).mode & 0o777).toBe(0o600);
  writeFileSync(join(folder, file), "damaged");
  await rememberCapabilities(places, [program, "acp"], find);
  expect(asked).toBe(3);
});
