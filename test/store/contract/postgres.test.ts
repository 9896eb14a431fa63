import { afterAll, beforeAll, test } from "vitest";
import { openStore } from "../../../src/store/index.ts";
import { storeContract } from "../../../src/testing/index.ts";
import { testPostgres } from "../harness/postgres-server.ts";

let server: Awaited<ReturnType<typeof testPostgres>>;
beforeAll(async () => {
  server = await testPostgres();
  await (await openStore(server.url, { migrate: true })).close();
}, 300_000);
afterAll(() => server?.stop());

for (const { group, name, run } of storeContract(({ workspaceId }) =>
  openStore(server.url, { workspaceId }),
)) {
  test(`postgres, ${group}: ${name}`, run);
}
