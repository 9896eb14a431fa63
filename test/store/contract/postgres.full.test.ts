import { openStore } from "@continuo/store";
import { beforeAll, test } from "vitest";
import { storeContract } from "../../../packages/store/src/testing/index.ts";
import { newPostgresDatabase } from "../../sizes/shared-programs.ts";

let url: string;
beforeAll(async () => {
  url = await newPostgresDatabase();
  await (await openStore(url, { migrate: true })).close();
});

for (const { group, name, run } of storeContract(({ workspaceId }) => openStore(url, { workspaceId }))) {
  test(`postgres, ${group}: ${name}`, run);
}
