import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, test } from "vitest";
import { openStore } from "../../../src/store/index.ts";
import { storeContract } from "../../../src/testing/index.ts";

const folder = mkdtempSync(join(tmpdir(), "continuo-contract-"));
afterAll(() => rmSync(folder, { recursive: true }));

const url = `sqlite:${join(folder, "store.db")}`;
for (const { group, name, run } of storeContract(({ workspaceId }) => openStore(url, { workspaceId }))) {
  test(`sqlite, ${group}: ${name}`, run);
}
