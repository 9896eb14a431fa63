/** `continuo acp` by the rules of the protocol's test kit. */

import { join } from "node:path";
import { cleanEnv, MAIN } from "../../cli/home.ts";
import { createTalkHome } from "../../cli/talk.ts";
import { describeConformance } from "./v1.ts";

describeConformance("the gateway", () => {
  const home = createTalkHome();
  const cwd = join(home.path, "project");
  return {
    program: { command: [process.execPath, MAIN, "acp"], cwd, env: cleanEnv(home.path) },
    cwd,
    prompt: "hello",
    endless: "slow",
    [Symbol.dispose]: () => home[Symbol.dispose](),
  };
});
