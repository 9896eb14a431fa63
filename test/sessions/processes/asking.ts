/**
 * A program whose coding agent asks for a permission, which it grants. `node asking.ts URL hold|go COMMAND…`: it prints
 * each question as JSON; with `hold` it never stores the answer.
 */

import { openStore } from "@continuo/store";
import { runOnce, wake } from "@continuo/store/sessions";
import { withGrantedBefore } from "../../../packages/agents/src/conversations/granted-before.ts";
import { createAcpDriver } from "../../../packages/agents/src/drivers/acp/driver.ts";
import { configuredProgram } from "../../../packages/agents/src/drivers/acp/programs.ts";
import { toAgent } from "../../../packages/agents/src/drivers/link/index.ts";

import { withMethods } from "../../intercepted.ts";

const [url = "", mode = "", cwd = "", ...command] = process.argv.slice(2);
const sessionId = "s";
const store = await openStore(url);
const stored = withMethods(store, {
  append: async (id, events, options) => {
    if (mode === "hold" && events.some(({ type }) => type === "approval_resolved")) {
      console.log(JSON.stringify({ type: "storing" }));
      await new Promise(() => undefined);
    }
    return await store.append(id, events, options);
  },
});
const places = { home: cwd, env: { PATH: process.env.PATH ?? "" } };
const driver = createAcpDriver(configuredProgram("scripted", command), { places, command });
const agent = toAgent(driver, {
  cwd,
  onPermission: withGrantedBefore(
    async ({ approvalId, grantedBefore }) => {
      console.log(JSON.stringify({ type: "asked", approvalId, grantedBefore }));
      return { outcome: "granted", by: "person" };
    },
    async () => ({ store, sessionId }),
  ),
});
if ((await store.getSession(sessionId)) === null) await store.createSession({ sessionId });
await wake(store, sessionId);
const { status } = await runOnce(stored, agent, "make it", { sessionId });
console.log(JSON.stringify({ type: "ended", status }));
await agent.close();
await store.close();
