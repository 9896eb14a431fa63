import { AGENT_NAMES } from "@continuo/core/model";
import { expect, test } from "vitest";
import { resumeCommandOf } from "./registry.ts";

test.each(AGENT_NAMES)("an id that begins with a hyphen is never an argument of %s", (agent) => {
  for (const sessionId of ["--dangerously-skip-permissions", "--yolo", "-r", "-"]) {
    expect(() => resumeCommandOf({ agent, sessionId, location: sessionId })).toThrow(
      "would take the id for an option",
    );
  }
  expect(resumeCommandOf({ agent, sessionId: "a-b", location: "/a-b" }).at(-1)).toMatch(/a-b$/u);
});
