import { join } from "node:path";
import { openStore } from "@continuo/store";
import { test } from "vitest";
import { storeContract } from "../../../packages/store/src/testing/index.ts";
import { scratchFolder } from "../../scratch-folder.ts";

const folder = scratchFolder("contract");

const url = `sqlite:${join(folder, "store.db")}`;
for (const { group, name, run } of storeContract(({ workspaceId }) => openStore(url, { workspaceId }))) {
  test(`sqlite, ${group}: ${name}`, run);
}
