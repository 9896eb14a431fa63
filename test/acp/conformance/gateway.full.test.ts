/** `continuo acp` by the rules of the protocol's test kit. */

import { join } from "node:path";
import { cleanEnv, MAIN } from "../../cli/home.ts";
import { createTalkHome } from "../../cli/talk.ts";
import { describeConformance, type Subject } from "./v1.ts";
import { describeConformance2 } from "./v2.ts";

function gateway(): Subject {
  const home = createTalkHome();
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

describeConformance("the gateway", gateway);
describeConformance2("the gateway", gateway);
