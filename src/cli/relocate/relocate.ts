/** The plan of a relocation, the question, the change, and how it is undone. */

import { resolve } from "node:path";
import { findMovedProjects, type MovedProject } from "@continuo/agents/catalog";
import { AGENT_LABELS, ContinuoError, shellWord } from "@continuo/core/model";
import { visibleLine } from "@continuo/core/transcript";
import { placesOf } from "@continuo/files";
import { type RelocatedProject, relocateProject } from "@continuo/native/editing";
import {
  canAsk,
  confirm,
  createOutput,
  createProgress,
  paintFor,
  plural,
  type Shell,
  screenOf,
  tildePath,
  toJsonText,
} from "../terminal/index.ts";

export interface RelocateFlags {
  readonly dryRun?: true;
  readonly yes?: true;
  readonly json?: true;
}

interface Folders {
  readonly from: string | undefined;
  readonly to: string | undefined;
}

export async function runRelocate(
  { from, to }: Folders,
  flags: RelocateFlags,
  shell: Shell,
): Promise<number> {
  if (from !== undefined && to === undefined) {
    throw new ContinuoError("usage", "name the old folder and the new one", {
      hint: "Run `continuo relocate` without folders to find projects that moved.",
    });
  }
  const projects =
    from === undefined || to === undefined
      ? await findMoved(shell)
      : [{ from: resolve(shell.cwd, from), to: [resolve(shell.cwd, to)], sessions: 0 }];
  const output = createOutput(shell.stdout);
  const certain = projects.filter((project) => project.to.length === 1);
  const plans: RelocatedProject[] = [];
  for (const project of certain) plans.push(await relocate(project, shell));
  if (!flags.json) await output.write(draw(plans, projects, shell));
  const done = plans.length === 0 || flags.dryRun ? plans : await change(plans, certain, flags, shell);
  if (flags.json) await output.write(`${toJsonText(done, 2)}\n`);
  else await output.write(drawEnd(done, flags, shell));
  return 0;
}

async function findMoved(shell: Shell): Promise<readonly MovedProject[]> {
  using progress = createProgress(shell);
  progress.show("Looking for projects that moved");
  const signal = shell.signal === undefined ? {} : { signal: shell.signal };
  return await findMovedProjects({ places: placesOf(shell), cwd: shell.cwd, ...signal });
}

async function relocate(
  { from, to: [to = ""] }: MovedProject,
  shell: Shell,
  write?: "in place",
): Promise<RelocatedProject> {
  const options = write === undefined ? {} : { write };
  return await relocateProject(from, to, { places: placesOf(shell), ...options });
}

/** Errors: `usage` if nobody can be asked, `interrupted` if the person answers no. */
async function change(
  plans: readonly RelocatedProject[],
  projects: readonly MovedProject[],
  flags: RelocateFlags,
  shell: Shell,
): Promise<readonly RelocatedProject[]> {
  const question = `Relocate ${summaryOf(plans)}? The old state goes to the trash.`;
  if (!flags.yes) {
    if (!canAsk(shell)) {
      throw new ContinuoError(
        "usage",
        `cannot ask whether to relocate ${summaryOf(plans)}: there is no terminal`,
        {
          hint: "Confirm it with --yes, or see the plan with --dry-run.",
        },
      );
    }
    if (!(await confirm(question, shell))) throw new ContinuoError("interrupted", "nothing was changed");
  }
  const done: RelocatedProject[] = [];
  for (const project of projects) done.push(await relocate(project, shell, "in place"));
  return done;
}

function summaryOf(plans: readonly RelocatedProject[]): string {
  return `${plural(plans.length, "project")} with ${plural(countOf(plans), "session")}`;
}

function countOf(plans: readonly RelocatedProject[]): number {
  return plans.flatMap(({ agents }) => agents).reduce((sum, { sessionIds }) => sum + sessionIds.length, 0);
}

function draw(plans: readonly RelocatedProject[], projects: readonly MovedProject[], shell: Shell): string {
  const paint = paintFor(screenOf(shell, shell.stdout));
  const place = (path: string): string => visibleLine(tildePath(path, shell.home));
  const lines = plans.flatMap(({ from, to, agents }) => [
    `${place(from)}  →  ${place(to)}`,
    ...agents.map(({ agent, sessionIds, moved, changed, rows, leftOut }) => {
      const parts = [
        moved > 0 ? `${plural(moved, "file")} moved` : "",
        changed > 0 ? `${plural(changed, "file")} changed` : "",
        rows > 0 ? `${plural(rows, "row")} changed` : "",
        leftOut.length > 0 ? `${plural(leftOut.length, "damaged session")} left out` : "",
      ].filter(Boolean);
      const count = `${AGENT_LABELS[agent]}: ${plural(sessionIds.length, "session")}`;
      return `  ${count}  ${paint(parts.join(", "), "dim")}`;
    }),
  ]);
  const unclear = projects.filter(({ to }) => to.length > 1);
  lines.push(
    ...unclear.flatMap(({ from, to, sessions }) => [
      `${place(from)} (${plural(sessions, "session")}) may be any of these; name the one that it is:`,
      ...to.map((folder) => `  continuo relocate ${shellWord(from)} ${shellWord(folder)}`),
    ]),
  );
  return lines.map((line) => `${line}\n`).join("");
}

function drawEnd(done: readonly RelocatedProject[], { dryRun }: RelocateFlags, shell: Shell): string {
  if (done.length === 0) return "No project was found that moved.\n";
  if (dryRun) return "Nothing was written.\n";
  const paint = paintFor(screenOf(shell, shell.stdout));
  const moved = `${plural(done.length, "project")} moved, ${plural(countOf(done), "session")}`;
  const undo = done.flatMap(({ trashId }) =>
    trashId === null ? [] : [`  undo: continuo session restore ${shellWord(trashId)}\n`],
  );
  return `\n${paint(moved, "green")}\n${undo.join("")}`;
}
