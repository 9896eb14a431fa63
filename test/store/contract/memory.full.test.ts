/** The contract of every store, in memory; the quick size has it on SQLite, by the same code. */

import { openStore } from "@continuo/store";
import { test } from "vitest";
import { storeContract } from "../../../packages/store/src/testing/index.ts";

const cases = storeContract(({ workspaceId }) => openStore("memory:", { workspaceId }), { data: "private" });

for (const { group, name, run } of cases) test(`memory, ${group}: ${name}`, run);
