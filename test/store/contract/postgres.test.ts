import { beforeAll, test } from "vitest";
import { openStore } from "../../../src/store/index.ts";
import { storeContract } from "../../../src/testing/index.ts";
import { newPostgresDatabase } from "../../sizes/prepared.ts";

let url: string;
beforeAll(async () => {
  url = await newPostgresDatabase();
  await (await openStore(url, { migrate: true })).close();
});

for (const { group, name, run } of storeContract(({ workspaceId }) => openStore(url, { workspaceId }))) {
  test(`postgres, ${group}: ${name}`, run);
}
