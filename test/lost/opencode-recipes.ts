/** Sessions that opencode's own list does not show. `test/agents/lost/` checks each with the real program. */

import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { LostHome, LostRecipe } from "./recipe.ts";

export const OPENCODE_ID = "ses_6f1f3f0a9ffeRetryLoopEnds1";
const PARENT = "ses_6f1f3f0a9ffeStartedTheOther";
const OTHER_PROJECT = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
const TIME = Date.UTC(2026, 10, 20, 10);

/** The tables of opencode 1.18.34 that have the rows of a session. */
const TABLES = `
  create table if not exists project (
    id text primary key, worktree text not null, vcs text, name text, icon_url text, icon_url_override text,
    icon_color text, time_created integer not null, time_updated integer not null, time_initialized integer,
    sandboxes text not null, commands text);
  create table if not exists session (
    id text primary key, project_id text not null, workspace_id text, parent_id text, slug text not null,
    directory text not null, path text, title text not null, version text not null, share_url text,
    revert text, permission text, agent text, model text, time_created integer not null,
    time_updated integer not null, time_compacting integer, time_archived integer,
    constraint fk_project foreign key (project_id) references project(id) on delete cascade);
  create table if not exists message (
    id text primary key, session_id text not null, time_created integer not null, time_updated integer not null,
    data text not null, constraint fk_session foreign key (session_id) references session(id) on delete cascade);
  create table if not exists part (
    id text primary key, message_id text not null, session_id text not null, time_created integer not null,
    time_updated integer not null, data text not null,
    constraint fk_message foreign key (message_id) references message(id) on delete cascade);`;

interface OpencodeSession {
  readonly id?: string;
  readonly project?: string;
  readonly directory?: string;
  readonly path?: string;
  readonly parent?: string;
}

export function opencodeDatabase({ root }: LostHome): string {
  return join(root, ".local", "share", "opencode", "opencode.db");
}

/** A session with a prompt and its answer, as opencode 1.18.34 writes it; by default its folder has no commit. */
export function writeOpencode(home: LostHome, row: OpencodeSession = {}): void {
  const path = opencodeDatabase(home);
  const { id = OPENCODE_ID, project = "global", directory = home.project, parent = null } = row;
  mkdirSync(join(path, ".."), { recursive: true });
  using database = new DatabaseSync(path);
  database.exec("pragma journal_mode = wal");
  database.exec(TABLES);
  const run = (sql: string, ...values: readonly (string | number | null)[]): void => {
    database.prepare(sql).run(...values);
  };
  const projects =
    "insert or ignore into project (id, worktree, vcs, sandboxes, time_created, time_updated) values (?, ?, 'git', '[]', ?, ?)";
  run(projects, project, home.project, TIME, TIME);
  run(
    `insert into session (id, project_id, parent_id, slug, directory, path, title, version, time_created, time_updated)
     values (?, ?, ?, 'calm-otter', ?, ?, 'Retry loop', '1.18.34', ?, ?)`,
    ...[id, project, parent, directory, row.path ?? "", TIME, TIME],
  );
  const said = (role: string, at: number, text: string, info: object): void => {
    const message = `msg_${id.slice(4)}${at}`;
    const data = { role, time: { created: TIME + at }, agent: "build", ...info };
    run(
      "insert into message values (?, ?, ?, ?, ?)",
      message,
      id,
      TIME + at,
      TIME + at,
      JSON.stringify(data),
    );
    const part = JSON.stringify({ type: "text", text });
    run(
      "insert into part values (?, ?, ?, ?, ?, ?)",
      ...[`prt_${id.slice(4)}${at}`, message, id, TIME + at, TIME + at, part],
    );
  };
  const model = { providerID: "scripted", modelID: "scripted-1" };
  said("user", 1, "Why does the retry loop never end?", { model });
  said("assistant", 2, "The counter is reset inside of the loop.", {
    ...model,
    parentID: `msg_${id.slice(4)}1`,
    mode: "build",
    path: { cwd: directory, root: directory },
    cost: 0,
    tokens: { input: 1, output: 1, reasoning: 0, cache: { read: 0, write: 0 } },
  });
}

function git({ project }: LostHome, ...args: readonly string[]): string {
  const person = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "init.defaultBranch=main"];
  const env = { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null" };
  return execFileSync("git", [...person, ...args], { cwd: project, env, encoding: "utf8" }).trim();
}

export function makeRepository(home: LostHome, message: string = "Begin"): string {
  git(home, "init", "--quiet");
  git(home, "commit", "--quiet", "--allow-empty", "--message", message);
  return git(home, "rev-list", "--max-parents=0", "HEAD");
}

export const OPENCODE_RECIPES: readonly LostRecipe[] = [
  {
    title: "a repository whose .git was removed",
    cause: "git_removed",
    write: (home) => {
      rmSync(join(home.project, ".git"), { recursive: true, force: true });
      writeOpencode(home, { project: OTHER_PROJECT });
    },
    messages: 2,
  },
  {
    title: "a rewritten history, without the note that opencode leaves in it",
    cause: "other_project",
    write: (home) => {
      makeRepository(home);
      writeOpencode(home, { project: OTHER_PROJECT });
    },
    messages: 2,
  },
  {
    title: "another remote, without the note that opencode leaves",
    cause: "other_project",
    write: (home) => {
      makeRepository(home);
      git(home, "remote", "add", "origin", "git@git.example.org:acme/widgets.git");
      writeOpencode(home, { project: OTHER_PROJECT });
    },
    messages: 2,
  },
  {
    title: "a repository that was created above the folder of the session",
    cause: "other_project",
    write: (home) => {
      makeRepository(home);
      const directory = join(home.project, "packages");
      mkdirSync(directory);
      writeOpencode(home, { directory, path: directory.slice(1) });
    },
    messages: 2,
  },
  {
    title: "a path that lost its slashes",
    cause: "other_path",
    write: (home) => {
      rmSync(join(home.project, ".git"), { recursive: true, force: true });
      writeOpencode(home, { path: home.project.replaceAll("/", "") });
    },
    messages: 2,
  },
  {
    title: "a session that a deleted session had started",
    cause: "parent_gone",
    write: (home) => writeOpencode(home, { parent: PARENT, path: home.project.slice(1) }),
    messages: 2,
  },
  {
    title: "a sub-agent",
    cause: "sub_agent",
    write: (home) => {
      writeOpencode(home, { id: PARENT, path: home.project.slice(1) });
      writeOpencode(home, { parent: PARENT, path: home.project.slice(1) });
    },
  },
];
