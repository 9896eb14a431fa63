/** The words for facts that are used in the line and in the list. */

import type { SessionFacts } from "@continuo/core/model";
import type { VNode } from "preact";
import { counted } from "../content/words.ts";

export function Lines({ added, removed }: Pick<SessionFacts, "added" | "removed">): VNode {
  return (
    <span class="counts" aria-label={`${counted(added, "line")} added, ${removed} removed`} role="img">
      <span class="ins">+{added}</span> <span class="del">−{removed}</span>
    </span>
  );
}

const OUTCOMES = { passed: "passed", failed: "failed", unknown: "ran" } as const;

export function TestWords({ test }: { test: SessionFacts["tests"][number] }): VNode {
  const { outcome, passed, failed, changedSince } = test;
  const kind = outcome === "failed" ? "bad" : outcome === "passed" && !changedSince ? "good" : "";
  const some = outcome === "failed" ? failed : outcome === "passed" ? passed : null;
  return (
    <span class={kind}>
      {some === null || some === 0 ? "tests" : counted(some, "test")} {OUTCOMES[outcome]}
      {changedSince ? ", before the last change" : ""}
    </span>
  );
}
