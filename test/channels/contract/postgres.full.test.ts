import { openStore } from "@continuo/store";
import { beforeAll } from "vitest";
import { newPostgresDatabase } from "../../sizes/shared-programs.ts";
import { channelContract } from "./contract.ts";

let url: string;
let count = 0;
beforeAll(async () => {
  url = await newPostgresDatabase();
  await (await openStore(url, { migrate: true })).close();
});

// Each case has its own workspace, so that it does not see what an earlier case left.
channelContract("Postgres", () => openStore(url, { workspaceId: `w${++count}` }));
