import { join } from "node:path";
import { openStore } from "@continuo/store";
import { expect, test } from "vitest";
import { storeContract } from "../../../packages/store/src/testing/index.ts";
import { scratchFolder } from "../../scratch-folder.ts";

const folder = scratchFolder("contract");

const url = `sqlite:${join(folder, "store.db")}`;
const cases = storeContract(({ workspaceId }) => openStore(url, { workspaceId }));

test("the contract has at least 120 cases with different names", () => {
  const names = cases.map(({ group, name }) => `${group}: ${name}`);
  expect(names.length).toBeGreaterThanOrEqual(120);
  expect(new Set(names).size).toBe(names.length);
});

for (const { group, name, run } of cases) test(`sqlite, ${group}: ${name}`, run);
