import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore } from "@continuo/store";
import { afterAll, test } from "vitest";
import { storeContract } from "../../../packages/store/src/testing/index.ts";

const folder = mkdtempSync(join(tmpdir(), "continuo-contract-"));
afterAll(() => rmSync(folder, { recursive: true }));

const url = `sqlite:${join(folder, "store.db")}`;
for (const { group, name, run } of storeContract(({ workspaceId }) => openStore(url, { workspaceId }))) {
  test(`sqlite, ${group}: ${name}`, run);
}
