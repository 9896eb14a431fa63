/** The tables of `docs/lost-and-found.md`: every cause of every agent, from the tables that `continuo doctor sessions` reads. */

import { AGENT_LABELS, AGENT_NAMES } from "@continuo/core/model";
import { hiddenCauses } from "@continuo/native";
import type { CauseFacts } from "@continuo/native/kit";
import { type Section, withSection } from "./section.ts";

const CAUSES: Section = {
  begin: "<!-- causes: written by scripts/docs.ts -->",
  end: "<!-- end of causes -->",
};

const BY: Readonly<Record<CauseFacts["by"], string>> = {
  continuo: "`--fix`",
  agent: "the agent's command",
  person: "you",
};

export async function withCauses(document: string): Promise<string> {
  const parts: string[] = [];
  for (const agent of AGENT_NAMES) {
    const causes = Object.entries(await hiddenCauses(agent));
    if (causes.length === 0) continue;
    const rows = causes.map(([cause, facts]) => rowOf(cause, facts));
    parts.push(
      [
        `### ${AGENT_LABELS[agent]}`,
        "",
        "| cause | why | what brings it back | what that changes | by |",
        "|---|---|---|---|---|",
        ...rows,
        "",
      ].join("\n"),
    );
  }
  return withSection(document, CAUSES, parts.join("\n"));
}

function rowOf(
  cause: string,
  { means, bringsBack, changes, by, list, intended, evidence }: CauseFacts,
): string {
  const marks = [
    ...(list === "folder" ? ["only the list of its folder lacks it"] : []),
    ...(intended ? ["on purpose"] : []),
    ...(evidence === "reported" ? ["from reports, not looked for"] : []),
  ];
  const name = marks.length === 0 ? `\`${cause}\`` : `\`${cause}\` (${marks.join("; ")})`;
  return `| ${[name, means, bringsBack, changes, BY[by]].join(" | ")} |`;
}
