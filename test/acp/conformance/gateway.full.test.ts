/** `continuo acp` by the rules of the protocol's test kit. */

import { join } from "node:path";
import { expect, test } from "vitest";
import { cleanEnv, MAIN } from "../../cli/home.ts";
import { createTalkHome, SCRIPT } from "../../cli/talk.ts";
import { hello1 } from "../script.ts";
import { describeConformance, type Subject } from "./v1.ts";
import { describeConformance2 } from "./v2.ts";
import { Wire } from "./wire.ts";

/** Before an agent is chosen, the gateway claims what the five agents take, so the agent of these tests takes pictures. */
const TAKES_PICTURES = hello1({ resume: {} }, { loadSession: true, promptCapabilities: { image: true } });

function gateway(): Subject {
  const home = createTalkHome({ ...SCRIPT, hello: TAKES_PICTURES });
  const cwd = join(home.path, "project");
  return {
    program: { command: [process.execPath, MAIN, "acp"], cwd, env: cleanEnv(home.path) },
    cwd,
    prompt: "hello",
    endless: "slow",
    asking: "fix it",
    [Symbol.dispose]: () => home[Symbol.dispose](),
  };
}

describeConformance("the gateway", gateway, { unclaimed: ["ADDDIRS-001", "PROMPTCAP-002"] });
describeConformance2("the gateway", gateway, {
  unclaimed: [
    // The gateway has no further folders, no sound, no terminals of its own and no logins in a terminal.
    ...["ADDDIRS-201", "ADDDIRS-202", "PROMPTCAP-002", "PATCH-206", "PATCH-207", "AUTH-207"],
  ],
});

test("it claims all for which a rule asks where it is claimed, but sound", async () => {
  using subject = gateway();
  await using wire = new Wire(subject.program);
  const hello = await wire.get("initialize", { protocolVersion: 1, clientCapabilities: {} });
  expect(hello).toMatchObject({
    agentCapabilities: {
      loadSession: true,
      promptCapabilities: { image: true, audio: false, embeddedContext: true },
      sessionCapabilities: {
        list: {},
        resume: {},
        close: {},
        delete: {},
        fork: {},
        archive: {},
        status: {},
        title: {},
      },
    },
    authMethods: [],
  });
  const { modes, configOptions } = await wire.get("session/new", { cwd: subject.cwd, mcpServers: [] });
  expect(modes).toMatchObject({ currentModeId: "ask" });
  expect(configOptions).toMatchObject([{ id: "agent" }, { id: "permissions" }]);
});
