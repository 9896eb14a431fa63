/** The table of recorded states has a session or a reason for every agent. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { AGENT_NAMES } from "@continuo/core/model";
import { expect, test } from "vitest";
import { RECORDED_STATES } from "./states.ts";

const FIXTURES = join(import.meta.dirname, "../fixtures");

test.each(Object.entries(RECORDED_STATES))(
  "the state %s is recorded with each agent that has it",
  (_state, of) => {
    expect(Object.keys(of)).toEqual([...AGENT_NAMES]);
    for (const agent of AGENT_NAMES) {
      const isReason = /^\(.+\)$/u.test(of[agent]);
      expect(
        isReason || existsSync(join(FIXTURES, agent, of[agent], "requests.json")),
        `${agent}: ${of[agent]}`,
      ).toBe(true);
    }
  },
);
