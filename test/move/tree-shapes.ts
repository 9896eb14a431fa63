/** Shapes of work trees with changes, each made with git and by hand in a repository of three commits. */

import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";

export interface Shape {
  readonly name: string;
  /** The step before both clones exist. */
  prepare?(git: Git): void;
  /** The changes in the clone that is moved. */
  change(git: Git): void;
  /** The preparation of the other clone, as by a person. */
  there?(git: Git): void;
}

export interface Git {
  readonly folder: string;
  (...args: readonly string[]): string;
  write(path: string, content: string | Buffer): void;
}

const WHO = ["-c", "user.name=Ann", "-c", "user.email=ann@example.org", "-c", "protocol.file.allow=always"];

export function gitIn(folder: string): Git {
  const run = (...args: readonly string[]): string =>
    execFileSync("git", [...WHO, ...args], {
      cwd: folder,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
      env: { PATH: process.env.PATH ?? "", HOME: dirname(folder), LC_ALL: "C" },
    });
  const write = (path: string, content: string | Buffer): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  };
  return Object.assign(run, { folder, write });
}

const LINES = Array.from({ length: 40 }, (_, at) => `line ${at + 1} of the timer`);
const TEXT = `${LINES.join("\n")}\n`;

/** A small project with links, a program and a picture. */
export function makeOrigin(folder: string, shape: Pick<Shape, "prepare">): Git {
  mkdirSync(folder);
  const git = gitIn(folder);
  git("init", "--quiet", "--initial-branch=main");
  git.write("src/timer.ts", TEXT);
  git.write("src/start.ts", "export const start = 1;\n");
  git.write("README.md", "# Timer\n");
  git.write("bin/run.sh", "#!/bin/sh\necho run\n");
  git.write("logo.png", Buffer.from(Array.from({ length: 512 }, (_, at) => (at * 7) % 256)));
  git.write(".gitignore", "node_modules/\n.env\n*.log\n");
  symlinkSync("src/timer.ts", join(folder, "link"));
  git("add", "--all");
  git("commit", "--quiet", "--message=Begin");
  git.write("src/start.ts", "export const start = 2;\n");
  git("commit", "--quiet", "--all", "--message=Start at two");
  shape.prepare?.(git);
  return git;
}

const edited = (at: number, word: string): string =>
  `${LINES.map((line, number) => (number === at ? word : line)).join("\n")}\n`;

/** Makes a separate repository, which becomes a submodule. */
function addSubmodule(git: Git): void {
  const folder = `${git.folder}-parts`;
  mkdirSync(folder);
  const parts = gitIn(folder);
  parts("init", "--quiet", "--initial-branch=main");
  parts.write("part.ts", "export const part = 1;\n");
  parts("add", "--all");
  parts("commit", "--quiet", "--message=Begin the parts");
  git("submodule", "--quiet", "add", folder, "vendor/parts");
  git("commit", "--quiet", "--message=Use the parts");
}

const checkOutParts = (git: Git): void => void git("submodule", "--quiet", "update", "--init");

export const SHAPES: readonly Shape[] = [
  { name: "no change", change: () => undefined },
  { name: "an edited file", change: (git) => git.write("src/timer.ts", edited(3, "changed")) },
  {
    name: "a staged file",
    change: (git) => {
      git.write("src/timer.ts", edited(3, "changed"));
      git("add", "src/timer.ts");
    },
  },
  {
    name: "a file staged, and edited after it",
    change: (git) => {
      git.write("src/timer.ts", edited(3, "staged"));
      git("add", "src/timer.ts");
      git.write("src/timer.ts", edited(30, "not staged"));
    },
  },
  {
    name: "new files, one of them staged",
    change: (git) => {
      git.write("src/new.ts", "export const one = 1;\n");
      git.write("notes/plan with spaces.md", "- measure\n");
      git("add", "src/new.ts");
    },
  },
  {
    name: "a deleted file, and one deleted from the index too",
    change: (git) => {
      unlinkSync(join(git.folder, "README.md"));
      git("rm", "--quiet", "bin/run.sh");
    },
  },
  {
    name: "a file that is removed from the index and kept in the folder",
    change: (git) => git("rm", "--cached", "--quiet", "README.md"),
  },
  { name: "a staged rename", change: (git) => git("mv", "src/timer.ts", "src/clock.ts") },
  {
    name: "a rename that is not staged, with an edit",
    change: (git) => {
      unlinkSync(join(git.folder, "src/timer.ts"));
      git.write("src/clock.ts", edited(5, "renamed"));
    },
  },
  {
    name: "a file that became executable",
    change: (git) => chmodSync(join(git.folder, "src/timer.ts"), 0o755),
  },
  {
    name: "a staged mode, and a new program",
    change: (git) => {
      chmodSync(join(git.folder, "bin/run.sh"), 0o755);
      git("add", "bin/run.sh");
      git.write("bin/new.sh", "#!/bin/sh\n");
      chmodSync(join(git.folder, "bin/new.sh"), 0o755);
    },
  },
  {
    name: "links: one changed, one new, one broken",
    change: (git) => {
      unlinkSync(join(git.folder, "link"));
      symlinkSync("README.md", join(git.folder, "link"));
      symlinkSync("../outside/of/it", join(git.folder, "src/broken"));
    },
  },
  {
    name: "a file in place of a link, and a link in place of a file",
    change: (git) => {
      unlinkSync(join(git.folder, "link"));
      git.write("link", "no link any more\n");
      unlinkSync(join(git.folder, "README.md"));
      symlinkSync("src/timer.ts", join(git.folder, "README.md"));
    },
  },
  {
    name: "a folder in place of a file, and a file in place of a folder",
    change: (git) => {
      unlinkSync(join(git.folder, "README.md"));
      git.write("README.md/part one.md", "one\n");
      rmSync(join(git.folder, "bin"), { recursive: true });
      git.write("bin", "a file now\n");
    },
  },
  {
    name: "binary files, changed and new",
    change: (git) => {
      git.write("logo.png", Buffer.from(Array.from({ length: 700 }, (_, at) => (at * 13) % 256)));
      git("add", "logo.png");
      git.write("sound.wav", Buffer.alloc(300_000, 0));
    },
  },
  {
    name: "files with CRLF, where git keeps them as they are",
    change: (git) => {
      git.write("src/timer.ts", TEXT.replaceAll("\n", "\r\n"));
      git.write("mixed.txt", "one\r\ntwo\nthree\r\n");
      git("add", "mixed.txt");
      appendFileSync(join(git.folder, "mixed.txt"), "four\r\n");
    },
  },
  {
    name: "files with CRLF by .gitattributes",
    prepare: (git) => {
      git.write(".gitattributes", "*.bat text eol=crlf\n*.ts text\n");
      git.write("run.bat", "echo one\r\necho two\r\n");
      git("add", "--all");
      git("commit", "--quiet", "--message=Add a batch file");
    },
    change: (git) => {
      git.write("run.bat", "echo one\r\necho three\r\n");
      git.write("new.bat", "echo new\r\n");
      git("add", "new.bat");
    },
  },
  {
    name: "10,000 files that git does not track",
    change: (git) => {
      for (let at = 0; at < 10_000; at += 1) git.write(`data/${at % 50}/${at}.txt`, `number ${at}\n`);
    },
  },
  {
    name: "ignored files, which stay",
    change: (git) => {
      git.write(".env", "TOKEN=not-to-be-moved\n");
      git.write("node_modules/left/index.js", "left();\n");
      git.write("src/timer.ts", edited(1, "changed"));
      git.write("kept.log", "forced\n");
      git("add", "--force", "kept.log");
    },
  },
  {
    name: "names with quotes, line breaks, and other scripts",
    change: (git) => {
      git.write('a "quoted" name.txt', "q\n");
      git.write("two\nlines.txt", "l\n");
      git.write("日本/ünï-ß.txt", "u\n");
      git.write("-rf", "minus\n");
      git.write(":(top)magic", "m\n");
      git("add", "--", "./-rf", "日本");
    },
  },
  {
    name: "commits that were not pushed, and changes after them",
    change: (git) => {
      git.write("src/timer.ts", edited(9, "committed"));
      git("commit", "--quiet", "--all", "--message=Not pushed");
      git("commit", "--quiet", "--allow-empty", "--message=Nor this");
      git.write("src/timer.ts", edited(10, "changed"));
    },
  },
  {
    name: "a branch that no other clone has",
    change: (git) => {
      git("checkout", "--quiet", "-b", "feature/clock");
      git.write("src/clock.ts", "export {};\n");
      git("add", "--all");
      git("commit", "--quiet", "--message=Add a clock");
      git.write("src/clock.ts", "export const now = 1;\n");
      git("rm", "--quiet", "README.md");
    },
  },
  {
    name: "no branch, at an old commit",
    change: (git) => {
      git("checkout", "--quiet", "--detach", "HEAD~1");
      git.write("src/start.ts", "export const start = 3;\n");
    },
  },
  {
    name: "a merge with a conflict",
    change: (git) => {
      git("checkout", "--quiet", "-b", "other");
      git.write("src/timer.ts", edited(3, "theirs"));
      git("commit", "--quiet", "--all", "--message=Theirs");
      git("checkout", "--quiet", "main");
      git.write("src/timer.ts", edited(3, "ours"));
      git("commit", "--quiet", "--all", "--message=Ours");
      try {
        git("merge", "--quiet", "other");
      } catch {
        git.write("README.md", "# Timer, in a merge\n");
      }
    },
  },
  {
    name: "a submodule with commits and changes of its own",
    prepare: addSubmodule,
    there: checkOutParts,
    change: (git) => {
      checkOutParts(git);
      const parts = gitIn(join(git.folder, "vendor/parts"));
      parts.write("part.ts", "export const part = 2;\n");
      parts("commit", "--quiet", "--all", "--message=Not pushed");
      parts.write("part.ts", "export const part = 3;\n");
      parts.write("other.ts", "export {};\n");
      parts("add", "other.ts");
    },
  },
  {
    name: "a submodule without changes, not checked out on the other side",
    prepare: addSubmodule,
    change: (git) => {
      checkOutParts(git);
      git.write("src/timer.ts", edited(3, "changed"));
    },
  },
  {
    name: "pointers of LFS",
    prepare: (git) => {
      git.write(".gitattributes", "*.psd filter=lfs diff=lfs merge=lfs -text\n");
      git.write(
        "art.psd",
        `version https://git-lfs.github.com/spec/v1\noid sha256:${"ab".repeat(32)}\nsize 12\n`,
      );
      git("add", "--all");
      git("commit", "--quiet", "--message=Add art");
    },
    change: (git) => {
      git.write(
        "art.psd",
        `version https://git-lfs.github.com/spec/v1\noid sha256:${"cd".repeat(32)}\nsize 13\n`,
      );
      git.write(
        "new.psd",
        `version https://git-lfs.github.com/spec/v1\noid sha256:${"ef".repeat(32)}\nsize 14\n`,
      );
      git("add", "new.psd");
    },
  },
  {
    name: "a file with the intent to be added, without its content",
    change: (git) => {
      git.write("src/later.ts", "export const later = 1;\n");
      git("add", "--intent-to-add", "src/later.ts");
    },
  },
  {
    name: "empty files and empty folders",
    change: (git) => {
      git.write("empty.txt", "");
      git.write("src/start.ts", "");
      mkdirSync(join(git.folder, "empty folder"));
      git("add", "src/start.ts");
    },
  },
  {
    name: "a linked work tree of the repository",
    change: (git) => {
      git.write("src/timer.ts", edited(3, "changed"));
      git.write("untracked.txt", "u\n");
      renameSync(join(git.folder, "README.md"), join(git.folder, "README.txt"));
      git("add", "README.txt");
    },
  },
];

const QUICK_NAMES: ReadonlySet<string> = new Set([
  "a file staged, and edited after it",
  "commits that were not pushed, and changes after them",
  "a merge with a conflict",
  "a submodule with commits and changes of its own",
]);

/** The shapes that differ most from each other; the full size tries the others. */
export const QUICK_SHAPES: readonly Shape[] = SHAPES.filter(({ name }) => QUICK_NAMES.has(name));
